// SPDX-License-Identifier: Apache-2.0
#include "profiler/explain_stats.h"

#include <gtest/gtest.h>

#include "tests/observe/support.h"

namespace skmd::profiler {
namespace {

using nlohmann::json;

/// As the library itself writes it.
json example() {
  icd::Observer observer(icd::test::counting());
  observer.devices(icd::test::two_devices());
  observer.launch(icd::test::split_launch("vadd"));
  observer.launch(icd::test::whole_launch("vadd", domain::NotSplit::printf));
  observer.transfer({1, 3 << 20, 2048, 0, 0, ""});
  observer.dropped({1, 2048});
  observer.partition(1500);
  icd::VerifyReport report;
  report.kernel = "vadd";
  report.argument = 2;
  report.device = 1;
  report.mismatching_bytes = 3;
  report.first_offset = 40;
  report.detail = "the split launch gave 01, a whole run 02";
  observer.verify(report);
  return json::parse(observer.stats_json());
}

void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in\n" << text;
}

TEST(ExplainStats, TellsWhoRanWhatAndWhyNotMore) {
  const auto words = explain_stats(example());
  ASSERT_TRUE(words) << words.error().reason;
  expect_in(*words, "made of 2 devices");
  expect_in(*words, "Kernel vadd (program ");
  expect_in(*words, "2 launches, 1 of them split");
  expect_in(*words, "work-group");
  expect_in(*words, "1 launch stayed whole (printf): The kernel calls printf");
  expect_in(*words, "3.0 MiB were moved to it, 2.0 KiB from it");
  expect_in(*words, "gave up copies of buffers 1 time to make room for others, and 2.0 KiB that only it had");
  expect_in(*words, "decided 1 time");
}

TEST(ExplainStats, TellsWhatPredictionsCameFromAndWhatTheProfileGot) {
  json document = example();
  auto words = explain_stats(document);
  ASSERT_TRUE(words) << words.error().reason;
  expect_in(*words, "predicted from what the process had measured, off by 100.0% in late launches.");
  EXPECT_EQ(words->find("Profile database"), std::string::npos);
  document["kernels"][0]["model"] = {{"source", "none"}, {"error", nullptr}};
  document["profile"] = {{"file", "f.db"}, {"loaded", 1u}, {"written", 2u}, {"problem", "the disk is full"}};
  words = explain_stats(document);
  ASSERT_TRUE(words) << words.error().reason;
  expect_in(*words, "Its time was never predicted.");
  expect_in(*words, "Profile database f.db: 1 sample read, 2 samples written.");
  expect_in(*words, "No more are written: the disk is full.");
  document["profile"]["problem"] = nullptr;
  document["kernels"][0].erase("model");  // of an older SKMD
  words = explain_stats(document);
  ASSERT_TRUE(words) << words.error().reason;
  EXPECT_EQ(words->find("No more are written"), std::string::npos);
  document["profile"]["written"] = "many";
  EXPECT_FALSE(explain_stats(document));
}

/// Two devices that shared every launch of the only kernel; seconds of kernels and of links.
json shared(double device0, double device1, double link0, double link1) {
  json document = example();
  json& kernel = document["kernels"][0];
  kernel["launches"] = kernel["split_launches"] = 5u;
  kernel["first_split"] = 3u;
  kernel["not_split"] = json::object();
  kernel["groups"] = {1u, 3u};
  const json some = {
      {"predicted_seconds", 0.5}, {"compared_seconds", 0.4}, {"upload_bytes", 0u}, {"upload_seconds", 0.0}};
  kernel["devices"] = {some, some};
  kernel["devices"][0]["seconds"] = device0;
  kernel["devices"][1]["seconds"] = device1;
  for (std::size_t i = 0; i < 2; ++i) {
    document["transfers"][i]["bytes_to"] = document["transfers"][i]["bytes_from"] = std::uint64_t{1} << 20;
    document["transfers"][i]["seconds_to"] = i == 0 ? link0 : link1;
    document["transfers"][i]["seconds_from"] = 0.0;
  }
  return document;
}

std::string explained(const json& document) {
  const auto words = explain_stats(document);
  EXPECT_TRUE(words) << words.error().reason;
  return words ? *words : "";
}

TEST(ExplainStats, TellsWhatWasPredictedAndMeasuredOnEachDevice) {
  json document = shared(0.002, 0.25, 0.0, 0.0);
  expect_in(explained(document),
            "basic CPU ran 1 work-group (25.0%), in 2 ms by its clock; 500 ms were predicted where it took 400 ms.");
  expect_in(explained(document),
            "big GPU ran 3 work-groups (75.0%), in 250 ms by its clock; 500 ms were predicted where it took 400 ms.");
  document["kernels"][0]["devices"][0]["predicted_seconds"] = 0.0;
  document["kernels"][0]["devices"][1]["seconds"] = 0;
  expect_in(explained(document), "in 2 ms by its clock; nothing was predicted of it.");
  expect_in(explained(document), "big GPU ran 3 work-groups (75.0%); how long they took is not known.");
  document["kernels"][0]["groups"] = {0u, 3u};
  expect_in(explained(document), "basic CPU ran 0 work-groups (0.0%).");
}

TEST(ExplainStats, TellsWhatBoundedAKernel) {
  expect_in(explained(shared(0.1, 0.3, 0.01, 0.2)),
            "big GPU bounded it: its work-groups took 300 ms, transfers over the longest link 200 ms.");
  expect_in(explained(shared(0.1, 0.3, 0.0, 0.0)), "big GPU bounded it: its work-groups took 300 ms, and no transfer");
  expect_in(explained(shared(0.1, 0.02, 0.0, 0.4)),
            "The link of big GPU bounded it: 2.0 MiB took 400 ms; the longest device, basic CPU, took 100 ms.");
  expect_in(
      explained(shared(0.1, 0.02, 0.3, 0.4)),
      "Host memory bounded it, or the links of basic CPU and big GPU, which share it: they were busy for about as "
      "long, the longest for 400 ms; the longest device, basic CPU, took 100 ms.");
  expect_in(explained(shared(0.0, 0.0, 0.0, 0.4)), "no device's time is known.");
  expect_in(explained(shared(0.0, 0.0, 0.0, 0.0)), "What bounded it is not known: no times were taken.");
}

TEST(ExplainStats, CountsOnlyWhatItsLaunchesWaitedForWhereThereAreOtherKernels) {
  json document = shared(0.1, 0.02, 0.0, 9.0);
  document["kernels"].push_back(document["kernels"][0]);
  document["kernels"][1]["devices"][1]["upload_seconds"] = 0.2;
  document["kernels"][1]["devices"][1]["upload_bytes"] = 512u;
  const std::string words = explained(document);
  expect_in(words, "basic CPU bounded it: its work-groups took 100 ms, and no transfer was timed.");
  expect_in(words,
            "The link of big GPU bounded it: 512 bytes took 200 ms; the longest device, basic CPU, took 100 ms.");
}

TEST(ExplainStats, TellsHowAndSinceWhenLaunchesWereDivided) {
  json document = shared(0.1, 0.3, 0.0, 0.0);
  expect_in(explained(document), "The first launch that was split was number 3.");
  expect_in(explained(document), "big GPU took longest, 1.50 times the mean of the devices that took part");
  expect_in(explained(document), "divided by SKMD_PARTITION=auto: so that all parts, with what has to be moved");
  for (const char* mode : {"equal", "fixed", "linear", "paper", "dynamic", "single"}) {
    document["partition"]["mode"] = mode;
    expect_in(explained(document), std::string("divided by SKMD_PARTITION=") + mode + ": ");
  }
  document["partition"]["mode"] = "later";
  EXPECT_EQ(explained(document).find("divided by"), std::string::npos);
  document["kernels"][0]["launches"] = 6u;  // whole launches are among the times
  EXPECT_EQ(explained(document).find("took longest"), std::string::npos);
}

TEST(ExplainStats, TakesStatisticsOfAnOlderVersion) {
  json document = shared(0.1, 0.3, 0.2, 0.2);
  document["partition"].erase("mode");
  document["kernels"][0].erase("devices");
  document["kernels"][0].erase("first_split");
  for (json& moved : document["transfers"]) moved.erase("seconds_to");
  const std::string words = explained(document);
  expect_in(words, "big GPU ran 3 work-groups (75.0%)");
  EXPECT_EQ(words.find("bounded"), std::string::npos);
  document = shared(0.1, 0.3, 0.2, 0.2);
  document["kernels"][0]["devices"][0]["seconds"] = "long";
  EXPECT_FALSE(explain_stats(document));
}

TEST(ExplainStats, TellsWhatRanOnAnotherCpuDriver) {
  icd::Observer observer(icd::test::counting());
  observer.devices({{"cpu", "cpu", "cpu-driver"}});
  auto words = explain_stats(json::parse(observer.stats_json()));
  ASSERT_TRUE(words) << words.error().reason;
  expect_in(*words, "The CPU driver ran all of its work-groups itself.");
  observer.other_driver({"vadd", "reads an image"});
  words = explain_stats(json::parse(observer.stats_json()));
  ASSERT_TRUE(words) << words.error().reason;
  expect_in(*words, "left 1 launch to another one");
  expect_in(*words, "kernel vadd, 1 launch: reads an image.");
}

TEST(ExplainStats, TellsOfTraps) {
  json document = example();
  EXPECT_EQ(explained(document).find("trapped"), std::string::npos);
  document["traps"] = json::parse(R"({"count":3,"never_ran":1,"first":[
      {"kernel":"sum","line":7,"file":"sum.h","kind":"out_of_bounds","item":[4,0,1]},
      {"kernel":"sum","line":null,"kind":"terminated","item":[5,0,0]}]})");
  const std::string words = explained(document);
  expect_in(words, "Kernels trapped 3 times, and 1 work-group never ran because of it:");
  expect_in(words, "kernel sum, line 7 of sum.h: out_of_bounds, work-item (4, 0, 1).");
  expect_in(words, "kernel sum, an unknown line: terminated, work-item (5, 0, 0).");
}

TEST(ExplainStats, TellsWhereResultsDiffer) {
  const auto words = explain_stats(example());
  ASSERT_TRUE(words) << words.error().reason;
  expect_in(*words, "kernel vadd, argument 2, on " + example()["devices"][1]["name"].get<std::string>() +
                        ": 3 bytes differ, the first at offset 40 (the split launch gave 01, a whole run 02).");
}

TEST(ExplainStats, HasASentenceForEveryReasonAndRung) {
  for (std::uint8_t i = 0; i < domain::kNotSplitCount; ++i) {
    const auto reason = static_cast<domain::NotSplit>(i);
    json document = example();
    document["kernels"][0]["not_split"] = {{std::string(domain::name(reason)), 7u}};
    const auto words = explain_stats(document);
    ASSERT_TRUE(words) << words.error().reason;
    expect_in(*words, "7 launches stayed whole (" + std::string(domain::name(reason)) + "): " + sentence_for(reason));
    EXPECT_EQ(words->find("unknown to this skmd-info"), std::string::npos);
  }
  json document = example();
  document["kernels"][0]["merge"] = {{"disjoint", 1u}, {"kernel", 2u}, {"diff", 3u}, {"reduce", 4u}};
  const auto words = explain_stats(document);
  ASSERT_TRUE(words) << words.error().reason;
  expect_in(*words, "1 buffer (disjoint)");
  expect_in(*words, "2 buffers (kernel)");
  expect_in(*words, "3 buffers (diff)");
  expect_in(*words, "4 buffers (reduce)");
}

TEST(ExplainStats, TakesAReasonOfALaterVersion) {
  json document = example();
  document["kernels"][0]["not_split"] = {{"moon_phase", 1u}};
  const auto words = explain_stats(document);
  ASSERT_TRUE(words) << words.error().reason;
  expect_in(*words, "(moon_phase): This reason is unknown");
}

TEST(ExplainStats, RefusesWhatIsNoneAndNamesWhatIsMissing) {
  EXPECT_FALSE(explain_stats(json::array()));
  EXPECT_FALSE(explain_stats(json{{"version", 2}}));
  for (const char* key : {"version", "devices", "kernels", "transfers", "partition", "verify"}) {
    json document = example();
    document.erase(key);
    const auto words = explain_stats(document);
    ASSERT_FALSE(words) << key;
    expect_in(words.error().reason, std::string("\"") + key + "\"");
    document[key] = "text";
    EXPECT_FALSE(explain_stats(document)) << key;
  }
  for (const char* key : {"name", "program", "launches", "split_launches", "groups", "merge", "not_split", "seconds"}) {
    json document = example();
    document["kernels"][0][key] = nullptr;
    EXPECT_FALSE(explain_stats(document)) << key;
  }
}

}  // namespace
}  // namespace skmd::profiler

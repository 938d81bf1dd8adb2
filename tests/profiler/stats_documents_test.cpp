// SPDX-License-Identifier: Apache-2.0
#include "profiler/stats_documents.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/observe/support.h"

namespace skmd::profiler {
namespace {

using icd::Observer;
using icd::ObserverOptions;
using icd::test::split_launch;
using icd::test::TemporaryFolder;
using json = nlohmann::ordered_json;

/// What a process with these launches would have left, made by the library's own code.
json document_of(const std::vector<icd::LaunchReport>& launches, std::uint64_t partition_nanoseconds = 1000) {
  Observer observer(icd::test::counting());
  observer.devices(icd::test::two_devices());
  for (const auto& launch : launches) observer.launch(launch);
  observer.transfer({1, 5, 0, 1'000'000'000, 1'500'000'000, ""});
  observer.transfer({1, 0, 2, 1'000'000'000, 1'250'000'000, ""});
  observer.partition(partition_nanoseconds);
  return json::parse(observer.stats_json());
}

TEST(StatsDocuments, ReadsWhatTheLibraryShares) {
  const TemporaryFolder folder;
  ObserverOptions options;
  options.shared_folder = folder.path();
  Observer observer(options);
  observer.devices(icd::test::two_devices());
  for (int i = 0; i < 3; ++i) observer.launch(split_launch(i == 0 ? "a" : "b"));
  const auto found = read_folder(folder.path());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].process, getpid());
  EXPECT_EQ(found[0].document, json::parse(observer.stats_json()));
}

TEST(StatsDocuments, StopsOfSeveralProcessesAddUp) {
  icd::LaunchReport cut = split_launch("k"), both = split_launch("k"), brief = split_launch("k");
  cut.preempt = {.form = icd::PreemptForm::cut, .never_ran_groups = 4, .stop_ns = {2'000'000}, .moved_groups = {0, 3}};
  both.preempt = {.form = icd::PreemptForm::item,
                  .never_ran_groups = 5,
                  .saved_groups = 6,
                  .resumed_items = 24,
                  .resumed_together = 2,
                  .resumed_apart = 4,
                  .rebalances = 1,
                  .rebalanced_groups = 9,
                  .state_bytes = 80,
                  .points = 2,
                  .stop_ns = {1'000'000, 1'000'000, 1'000'000},
                  .moved_groups = {7, 0},
                  .moved_inside = {0, 5}};
  brief.preempt.why_not = icd::NotPreempted::brief;
  const json one = document_of({brief, brief});
  EXPECT_EQ(one["kernels"][0]["preempt"],
            json::parse(R"({"form":"none","why_not":{"short":2},"points":0,"state_bytes":0,"stops":0,"saved_groups":0,
                            "never_ran_groups":0,"resumed_items":0,"resumed_groups":{"together":0,"apart":0},"rebalances":0,
                            "rebalanced_groups":0,"moved_groups":[0,0],"moved_inside":[0,0],
                            "stop_us":{"p50":0,"p99":0,"max":0}})"));
  const json sum = add_up({{1, one}, {2, document_of({cut})}, {3, document_of({both})}});
  const json& preempt = sum["kernels"][0]["preempt"];
  EXPECT_EQ(preempt["form"], "item");
  EXPECT_EQ(preempt["points"], 2u);
  EXPECT_EQ(preempt["state_bytes"], 80u);
  EXPECT_EQ(preempt["saved_groups"], 6u);
  EXPECT_EQ(preempt["resumed_items"], 24u);
  EXPECT_EQ(preempt["resumed_groups"], json::parse(R"({"together":2,"apart":4})"));
  EXPECT_EQ(preempt["rebalances"], 1u);
  EXPECT_EQ(preempt["rebalanced_groups"], 9u);
  EXPECT_EQ(preempt["why_not"], json::parse(R"({"short":2})"));
  EXPECT_EQ(preempt["stops"], 4u);
  EXPECT_EQ(preempt["never_ran_groups"], 9u);
  EXPECT_EQ(preempt["moved_groups"], json::parse("[7,3]"));
  EXPECT_EQ(preempt["moved_inside"], json::parse("[0,5]"));
  EXPECT_EQ(preempt["stop_us"]["max"], 2000.0);
  EXPECT_GE(preempt["stop_us"]["p50"], 1000.0);
  EXPECT_LE(preempt["stop_us"]["p50"], 1300.0);
}

TEST(StatsDocuments, AHostThatOneProcessLostIsLostAndALaterMeasurementCounts) {
  const auto document = [](std::optional<double> gbps, bool lost) {
    Observer observer(icd::test::counting());
    observer.hosts({{.address = "b:1"}, {.address = "c:1", .to_gbps = gbps, .lost = lost}});
    observer.devices(icd::test::two_devices());
    return json::parse(observer.stats_json());
  };
  const json sum = add_up({{1, document(1.0, false)}, {2, document(2.0, true)}, {3, document(std::nullopt, false)}});
  ASSERT_EQ(sum["hosts"].size(), 2u);
  EXPECT_EQ(sum["hosts"][0]["lost"], false);
  EXPECT_EQ(sum["hosts"][1]["lost"], true);
  EXPECT_EQ(sum["hosts"][1]["to_gbps"], 2.0);
  EXPECT_TRUE(sum["hosts"][0]["to_gbps"].is_null());
}

TEST(StatsDocuments, RefusesFilesThatAreNone) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("1.pieces")) << "short";
  std::ofstream(folder.file("2.pieces")) << std::string(200, 'x');
  std::string lying("SKMDPIEC", 8);
  lying += std::string("\x01\0\0\0\x50\0\0\0", 8) + std::string(48, '\0') + std::string(16, '\xFF');
  std::ofstream(folder.file("3.pieces")) << lying;
  EXPECT_TRUE(read_folder(folder.path()).empty());
  EXPECT_TRUE(read_folder("/nonexistent").empty());
}

TEST(StatsDocuments, AddsUpKernelsOfSeveralProcesses) {
  const auto whole = icd::test::whole_launch("a", domain::NotSplit::printf);
  const json sum = add_up({{1, document_of({split_launch("a"), whole}, 1000)},
                           {2, document_of({split_launch("b"), split_launch("a"), whole}, 3000)}});
  ASSERT_EQ(sum["kernels"].size(), 2u);
  const json& a = sum["kernels"][0];
  EXPECT_EQ(a["launches"], 4);
  EXPECT_EQ(a["split_launches"], 2);
  EXPECT_EQ(a["first_split"], 1);
  EXPECT_EQ(a["groups"], (json{60, 340}));
  EXPECT_EQ(a["merge"]["diff"], 2);
  EXPECT_EQ(a["not_split"], (json{{"printf", 2}}));
  EXPECT_DOUBLE_EQ(a["seconds"], 1.0);
  EXPECT_EQ(sum["kernels"][1]["name"], "b");
  EXPECT_EQ(sum["transfers"][1],
            (json{{"device", 1}, {"bytes_to", 10}, {"bytes_from", 4}, {"seconds_to", 1.0}, {"seconds_from", 0.5}}));
  EXPECT_EQ(sum["partition"]["mode"], "auto");
  EXPECT_EQ(a["devices"][1]["groups"], 340);
  EXPECT_EQ(sum["partition"]["count"], 2);
  EXPECT_EQ(sum["partition"]["cached"], 1 + 2);
  EXPECT_DOUBLE_EQ(sum["partition"]["max_us"], 3.0);
  EXPECT_EQ(sum["version"], 1);
}

TEST(StatsDocuments, AddsUpLaunchesOnAnotherCpuDriver) {
  json one = document_of({split_launch("a")});
  json two = one;
  one["other_cpu_driver"] = json::parse(R"({"launches":3,"kernels":[{"name":"a","reason":"r","launches":3}]})");
  two["other_cpu_driver"] = json::parse(
      R"({"launches":6,"kernels":[{"name":"a","reason":"r","launches":2},{"name":"a","reason":"s","launches":4}]})");
  const json sum = add_up({{1, one}, {2, two}})["other_cpu_driver"];
  EXPECT_EQ(sum["launches"], 9);
  ASSERT_EQ(sum["kernels"].size(), 2u);
  EXPECT_EQ(sum["kernels"][0]["launches"], 5);
  EXPECT_EQ(sum["kernels"][1]["reason"], "s");
}

TEST(StatsDocuments, AddsUpTraps) {
  json one = document_of({split_launch("a")});
  json two = one;
  one["traps"] = json::parse(R"({"count":3,"never_ran":10,"first":[{"kernel":"a"}]})");
  two["traps"] = json::parse(R"({"count":5,"never_ran":1,"first":[]})");
  for (int i = 0; i < 16; ++i) two["traps"]["first"].push_back({{"kernel", "b"}});
  const json sum = add_up({{1, one}, {2, two}})["traps"];
  EXPECT_EQ(sum["count"], 8);
  EXPECT_EQ(sum["never_ran"], 11);
  EXPECT_EQ(sum["first"].size(), 16u);
  EXPECT_EQ(sum["first"][0]["kernel"], "a");
  two.erase("traps");  // of an older version
  EXPECT_EQ(add_up({{1, one}, {2, two}})["traps"]["count"], 3);
}

TEST(StatsDocuments, AddsUpWhatDevicesDropped) {
  json one = document_of({split_launch("a")});
  json two = one;
  one["memory"] =
      json::parse(R"([{"device":0,"dropped":1,"bytes_moved_out":2},{"device":1,"dropped":0,"bytes_moved_out":0}])");
  two["memory"] =
      json::parse(R"([{"device":0,"dropped":3,"bytes_moved_out":4},{"device":1,"dropped":5,"bytes_moved_out":6}])");
  const json sum = add_up({{1, one}, {2, two}})["memory"];
  EXPECT_EQ(sum[0], (json{{"device", 0}, {"dropped", 4}, {"bytes_moved_out", 6}}));
  EXPECT_EQ(sum[1], (json{{"device", 1}, {"dropped", 5}, {"bytes_moved_out", 6}}));
  two.erase("memory");  // of an older version
  EXPECT_EQ(add_up({{1, one}, {2, two}})["memory"][0]["dropped"], 1);
}

TEST(StatsDocuments, AddsUpBuilds) {
  json one = document_of({split_launch("a")});
  json two = one;
  one["builds"] = json::parse(
      R"({"devices":[{"device":0,"built":2,"seconds":0.5}],"failures":[{"program":"p","device":0,"reason":"r"}]})");
  two["builds"] = json::parse(
      R"({"devices":[{"device":0,"built":3,"seconds":0.25}],"failures":[{"program":"q","device":0,"reason":"s"}]})");
  const json sum = add_up({{1, one}, {2, two}})["builds"];
  EXPECT_EQ(sum["devices"][0], (json{{"device", 0}, {"built", 5}, {"seconds", 0.75}}));
  ASSERT_EQ(sum["failures"].size(), 2u);
  EXPECT_EQ(sum["failures"][1]["program"], "q");
}

TEST(StatsDocuments, AddsUpProfilesAndModels) {
  json one = document_of({split_launch("a")}), two = document_of({split_launch("a"), split_launch("a")}), three = two;
  one["profile"] = json::parse(R"({"file":null,"loaded":1,"written":2,"problem":null})");
  two["profile"] = json::parse(R"({"file":"f","loaded":3,"written":4,"problem":"full"})");
  one["kernels"][0]["model"] = json::parse(R"({"source":"none","error":null})");
  two["kernels"][0]["model"] = json::parse(R"({"source":"process","error":0.4})");
  three["kernels"][0]["model"]["error"] = 0.1;
  EXPECT_EQ(add_up({{1, one}, {2, two}})["profile"],
            json::parse(R"({"file":"f","loaded":4,"written":6,"problem":"full"})"));
  EXPECT_EQ(add_up({{1, one}, {2, two}})["kernels"][0]["model"], json::parse(R"({"source":"process","error":0.4})"));
  const json sum = add_up({{2, two}, {3, three}})["kernels"][0];
  EXPECT_DOUBLE_EQ(sum["model"]["error"], 0.25);
  EXPECT_EQ(sum["launches"], 4);
  one["kernels"][0].erase("model");  // of an older SKMD
  one.erase("profile");
  EXPECT_EQ(add_up({{1, one}, {2, two}})["kernels"][0]["launches"], 3);
}

TEST(StatsDocuments, LeavesOutDocumentsWithOtherDevices) {
  json other = document_of({split_launch("a")});
  other["devices"][0]["name"] = "something else";
  EXPECT_EQ(add_up({{1, document_of({split_launch("a")})}, {2, other}})["kernels"][0]["launches"], 1);
}

}  // namespace
}  // namespace skmd::profiler

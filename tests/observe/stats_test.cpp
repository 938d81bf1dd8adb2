// SPDX-License-Identifier: Apache-2.0
#include "intercept/observe/stats.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/observe/support.h"

namespace skmd::icd {
namespace {

using nlohmann::json;
using test::split_launch;
using test::whole_launch;

std::set<std::string> keys(const json& object) {
  std::set<std::string> found;
  for (const auto& item : object.items()) found.insert(item.key());
  return found;
}

Stats example() {
  Stats stats;
  stats.set_devices(test::two_devices());
  stats.add_launch(split_launch("vadd"));
  stats.add_launch(split_launch("vadd"));
  stats.add_launch(whole_launch("vadd", domain::NotSplit::one_group));
  stats.add_launch(whole_launch("hist", domain::NotSplit::atomic_result_used));
  return stats;
}

TEST(Stats, HasExactlyTheKeysOfTheSchema) {
  const json document = json::parse(example().document());
  EXPECT_EQ(keys(document), (std::set<std::string>{"version", "devices", "kernels", "transfers", "memory", "partition",
                                                   "builds", "profile", "traps", "checkpoints", "verify"}));
  EXPECT_EQ(document["version"], 1);
  EXPECT_EQ(keys(document["devices"][0]), (std::set<std::string>{"name", "kind", "backend"}));
  EXPECT_EQ(keys(document["kernels"][0]),
            (std::set<std::string>{"name", "program", "access", "launches", "split_launches", "first_split", "groups",
                                   "devices", "merge", "not_split", "builds", "seconds", "predicted_seconds", "model",
                                   "preempt"}));
  EXPECT_EQ(keys(document["kernels"][0]["devices"][0]),
            (std::set<std::string>{"groups", "seconds", "predicted_seconds", "compared_seconds", "upload_bytes",
                                   "upload_seconds"}));
  EXPECT_EQ(keys(document["kernels"][0]["model"]), (std::set<std::string>{"source", "error"}));
  EXPECT_EQ(keys(document["profile"]), (std::set<std::string>{"file", "loaded", "written", "problem"}));
  EXPECT_EQ(keys(document["builds"]), (std::set<std::string>{"devices", "failures"}));
  EXPECT_EQ(keys(document["builds"]["devices"][0]),
            (std::set<std::string>{"device", "built", "failed", "failed_late", "dropped", "unneeded", "seconds"}));
  EXPECT_EQ(keys(document["kernels"][0]["merge"]), (std::set<std::string>{"disjoint", "kernel", "diff", "reduce"}));
  EXPECT_EQ(keys(document["transfers"][0]),
            (std::set<std::string>{"device", "bytes_to", "bytes_from", "seconds_to", "seconds_from"}));
  EXPECT_EQ(keys(document["memory"][0]), (std::set<std::string>{"device", "dropped", "bytes_moved_out"}));
  EXPECT_EQ(keys(document["partition"]),
            (std::set<std::string>{"mode", "count", "p50_us", "p99_us", "max_us", "cached"}));
  EXPECT_EQ(keys(document["verify"]), (std::set<std::string>{"launches", "mismatches"}));
}

TEST(Stats, TellsWhatEachDevicesBuildCameTo) {
  Stats stats = example();
  EXPECT_EQ(json::parse(stats.document())["kernels"][0]["builds"], (json{"waiting", "waiting"}));
  const std::size_t kernel_bound = stats.kernel_bound(0);
  const std::size_t tail_bound = stats.tail_bound();
  EXPECT_EQ(stats.add_build({"p1", 0, BuildState::built, "", 0.5, false}), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(json::parse(stats.document())["kernels"][0]["builds"], (json{"built", "waiting"}));
  for (int i = 0; i < 20; ++i)
    (void)stats.add_build({"p1", 1, BuildState::failed, "line 1\n" + std::string(500, '"'), 0.25, i % 2 == 0});
  (void)stats.add_build({"p2", 1, BuildState::dropped, "", 0.0, true});
  (void)stats.add_build({"p3", 1, BuildState::unneeded, "", 0.0, true});
  (void)stats.add_build({"p3", 7, BuildState::built, "", 0.0, true});
  const json document = json::parse(stats.document());
  EXPECT_EQ(document["kernels"][0]["builds"], (json{"built", "failed"}));
  const json& builds = document["builds"];
  EXPECT_EQ(builds["devices"][0]["built"], 1);
  EXPECT_DOUBLE_EQ(builds["devices"][0]["seconds"], 0.5);
  EXPECT_EQ(builds["devices"][1]["failed"], 20);
  EXPECT_EQ(builds["devices"][1]["failed_late"], 10);
  EXPECT_EQ(builds["devices"][1]["dropped"], 1);
  EXPECT_EQ(builds["devices"][1]["unneeded"], 1);
  ASSERT_EQ(builds["failures"].size(), 16u);
  EXPECT_EQ(builds["failures"][0]["program"], "p1");
  EXPECT_EQ(builds["failures"][0]["device"], 1);
  EXPECT_EQ(builds["failures"][0]["late"], true);
  EXPECT_EQ(builds["failures"][1]["late"], false);
  EXPECT_LE(stats.kernel(0).size(), kernel_bound);
  EXPECT_LE(stats.tail().size(), tail_bound);
}

TEST(Stats, AddsUpLaunchesOfOneKernel) {
  const json kernel = json::parse(example().document())["kernels"][0];
  EXPECT_EQ(kernel["name"], "vadd");
  EXPECT_EQ(kernel["program"], "p1");
  EXPECT_EQ(kernel["access"], "contiguous");
  EXPECT_EQ(kernel["launches"], 3);
  EXPECT_EQ(kernel["split_launches"], 2);
  EXPECT_EQ(kernel["first_split"], 1);
  EXPECT_EQ(kernel["groups"], (json{60, 240}));
  EXPECT_EQ(kernel["merge"], (json{{"disjoint", 2}, {"kernel", 0}, {"diff", 2}, {"reduce", 0}}));
  EXPECT_EQ(kernel["not_split"], (json{{"one_group", 1}}));
  EXPECT_DOUBLE_EQ(kernel["seconds"], 0.75);
  EXPECT_DOUBLE_EQ(kernel["predicted_seconds"], 1.5);
}

TEST(Stats, TellsWhatEachDeviceTookAndWhatWasExpected) {
  Stats stats;
  stats.set_devices(test::two_devices());
  LaunchReport report = split_launch("k");
  ASSERT_EQ(report.slices.size(), 2u);
  report.slices[0].run_ns = 2'000'000'000;
  report.slices[0].predicted_seconds = 1.5;
  report.slices[1].run_ns = 250'000'000;
  report.slices[1].upload_bytes = 1000;
  report.slices[1].upload_ns = 500'000'000;
  const std::size_t bound = (stats.add_launch(report), stats.kernel_bound(0));
  report.slices[1].predicted_seconds = 0.125;
  stats.add_launch(report);
  report.slices[0].run_ns = 0;  // is compared with nothing, then
  report.slices[1].run_ns = report.slices[1].upload_bytes = report.slices[1].upload_ns = 0;
  stats.add_launch(report);
  const json devices = json::parse(stats.document())["kernels"][0]["devices"];
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0]["groups"], json::parse(stats.document())["kernels"][0]["groups"][0]);
  EXPECT_DOUBLE_EQ(devices[0]["seconds"], 4.0);
  EXPECT_DOUBLE_EQ(devices[0]["predicted_seconds"], 3.0);
  EXPECT_DOUBLE_EQ(devices[1]["seconds"], 0.5);
  EXPECT_DOUBLE_EQ(devices[0]["compared_seconds"], 4.0);
  EXPECT_DOUBLE_EQ(devices[1]["predicted_seconds"], 0.125);
  EXPECT_DOUBLE_EQ(devices[1]["compared_seconds"], 0.25);
  EXPECT_EQ(devices[0]["upload_bytes"], 0);
  EXPECT_EQ(devices[1]["upload_bytes"], 2000);
  EXPECT_DOUBLE_EQ(devices[1]["upload_seconds"], 1.0);
  EXPECT_LE(stats.kernel(0).size(), bound);
}

TEST(Stats, CountsLaunchesThatNeededNoNewPlan) {
  Stats stats = example();  // of four launches
  EXPECT_EQ(json::parse(stats.document())["partition"]["cached"], 4);
  for (int i = 0; i < 3; ++i) stats.add_partition(1000);
  EXPECT_EQ(json::parse(stats.document())["partition"]["cached"], 1);
  for (int i = 0; i < 3; ++i) stats.add_partition(1000);
  EXPECT_EQ(json::parse(stats.document())["partition"]["cached"], 0) << "a launch may be planned more than once";
}

TEST(Stats, TellsWhatPredictionsCameFromAndHowFarOffTheyWere) {
  Stats stats;
  LaunchReport report = split_launch("k");
  report.predicted_seconds = 0.0;
  report.predicted_by = ModelSource::none;
  stats.add_launch(report);
  const auto model = [&] { return json::parse(stats.document())["kernels"][0]["model"]; };
  EXPECT_EQ(model(), (json{{"source", "none"}, {"error", nullptr}}));
  report.seconds = 0.25;
  report.predicted_seconds = 0.20;
  report.predicted_by = ModelSource::process;
  stats.add_launch(report);
  EXPECT_EQ(model()["source"], "process");
  EXPECT_NEAR(model()["error"], 0.2, 1e-9);
  report.predicted_seconds = 0.25;
  for (int i = 0; i < 100; ++i) stats.add_launch(report);
  EXPECT_LT(model()["error"], 0.01);  // late launches weigh more
  report.seconds = 0.0;
  stats.add_launch(report);
  EXPECT_LT(model()["error"], 0.01);
  report.seconds = 0.25;
  report.predicted_by = ModelSource::shipped;
  stats.add_launch(report);
  EXPECT_EQ(model()["source"], "shipped");
}

TEST(Stats, TellsWhatTheProfileDatabaseGot) {
  Stats stats;
  const auto profile = [&] { return json::parse(stats.document())["profile"]; };
  EXPECT_EQ(profile(), (json{{"file", nullptr}, {"loaded", 0}, {"written", 0}, {"problem", nullptr}}));
  stats.set_profile_file("/a \"b\"");
  stats.set_profile_loaded(3, "");
  EXPECT_EQ(profile(), (json{{"file", "/a \"b\""}, {"loaded", 3}, {"written", 0}, {"problem", nullptr}}));
  const std::size_t bound = stats.tail_bound();
  stats.set_profile_loaded(~0ull, "cannot be read");
  EXPECT_EQ(profile()["problem"], "cannot be read");
  stats.set_profile_written(~0ull, std::string(1000, '\1'));
  EXPECT_EQ(profile()["loaded"], ~0ull);
  EXPECT_EQ(profile()["written"], ~0ull);
  EXPECT_EQ(profile()["problem"].get<std::string>().size(), 128u);
  EXPECT_LE(stats.tail().size(), bound);
}

TEST(Stats, TellsKernelsApartByNameAndProgram) {
  Stats stats;
  LaunchReport report = split_launch("k");
  stats.add_launch(report);
  report.program = "p2";
  EXPECT_EQ(stats.add_launch(report), 1u);
  report.kernel = "kp";
  report.program = "2";
  EXPECT_EQ(stats.add_launch(report), 2u);
  EXPECT_EQ(json::parse(stats.document())["kernels"].size(), 3u);
}

TEST(Stats, AnswersZerosBeforeAnythingHappened) {
  const json document = json::parse(Stats().document());
  EXPECT_EQ(document["kernels"], json::array());
  EXPECT_EQ(document["partition"]["count"], 0);
  EXPECT_EQ(document["verify"]["launches"], 0);
}

TEST(Stats, SumsTransfersPerDevice) {
  Stats stats;
  stats.set_devices(test::two_devices());
  stats.add_transfer({1, 100, 0, 0, 0, ""});
  stats.add_transfer({1, 20, 7, 0, 0, ""});
  stats.add_transfer({0, 0, 3, 0, 0, ""});
  stats.add_transfer({9, 5, 5, 0, 0, ""});
  const json moved = json::parse(stats.document())["transfers"];
  EXPECT_EQ(moved[0]["bytes_to"], 0);
  EXPECT_EQ(moved[0]["bytes_from"], 3);
  EXPECT_EQ(moved[1]["device"], 1);
  EXPECT_EQ(moved[1]["bytes_to"], 120);
  EXPECT_EQ(moved[1]["bytes_from"], 7);
}

TEST(Stats, TimesTransfersInBothDirections) {
  Stats stats;
  stats.set_devices(test::two_devices());
  const std::size_t bound = stats.tail_bound();
  stats.add_transfer({1, 100, 0, 1'000'000'000, 1'500'000'000, ""});
  stats.add_transfer({1, 100, 0, 2'000'000'000, 2'250'000'000, ""});
  stats.add_transfer({1, 0, 3, 7, 125'000'007, ""});
  stats.add_transfer({1, 9, 0, 0, 0, ""});  // was not timed
  const json moved = json::parse(stats.document())["transfers"];
  EXPECT_DOUBLE_EQ(moved[0]["seconds_to"], 0.0);
  EXPECT_DOUBLE_EQ(moved[1]["seconds_to"], 0.75);
  EXPECT_DOUBLE_EQ(moved[1]["seconds_from"], 0.125);
  EXPECT_LE(stats.tail().size(), bound);
}

TEST(Stats, NamesTheModeThatDivides) {
  Stats stats;
  EXPECT_EQ(json::parse(stats.document())["partition"]["mode"], "auto");
  stats.set_mode(domain::PartitionMode::dynamic);
  EXPECT_EQ(json::parse(stats.document())["partition"]["mode"], "dynamic");
}

TEST(Stats, SumsWhatWasDroppedPerDevice) {
  Stats stats;
  stats.set_devices(test::two_devices());
  const std::size_t bound = stats.tail_bound();
  stats.add_drop({1, 100});
  stats.add_drop({1, std::uint64_t{1} << 60});
  stats.add_drop({9, 5});
  EXPECT_EQ(json::parse(stats.document())["memory"],
            (json{{{"device", 0}, {"dropped", 0}, {"bytes_moved_out", 0}},
                  {{"device", 1}, {"dropped", 2}, {"bytes_moved_out", (std::uint64_t{1} << 60) + 100}}}));
  EXPECT_LE(stats.tail().size(), bound);
}

TEST(Stats, CountsReportsOfOneLaunchOnce) {
  Stats stats;
  VerifyReport report;
  report.launch = 5;
  stats.add_verify(report);
  report.mismatching_bytes = 4;
  stats.add_verify(report);
  report.launch = 6;
  stats.add_verify(report);
  report.launch = 5;
  stats.add_verify(report);
  const json verify = json::parse(stats.document())["verify"];
  EXPECT_EQ(verify["launches"], 2);
  EXPECT_EQ(verify["mismatches"], 3);
}

TEST(Stats, KeepsTheFirstMismatchesWithinTheirBound) {
  Stats stats = example();
  const std::size_t bound = stats.tail_bound();
  VerifyReport report;
  report.kernel = "vadd";
  report.device = 1;
  report.argument = 2;
  report.mismatching_bytes = 3;
  report.first_offset = 40;
  report.detail = "split gave 01, the whole run 02";
  stats.add_verify(report);
  EXPECT_EQ(json::parse(stats.document())["verify"]["first"],
            json::parse(R"([{"kernel":"vadd","device":1,"argument":2,"bytes":3,"offset":40,
                             "detail":"split gave 01, the whole run 02"}])"));
  report.kernel = std::string(1000, '\x01');
  report.detail = std::string(1000, '\xFF');
  report.mismatching_bytes = report.first_offset = ~0ull;
  for (int i = 0; i < 100; ++i) stats.add_verify(report);
  EXPECT_EQ(json::parse(stats.document())["verify"]["first"].size(), 8u);
  EXPECT_LE(stats.tail().size(), bound);
}

TEST(Stats, CountsLaunchesOnAnotherCpuDriver) {
  Stats stats;
  stats.set_devices({{"cpu", "cpu", "cpu-driver"}});
  EXPECT_EQ(json::parse(stats.document())["other_cpu_driver"], (json{{"launches", 0}, {"kernels", json::array()}}));
  stats.add_other_driver({"a", "reads an image"});
  stats.add_other_driver({"b", "reads an image"});
  stats.add_other_driver({"a", "reads an image"});
  const json other = json::parse(stats.document())["other_cpu_driver"];
  EXPECT_EQ(other["launches"], 3);
  ASSERT_EQ(other["kernels"].size(), 2u);
  EXPECT_EQ(other["kernels"][0], (json{{"name", "a"}, {"reason", "reads an image"}, {"launches", 2}}));
  EXPECT_EQ(other["kernels"][1]["launches"], 1);
  const std::size_t bound = stats.tail_bound();
  for (int i = 0; i < 100; ++i)
    stats.add_other_driver({std::to_string(i) + std::string(300, '"'), std::string(300, '\1')});
  EXPECT_LE(stats.tail().size(), bound);
  EXPECT_EQ(json::parse(stats.document())["other_cpu_driver"]["launches"], 103);
}

TEST(Stats, TellsOfOtherHostsWhereThereAreSome) {
  Stats stats;
  stats.set_devices({{"near", "cpu", "cpu-driver"}});
  EXPECT_FALSE(json::parse(stats.document()).contains("hosts"));
  EXPECT_FALSE(json::parse(stats.document())["devices"][0].contains("host"));
  stats.set_hosts({{.address = "b:1"}, {.address = "c:1", .lost = true}});
  stats.set_devices({{"near", "cpu", "cpu-driver"}, {"far", "cpu", "remote", "b:1"}});
  EXPECT_EQ(json::parse(stats.document())["devices"][1],
            (json{{"name", "far"}, {"kind", "cpu"}, {"backend", "remote"}, {"host", "b:1"}}));
  EXPECT_EQ(json::parse(stats.document())["hosts"], json::parse(R"([
      {"host":"b:1","round_trip_us":null,"to_gbps":null,"from_gbps":null,"lost":false},
      {"host":"c:1","round_trip_us":null,"to_gbps":null,"from_gbps":null,"lost":true}])"));
  const std::size_t bound = stats.tail_bound();
  const ObservedHost slow{"b:1", 1e-300 / 3.0, -7e300 / 9.0, 1e-300 / 7.0};
  stats.set_hosts({slow, {"c:1", 1e-300 / 3.0, -7e300 / 9.0, 1e-300 / 7.0, true}});
  EXPECT_LE(stats.tail().size(), bound);
  EXPECT_EQ(json::parse(stats.document())["hosts"][0]["from_gbps"], 1.42857143e-301);
}

TEST(Stats, NoPieceOutgrowsItsBound) {
  Stats stats = example();
  const std::size_t bound = stats.kernel_bound(0);
  const std::size_t tail_bound = stats.tail_bound();
  Stats fresh;
  LaunchReport first = split_launch("vadd");
  first.predicted_seconds = 0.0;  // no error yet
  fresh.set_devices(test::two_devices());
  fresh.add_launch(first);
  const std::size_t fresh_bound = fresh.kernel_bound(0);
  first.seconds = 1e-300 / 3.0;
  first.predicted_seconds = -first.seconds;
  fresh.add_launch(first);
  first.predicted_seconds = 7e300 / 9.0;
  fresh.add_launch(first);
  EXPECT_LE(fresh.kernel(0).size(), fresh_bound);
  LaunchReport report = split_launch("vadd");
  report.rungs = {domain::Rung::kernel, domain::Rung::reduce};
  report.slices[0].span = {0, 1ull << 62};
  report.slices[1].span = {0, 1ull << 62};
  report.seconds = -1.0 / 3.0 * 1e-300;
  for (int i = 0; i < 3; ++i) stats.add_launch(report);
  for (std::uint8_t i = 0; i < domain::kNotSplitCount; ++i) {
    stats.add_launch(whole_launch("vadd", static_cast<domain::NotSplit>(i)));
  }
  stats.add_transfer({0, 1ull << 63, 1ull << 63, 0, 0, ""});
  stats.add_transfer({1, 1ull << 63, 1ull << 63, 0, 0, ""});
  stats.add_partition(1234567890123456789ull);
  EXPECT_LE(stats.kernel(0).size(), bound);
  EXPECT_LE(stats.tail().size(), tail_bound);
}

TEST(TimeHistogram, MedianIsWithinFivePercent) {
  TimeHistogram times;
  for (std::uint64_t i = 1; i <= 1001; ++i) times.add(i * 1000);
  EXPECT_NEAR(times.percentile_us(0.5), 501.0, 501.0 * 0.05);
  EXPECT_DOUBLE_EQ(times.max_us(), 1001.0);
  EXPECT_EQ(times.count(), 1001u);
}

TEST(TimeHistogram, OneValueIsItsOwnMedianAtMost) {
  TimeHistogram times;
  times.add(0);
  EXPECT_LE(times.percentile_us(0.5), times.max_us());
  times.add(~0ull);
  EXPECT_GT(times.percentile_us(1.0), 0.0);
}

}  // namespace
}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// Devices that were known under another name: as names, in databases, and in the files that come with SKMD.
#include "profiler/database/former_names.h"

#include <algorithm>

#include "partitioner/model/calibration_curves.h"
#include "profiler/database/exchange.h"
#include "profiler/database/sample_text.h"
#include "profiler/database/shipped.h"
#include "profiler/database/stored_profile.h"
#include "tests/profiler/database/fixture.h"
#include "tests/profiler/database/samples.h"

namespace skmd::profiler {
namespace {

namespace fs = std::filesystem;
using domain::DeviceKey;
using Mode = ProfileDatabase::Mode;

TEST(FormerNames, OfTheCpuDriverLoseWhatPoclPutBeforeTheProcessors) {
  const std::vector<std::pair<std::string, std::string>> names{
      {"pthread-skylake-avx512-AMD EPYC", "AMD EPYC"},
      {"cpu-skylake-avx512-Intel(R) Xeon(R) Processor", "Intel(R) Xeon(R) Processor"},
      {"cpu-znver3-AMD Ryzen 9 5950X 16-Core Processor", "AMD Ryzen 9 5950X 16-Core Processor"},
      {"cpu-alderlake-13th Gen Intel(R) Core(TM) i7-13700K", "13th Gen Intel(R) Core(TM) i7-13700K"},
      {"cpu-x86-64-v3-Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", "Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz"},
      {"cpu-minimal-haswell-AMD EPYC (sse)", "AMD EPYC (sse)"},
      {"pthread-AMD EPYC 9654", "AMD EPYC 9654"},
      {"basic-atom_sse4_2-Intel(R) Atom(TM)", "Intel(R) Atom(TM)"},
      {"pthread-", "pthread-"}};
  for (const auto& [former, today] : names) {
    EXPECT_EQ(todays({"SKMD", former, "0.1.0", 4}), (DeviceKey{"SKMD", today, "0.1.0", 4}));
    EXPECT_EQ(todays({"SKMD", today, "0.1.0", 4}).name, today);
    EXPECT_EQ(todays({"Portable Computing Language", former, "3.1", 4}).name, former);
  }
}

class RenamedDevice : public test::DatabaseFile {
 protected:
  static constexpr const char* kName = "AMD EPYC";
  static domain::ProfileSample sample(std::uint64_t ns) {
    domain::ProfileSample one = test::sample(ns);
    one.device = {"SKMD", kName, "0.1.0", 2};
    return one;
  }
  static domain::DeviceCalibration calibration(double rate, std::int64_t date) {
    domain::DeviceCalibration one;
    one.device = sample(1).device;
    one.memory.beyond_per_second = rate;
    one.date = date;
    return one;
  }
  /// As an SKMD before wrote it, beside PoCL.
  void give_former_name() const {
    run("UPDATE devices SET name='pthread-znver4-AMD EPYC';"
        "UPDATE samples SET digest='of another line '||digest, "
        "line=replace(line, '\"device\":\"AMD EPYC\"', '\"device\":\"pthread-znver4-AMD EPYC\"');"
        "UPDATE device_calibrations SET digest='of another line '||digest, "
        "line=replace(line, '\"device\":\"AMD EPYC\"', '\"device\":\"pthread-znver4-AMD EPYC\"');"
        "INSERT OR REPLACE INTO shipped VALUES('SKMD', 'pthread-znver4-AMD EPYC', 'a state')");
  }
};

TEST_F(RenamedDevice, WhatIsKnownUnderBothNamesBecomesOne) {
  ASSERT_TRUE(open().add({{sample(1), sample(2), sample(3)}}));
  ASSERT_TRUE(open().add(Calibrations{{calibration(1e9, 5)}, {}}));
  give_former_name();
  // By an SKMD of today, before anything has written to the file.
  EXPECT_EQ(open(Mode::read_only).contents()->front().device.name, kName);
  StoredProfile reader({file_, true, {}, {}});
  EXPECT_EQ(reader.samples(sample(1).kernel, sample(1).device)->size(), 3u);
  EXPECT_EQ(reader.bounds(sample(1).device).bytes_per_second, domain::bounds_of(calibration(1e9, 5)).bytes_per_second);
  reader.rest();
  run("INSERT INTO devices(platform, name, driver, units) VALUES('SKMD', 'AMD EPYC', '0.1.0', 2)");
  auto database = open(Mode::existing);
  EXPECT_EQ(*database.add(std::vector{sample(1), sample(4)}), 1u) << "a sample that is there was taken for another";
  const auto contents = database.contents();
  ASSERT_EQ(contents->size(), 1u);
  EXPECT_EQ(contents->front().device, sample(1).device);
  EXPECT_EQ(contents->front().samples, 4u);
  EXPECT_EQ(contents->front().seen, 4u);
  EXPECT_EQ(database.calibrations()->devices, std::vector{calibration(1e9, 5)});
  EXPECT_EQ(*database.check(), std::vector<std::string>());
}

TEST_F(RenamedDevice, OfTwoCalibrationsTheNewerStays) {
  ASSERT_TRUE(open().add(Calibrations{{calibration(1e9, 5)}, {}}));
  give_former_name();
  run("INSERT INTO devices(platform, name, driver, units) VALUES('SKMD', 'AMD EPYC', '0.1.0', 2);"
      "INSERT INTO device_calibrations SELECT (SELECT id FROM devices WHERE name='AMD EPYC'), 9, origin, 'a digest', "
      "replace(replace(line, 'pthread-znver4-', ''), '\"date\":5', '\"date\":9') FROM device_calibrations");
  EXPECT_EQ(open(Mode::existing).calibrations()->devices, std::vector{calibration(1e9, 9)});
}

TEST_F(RenamedDevice, AMergeKnowsItsCounts) {
  ASSERT_TRUE(open().add({{sample(1), sample(2)}}));
  give_former_name();
  auto into = ProfileDatabase::open(folder_ / "into.db", Mode::create);
  ASSERT_TRUE(into);
  ASSERT_TRUE(into->merge(*open(Mode::read_only).contribution()));
  EXPECT_EQ(into->contents()->front().device.name, kName);
  EXPECT_EQ(into->contents()->front().seen, 2u);
}

// It was recorded beside PoCL 5, whose name for the processor stood in it at first.
TEST_F(RenamedDevice, TheShippedFileIsForTheProcessorWithAnyPoclAndWithout) {
  const DeviceKey here{"SKMD", "Intel(R) Xeon(R) Processor", "another version", 8};
  const fs::path name = "cpu-x86-64-v4-vbmi.jsonl", former = folder_ / "former";
  const auto file = read_exchange(fs::path(SHIPPED_PROFILES) / name);
  ASSERT_TRUE(file) << file.error().reason;
  fs::create_directory(former);
  {
    std::ifstream in(fs::path(SHIPPED_PROFILES) / name);
    std::ofstream out(former / name);
    const std::string now = "\"device\":\"Intel(R)", before = "\"device\":\"cpu-skylake-avx512-Intel(R)";
    for (std::string line; std::getline(in, line); out << line << '\n')
      if (const auto at = line.find(now); at != std::string::npos) line.replace(at, now.size(), before);
  }
  for (const fs::path& folder : {fs::path(SHIPPED_PROFILES), former})
    for (const bool read_only : {false, true}) {
      StoredProfile profile({file_, read_only, folder, {here}});
      ASSERT_TRUE(profile.tend());
      const auto found = profile.samples(file->samples.front().kernel, here);
      ASSERT_TRUE(found) << found.error().reason;
      EXPECT_GT(found->size(), 10u) << folder;
      for (const auto& one : *found) EXPECT_EQ(one.sample.device.name, here.name);
      fs::remove(file_);
    }
  EXPECT_TRUE(read_shipped(SHIPPED_PROFILES, {{"SKMD", "another processor", "1", 8}})->samples.empty());
}

}  // namespace
}  // namespace skmd::profiler

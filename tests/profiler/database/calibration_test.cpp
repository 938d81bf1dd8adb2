// SPDX-License-Identifier: Apache-2.0
// Calibrations in the database and in files.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "profiler/database/calibration_text.h"
#include "profiler/database/exchange.h"
#include "profiler/database/sample_text.h"
#include "tests/profiler/database/fixture.h"

namespace skmd::profiler {
namespace {

namespace fs = std::filesystem;
using domain::DeviceCalibration;
using domain::Direction;
using domain::LinkCalibration;
using Mode = ProfileDatabase::Mode;

DeviceCalibration device(const std::string& name = "device", std::int64_t date = 1700000000, double launch = 5e-6) {
  DeviceCalibration one;
  one.device = {"platform", name, "1.0", 8};
  one.launch_seconds = launch;
  one.box_seconds = 1.5e-6;
  one.first_use_seconds = 0.25;
  one.memory = {5e7, 6e12, 3.1e12};
  one.bandwidth = {{16384, 1e12}, {1u << 30, 3.1e12}};
  one.host_cores = true;
  one.commit = "abc";
  one.date = date;
  return one;
}

LinkCalibration link(Direction direction = Direction::to, std::int64_t date = 1700000000) {
  LinkCalibration one;
  one.host = "processor, 16 threads";
  one.device = {"platform", "device", "1.0", 8};
  one.direction = direction;
  one.direct = domain::LinkWay{{1e-5, 8.7e9}, 1, {{1024, 1.1e-5}, {1u << 28, 0.03}}};
  one.staged = domain::LinkWay{{2e-5, 5.1e10}, 8, {{1u << 28, 0.005}}};
  one.beside_links = {{"device 2", 2.7e10, 2.6e10}};
  one.beside_kernels = {{"processor", 4e10, 9e9}};
  one.commit = "abc";
  one.date = date;
  return one;
}

Calibrations all() { return {{device(), device("other")}, {link(Direction::from), link()}}; }

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class CalibrationTables : public test::DatabaseFile {};

TEST_F(CalibrationTables, KeepEveryField) {
  ASSERT_EQ(*open().add(all()), 4u);
  const auto found = open(Mode::read_only).calibrations();
  ASSERT_TRUE(found);
  const Calibrations given = all();
  ASSERT_EQ(found->devices.size(), 2u);
  ASSERT_EQ(found->links.size(), 2u);
  for (const auto& one : given.devices)
    EXPECT_NE(std::find(found->devices.begin(), found->devices.end(), one), found->devices.end());
  for (const auto& one : given.links)
    EXPECT_NE(std::find(found->links.begin(), found->links.end(), one), found->links.end());
}

TEST_F(CalibrationTables, HaveTheNewestAndWhatWasMeasuredHere) {
  auto database = open();
  const auto launch = [&] { return database.calibrations()->devices.front().launch_seconds; };
  EXPECT_EQ(*database.add({{device("d", 30, 0.5)}, {}}, "shipped"), 1u);
  EXPECT_EQ(*database.add({{device("d", 10, 1.0)}, {}}, "imported"), 1u) << "however new what came with us is";
  EXPECT_EQ(*database.add({{device("d", 40, 0.5)}, {}}, "shipped"), 0u);
  EXPECT_EQ(*database.add({{device("d", 9, 2.0)}, {}}, "imported"), 0u);
  EXPECT_EQ(launch(), 1.0);
  EXPECT_EQ(*database.add({{device("d", 5, 3.0)}, {}}, "measured"), 1u);
  EXPECT_EQ(launch(), 3.0);
  EXPECT_EQ(*database.add({{device("d", 20, 4.0)}, {}}, "imported"), 0u);
  EXPECT_EQ(launch(), 3.0);
  EXPECT_EQ(*database.add({{device("d", 6, 5.0)}, {}}, "measured"), 1u);
  EXPECT_EQ(*database.add({{device("d", 6, 5.0)}, {}}, "measured"), 0u);
  EXPECT_EQ(launch(), 5.0);
  EXPECT_EQ(database.calibrations("measured")->devices.size(), 1u);
  EXPECT_TRUE(database.calibrations("imported")->devices.empty());
}

TEST_F(CalibrationTables, TakeAllOrNothing) {
  Calibrations wrong = all();
  wrong.links.back().direct->line.bytes_per_second = std::numeric_limits<double>::infinity();
  auto database = open();
  const auto added = database.add(wrong);
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().reason.find("bytes_per_second"), std::string::npos) << added.error().reason;
  EXPECT_TRUE(database.calibrations()->devices.empty());
}

TEST_F(CalibrationTables, TravelInFilesAndBackUnchanged) {
  const fs::path one = folder_ / "one.jsonl", two = folder_ / "two.jsonl";
  ASSERT_TRUE(write_exchange(one, {{}, {}, all()}));
  const auto read = read_exchange(one);
  ASSERT_TRUE(read) << read.error().reason;
  EXPECT_EQ(read->head.devices, (std::vector<std::string>{"device", "other"}));
  auto database = open();
  EXPECT_EQ(*database.add(read->calibrations, "imported"), 4u);
  EXPECT_EQ(*database.add(read->calibrations, "imported"), 0u);
  ASSERT_TRUE(write_exchange(two, {{}, {}, *database.calibrations()}));
  EXPECT_EQ(lines_of(one), lines_of(two));
  const auto lines = lines_of(one);
  EXPECT_TRUE(std::is_sorted(lines.begin() + 1, lines.end()));
}

TEST_F(CalibrationTables, WrongLinesAreNamed) {
  nlohmann::json good = nlohmann::json::parse(line_of(link()));
  const auto reason = [](const nlohmann::json& line) {
    const auto read = calibration_of(line.dump());
    return read ? std::string() : read.error().reason;
  };
  EXPECT_EQ(reason(good), "");
  for (const auto& [key, value] : std::map<std::string, nlohmann::json>{{"direction", "up"},
                                                                        {"calibration", "x"},
                                                                        {"direct", 3},
                                                                        {"host", 1},
                                                                        {"units", -1},
                                                                        {"beside_links", {1}}}) {
    nlohmann::json bad = good;
    bad[key] = value;
    EXPECT_NE(reason(bad).find(key), std::string::npos) << key << ": " << reason(bad);
  }
  good["direct"]["points"] = {{1, -1.0}};
  EXPECT_NE(reason(good).find("points"), std::string::npos);
}

TEST_F(CalibrationTables, CheckFindsWhatWasChangedAndRepairRemovesIt) {
  ASSERT_TRUE(open().add(all()));
  EXPECT_TRUE(open().check()->empty());
  run("UPDATE device_calibrations SET line=replace(line, '0.25', '0.75') WHERE device=1");
  run("UPDATE link_calibrations SET line='{}' WHERE direction='to'");
  auto database = open();
  EXPECT_EQ(database.check()->size(), 2u);
  EXPECT_EQ(*database.repair(), 2u);
  EXPECT_TRUE(database.check()->empty());
  EXPECT_EQ(database.calibrations()->devices.size(), 1u);
  EXPECT_EQ(database.calibrations()->links.size(), 1u);
}

TEST_F(CalibrationTables, ArePrunedByDeviceAndDateButNotByKernel) {
  auto database = open();
  ASSERT_TRUE(database.add(all()));
  SampleFilter filter;
  filter.kernel = "k";
  EXPECT_EQ(*database.prune(filter), 0u);
  filter.kernel = "";
  filter.before = 1600000000;
  EXPECT_EQ(*database.prune(filter), 0u);
  filter.before = 1800000000;
  filter.device = "other";
  EXPECT_EQ(*database.prune(filter), 1u);
  filter.device = "device";
  EXPECT_EQ(*database.prune(filter), 3u);
}

}  // namespace
}  // namespace skmd::profiler

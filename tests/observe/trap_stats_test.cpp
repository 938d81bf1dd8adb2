// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "intercept/observe/stats.h"

namespace skmd::icd {
namespace {

using nlohmann::json;

TEST(Stats, CountsTrapsAndKeepsTheFirstOfEachLaunch) {
  Stats stats;
  EXPECT_EQ(json::parse(stats.document())["traps"],
            json::parse(R"({"count":0,"never_ran":0,"left_items":0,"left_groups":0,"why_not":{},"first":[]})"));
  TrapReport report{.kernel = "sum", .count = 3, .line = 7, .file = "", .kind = "out_of_bounds"};
  report.item[0] = 5;
  report.item[2] = 1;
  report.never_ran = 12;
  stats.add_trap(report);
  report = {.kernel = "divide", .count = 1, .line = 0, .file = "own.cl", .kind = "division_by_zero"};
  stats.add_trap(report);
  EXPECT_EQ(json::parse(stats.document())["traps"], json::parse(R"({"count":4,"never_ran":12,
      "left_items":0,"left_groups":0,"why_not":{},"first":[
      {"kernel":"sum","line":7,"kind":"out_of_bounds","item":[5,0,1]},
      {"kernel":"divide","line":null,"file":"own.cl","kind":"division_by_zero","item":[0,0,0]}]})"));
  const std::size_t bound = Stats().tail_bound();
  report.kernel = report.file = std::string(300, '\1');
  report.line = ~0u;
  report.item[0] = report.item[1] = report.item[2] = report.count = report.never_ran = ~0ull / 128;
  for (int i = 0; i < 100; ++i) stats.add_trap(report);
  for (int i = 0; i < 100; ++i) stats.add_left({~0ull / 128, ~0ull / 128, std::string(300, '\1') + std::to_string(i)});
  EXPECT_EQ(json::parse(stats.document())["traps"]["first"].size(), 16u);
  EXPECT_LE(stats.tail().size(), bound);
}

TEST(Stats, CountsItemsThatLeftTheirDevices) {
  Stats stats;
  stats.add_left({5, 2, ""});
  stats.add_left({1, 1, "divergent_barriers"});
  stats.add_left({0, 0, "divergent_barriers"});
  EXPECT_EQ(json::parse(stats.document())["traps"], json::parse(R"({"count":0,"never_ran":0,
      "left_items":6,"left_groups":3,"why_not":{"divergent_barriers":2},"first":[]})"));
}

}  // namespace
}  // namespace skmd::icd

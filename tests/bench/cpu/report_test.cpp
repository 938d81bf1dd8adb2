// SPDX-License-Identifier: Apache-2.0
#include "bench/cpu/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bench/cpu/rows.h"

namespace bench {
namespace {

TEST(TakeTurns, LeavesOutTheFirstTurnAndAlternates) {
  std::string order;
  double next = 0;
  const auto times =
      take_turns({{"a", [&] { return order += 'a', ++next; }}, {"b", [&] { return order += 'b', ++next; }}}, 3);
  EXPECT_EQ(order, "abababab");
  EXPECT_EQ(times, (std::vector<Times>{{3, 5, 7}, {4, 6, 8}}));
}

TEST(Median, OfOddAndEvenCounts) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(Rows, RatioIsOfMediansAndSpreadOfTurns) {
  const Row row = ratio_row("r", 2, {4, 8, 6}, {1, 4, 2});
  EXPECT_EQ(row.figure, 3);
  EXPECT_EQ(row.low, 2);
  EXPECT_EQ(row.high, 4);
  EXPECT_TRUE(row.met());
}

TEST(Rows, BoundsHoldInBothDirections) {
  Row row{.name = "r", .unit = "x", .bound = 2, .figure = 1.99, .details = {}, .error = {}};
  EXPECT_FALSE(row.met());
  row.goal = Goal::at_most;
  EXPECT_TRUE(row.met());
  row.figure = 2.01;
  EXPECT_FALSE(row.met());
}

TEST(Rows, WithoutFigureIsNotMet) {
  Row row{.name = "r", .unit = "x", .goal = Goal::at_most, .bound = 2, .figure = 1, .details = {}, .error = "broken"};
  EXPECT_FALSE(row.met());
  EXPECT_EQ(to_json(row)["figure"], nullptr);
  EXPECT_EQ(to_json(row)["error"], "broken");
  EXPECT_EQ(to_json(row)["met"], false);
  row.error.clear();
  row.figure = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(row.met());
}

TEST(Rows, JsonSaysGoalFigureAndSpread) {
  EXPECT_EQ(to_json(ratio_row("nbody", 1, {2, 2}, {1, 1})).dump(),
            R"({"name":"nbody","goal":{"at_least":1.0},"unit":"x","figure":2.0,"spread":[2.0,2.0],"met":true,)"
            R"("details":{"base_seconds":2.0,"seconds":1.0}})");
}

TEST(Goals, FollowWhatCodeMayUse) {
  constexpr Processor kZen5{Vectors::avx512, true}, kXeon{Vectors::avx512, false}, kZen3{Vectors::avx2, false};
  const auto means = [](const Processor& processor) {
    return std::vector<double>{goals_of(processor, used_of(processor, "")).mean,
                               goals_of(processor, used_of(processor, "avx2")).mean,
                               goals_of(processor, used_of(processor, "sse")).mean};
  };
  EXPECT_EQ(means(kZen5), (std::vector<double>{8, 4.5, 2.5}));
  EXPECT_EQ(means(kXeon), (std::vector<double>{5.5, 4.5, 2.5}));
  EXPECT_EQ(means(kZen3), (std::vector<double>{5, 5, 2.5}));
  const Goals wide = goals_of(kXeon, Vectors::avx512), narrow = goals_of(kXeon, Vectors::sse);
  EXPECT_EQ(wide.workload, 1);
  EXPECT_EQ(wide.by_hand, 0.85);
  EXPECT_EQ(wide.by_loops, 0.9);
  EXPECT_EQ(wide.divergent, 2.5);
  EXPECT_EQ(narrow.workload, 0.7);
  EXPECT_EQ(narrow.divergent, 0.7);
}

TEST(Goals, ACapAddsNothing) {
  constexpr Processor kZen3{Vectors::avx2, false}, kOld{Vectors::sse, false};
  EXPECT_EQ(used_of(kZen3, "avx512"), Vectors::avx2);
  EXPECT_EQ(used_of(kZen3, "avx512vbmi"), Vectors::avx2);
  EXPECT_EQ(used_of(kZen3, "sse"), Vectors::sse);
  EXPECT_EQ(used_of(kOld, "avx2"), Vectors::sse);
  EXPECT_EQ(used_of(kOld, ""), Vectors::sse);
}

TEST(Rows, AllOfTheTable) { EXPECT_EQ(row_names().size(), 16u + 6 + 4 + 1 + 3 + 3 + 4); }

}  // namespace
}  // namespace bench

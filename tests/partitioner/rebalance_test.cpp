// SPDX-License-Identifier: Apache-2.0
// When a launch that runs is divided anew: only where that gains more than it costs.
#include "partitioner/plan/rebalance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "partitioner/plan/rebalance_constants.h"
#include "tests/seed.h"

namespace skmd::domain {
namespace {

using Parts = std::vector<RunningPart>;

/// A slice of 1,000 groups that was planned to take a second, and of which `timed` took as many times as long.
RunningPart slice(std::uint64_t timed, double times) {
  RunningPart part;
  part.groups = 1000;
  part.left = 1000 - timed;
  part.timed = timed;
  part.timed_seconds = part.seconds = 1e-3 * times * static_cast<double>(timed);
  part.predicted_seconds = 1.0;
  part.stoppable = part.took_part = true;
  part.stop_seconds = 0.01;
  return part;
}

RunningPart ended(double groups_per_second) {
  RunningPart part;
  part.took_part = true;
  part.groups_per_second = groups_per_second;
  return part;
}

RunningPart idle(double groups_per_second) {
  RunningPart part = ended(groups_per_second);
  part.took_part = false;
  return part;
}

RebalanceRule after(double seconds) { return {.seconds = seconds, .cost_seconds = 1e-4}; }

TEST(Rebalance, ASliceThatTakesTenTimesAsLongIsDividedAnew) {
  const auto worth = rebalance(Parts{slice(100, 10), ended(1000)}, after(1));
  ASSERT_TRUE(worth);
  EXPECT_NEAR(worth->as_it_is, 9.0, 1e-9);
  EXPECT_NEAR(worth->anew, 0.0101 + 900.0 / 1100, 1e-9) << "the other device is ten times as fast";
  EXPECT_NEAR(worth->cost, 0.0101, 1e-9);
}

TEST(Rebalance, NothingIsDoneWhileAllDevicesWork) {
  EXPECT_FALSE(rebalance(Parts{slice(100, 10), slice(500, 1)}, after(1)));
}

TEST(Rebalance, NothingIsDoneAsPlanned) {
  EXPECT_FALSE(rebalance(Parts{slice(500, 1), ended(1000)}, after(0.5))) << "the plan had reasons for a short slice";
  EXPECT_FALSE(rebalance(Parts{slice(100, 1.2), idle(10000)}, after(0.12)));
  EXPECT_TRUE(rebalance(Parts{slice(100, 1.5), idle(10000)}, after(0.15)));
}

TEST(Rebalance, FewGroupsTellNothing) {
  EXPECT_FALSE(rebalance(Parts{slice(tuning::kTellingGroups - 1, 10), ended(1000)}, after(0.03)));
  EXPECT_TRUE(rebalance(Parts{slice(tuning::kTellingGroups, 10), ended(1000)}, after(0.04)));
}

TEST(Rebalance, WithoutATimeOfItsGroupsASliceThatIsLateIsExpectedToTakeAsLongAgain) {
  RunningPart late = slice(0, 1);
  late.seconds = 1.0;
  EXPECT_DOUBLE_EQ(expected_seconds(late).value_or(-1), 1.0);
  EXPECT_DOUBLE_EQ(expected_rate(late), 500);
  EXPECT_TRUE(rebalance(Parts{late, ended(1000)}, after(1)));
  late.seconds = 0.4;
  EXPECT_DOUBLE_EQ(expected_seconds(late).value_or(-1), 0.6);
  EXPECT_FALSE(rebalance(Parts{late, ended(1000)}, after(0.4)));
  late.predicted_seconds = 0;
  EXPECT_FALSE(expected_seconds(late));
  EXPECT_FALSE(rebalance(Parts{late, ended(1000)}, after(0.4)));
}

TEST(Rebalance, WithoutAPredictionADeviceThatHadASliceAndEndedItTells) {
  RunningPart unknown = slice(100, 10);
  unknown.predicted_seconds = 0;
  EXPECT_TRUE(rebalance(Parts{unknown, ended(1000)}, after(1)));
  EXPECT_FALSE(rebalance(Parts{unknown, idle(1000)}, after(1)));
}

TEST(Rebalance, ADeviceOfUnknownSpeedIsNoReason) { EXPECT_FALSE(rebalance(Parts{slice(100, 10), ended(0)}, after(1))); }

TEST(Rebalance, BytesThatHaveToMoveCount) {
  RunningPart other = idle(1000);
  other.fixed_seconds = 3;
  EXPECT_TRUE(rebalance(Parts{slice(100, 10), other}, after(1)));
  other.fixed_seconds = 6;
  EXPECT_FALSE(rebalance(Parts{slice(100, 10), other}, after(1)));
}

TEST(Rebalance, WhatCannotBeStoppedIsWaitedFor) {
  RunningPart fixed = slice(100, 10);
  fixed.stoppable = false;
  EXPECT_FALSE(rebalance(Parts{fixed, ended(1000)}, after(1)));
  EXPECT_FALSE(rebalance(Parts{slice(100, 10), fixed, ended(1000)}, after(1))) << "as slow as the other";
}

TEST(Rebalance, WhatMayNotBeSplitGoesToOneDevice) {
  RebalanceRule rule = after(1);
  rule.may_split = false;
  const auto worth = rebalance(Parts{slice(100, 10), idle(1000)}, rule);
  ASSERT_TRUE(worth);
  EXPECT_NEAR(worth->anew, 0.0101 + 0.9, 1e-9);
  EXPECT_FALSE(rebalance(Parts{slice(100, 10), idle(110)}, rule));
  EXPECT_TRUE(rebalance(Parts{slice(100, 10), idle(110)}, after(1)));
}

TEST(Rebalance, ALaunchIsDividedAnewAFewTimesOnly) {
  RebalanceRule rule = after(1);
  for (; rule.before < tuning::kMaxRebalances; ++rule.before)
    EXPECT_TRUE(rebalance(Parts{slice(100, 10), ended(1000)}, rule));
  EXPECT_FALSE(rebalance(Parts{slice(100, 10), ended(1000)}, rule));
}

Parts random_parts(std::mt19937_64& random) {
  const auto real = [&](double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random);
  };
  Parts parts;
  for (std::uint64_t i = 0, n = 1 + random() % 6; i < n; ++i) {
    RunningPart part;
    part.fixed_seconds = random() % 2 == 0 ? 0.0 : real(0, 0.5);
    part.took_part = random() % 4 != 0;
    part.groups_per_second = random() % 5 == 0 ? 0.0 : real(1, 5000);
    if (part.took_part && random() % 2 == 0) {
      part.fixed_seconds = 0;
      part.groups = 1 + random() % 2000;
      part.timed = random() % part.groups;
      part.left = part.groups - part.timed;
      part.timed_seconds = real(0, 3);
      part.seconds = part.timed_seconds + real(0, 0.5);
      part.predicted_seconds = random() % 4 == 0 ? 0.0 : real(0.001, 2);
      part.stoppable = random() % 4 != 0;
      part.stop_seconds = real(0, 0.05);
    }
    parts.push_back(part);
  }
  return parts;
}

/// With any knowledge of the devices a launch is only stopped for a gain that is above the cost and a notable part of
/// it.
TEST(Rebalance, IsNeverAskedForLessThanItCosts) {
  std::mt19937_64 random(5 + test::seed_offset());
  int asked = 0;
  for (int round = 0; round < 20000; ++round) {
    const Parts parts = random_parts(random);
    RebalanceRule rule{.before = static_cast<unsigned>(random() % (tuning::kMaxRebalances + 1)),
                       .seconds = 0.5,
                       .cost_seconds = 1e-4 * static_cast<double>(random() % 1000),
                       .may_split = random() % 3 != 0};
    const auto worth = rebalance(parts, rule);
    if (!worth) continue;
    ++asked;
    EXPECT_LT(rule.before, tuning::kMaxRebalances);
    EXPECT_GE(worth->cost, rule.cost_seconds);
    EXPECT_GE(worth->as_it_is - worth->anew, worth->cost * (1 - 1e-9));
    EXPECT_GE(worth->as_it_is - worth->anew, tuning::kRebalancePart * worth->as_it_is);
    double stop = 0, wait = 0, longest = 0;
    bool has_idle = false;
    for (const RunningPart& part : parts) {
      if (part.left == 0) {
        has_idle = has_idle || part.groups_per_second > 0;
        continue;
      }
      const double seconds = expected_seconds(part).value_or(-1);
      EXPECT_GE(seconds, 0) << "of each slice that runs something is known";
      longest = std::max(longest, seconds);
      (part.stoppable ? stop : wait) =
          std::max(part.stoppable ? stop : wait, part.stoppable ? part.stop_seconds : seconds);
    }
    EXPECT_TRUE(has_idle);
    EXPECT_DOUBLE_EQ(worth->as_it_is, longest);
    EXPECT_GE(worth->anew, std::max(stop, wait) + rule.cost_seconds);
  }
  EXPECT_GT(asked, 200);
}

/// More cost never makes a launch be stopped that was not to be, and a slower slice never makes it be left.
TEST(Rebalance, FollowsCostAndGain) {
  std::mt19937_64 random(6 + test::seed_offset());
  for (int round = 0; round < 5000; ++round) {
    Parts parts = random_parts(random);
    RebalanceRule rule{.seconds = 0.5};
    if (rebalance(parts, rule)) continue;
    rule.cost_seconds = 1e-3 * static_cast<double>(random() % 1000);
    EXPECT_FALSE(rebalance(parts, rule));
  }
}

}  // namespace
}  // namespace skmd::domain

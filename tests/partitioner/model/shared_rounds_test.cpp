// SPDX-License-Identifier: Apache-2.0
// Which launches make up a round, and what all of them would take on one device.
#include "partitioner/model/shared_rounds.h"

#include <gtest/gtest.h>

#include <vector>

namespace skmd::domain {
namespace {

using Role = SharedRounds::Role;
constexpr std::uint64_t kScan = 11, kAdd = 12, kOther = 13;

/// Two devices: with transfers, and without.
std::vector<AloneBounds> both(double first, double second) {
  return {{0, first + 1, first, 3 * first + 1, 3 * first}, {1, second + 1, second, 3 * second + 1, 3 * second}};
}

/// The leader's role.
Role round(SharedRounds& rounds, int followers = 1) {
  const Role role = rounds.launched(kScan, true, both(1, 5));
  for (int i = 0; i < followers; ++i) EXPECT_EQ(rounds.launched(kAdd, false, both(2, 7)), Role::follower);
  return role;
}

TEST(SharedRounds, AreLedByTheLaunchWhoseInputsAreWrittenAnew) {
  SharedRounds rounds;
  EXPECT_EQ(rounds.launched(kAdd, false, both(2, 7)), Role::none);
  EXPECT_FALSE(rounds.has_leader());
  EXPECT_EQ(round(rounds), Role::leader);
  EXPECT_TRUE(rounds.has_leader());
  EXPECT_EQ(round(rounds), Role::leader);
}

TEST(SharedRounds, CountTheirFollowersWithoutTransfers) {
  SharedRounds rounds;
  round(rounds, 2);
  EXPECT_TRUE(rounds.candidates().empty());
  round(rounds, 2);
  EXPECT_TRUE(rounds.candidates().empty()) << "one round that is over";
  rounds.launched(kScan, true, both(1, 5));
  const auto sums = rounds.candidates();
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums[0].plan, 1u);
  EXPECT_DOUBLE_EQ(sums[0].seconds, 1 + 1 + 2 + 2);
  EXPECT_EQ(sums[1].plan, 2u);
  EXPECT_DOUBLE_EQ(sums[1].seconds, 5 + 1 + 7 + 7);
  EXPECT_DOUBLE_EQ(sums[1].at_most, 3 * (5 + 7 + 7) + 1);
  EXPECT_TRUE(sums[1].whole_round);
}

TEST(SharedRounds, NeedADeviceForAllOfTheirLaunches) {
  SharedRounds rounds;
  const std::vector<AloneBounds> second = {{1, 3, 2, 3, 2}};
  for (int i = 0; i < 3; ++i) {
    rounds.launched(kScan, true, both(1, 5));
    if (i < 2) rounds.launched(kAdd, false, second);
  }
  ASSERT_EQ(rounds.candidates().size(), 1u);
  EXPECT_EQ(rounds.candidates()[0].plan, 2u);
  SharedRounds unknown;
  for (int i = 0; i < 3; ++i) {
    unknown.launched(kScan, true, both(1, 5));
    if (i < 2) unknown.launched(kAdd, false, {});
  }
  EXPECT_TRUE(unknown.candidates().empty());
}

TEST(SharedRounds, ThatDifferAreNotExpectedAgain) {
  SharedRounds rounds;
  round(rounds, 1);
  round(rounds, 2);
  rounds.launched(kScan, true, both(1, 5));
  EXPECT_TRUE(rounds.candidates().empty());
}

TEST(SharedRounds, OfSeveralLaunchesMixAndHaveNoFollowers) {
  SharedRounds rounds;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(rounds.launched(kScan, true, both(1, 5)), Role::leader);
    EXPECT_TRUE(rounds.candidates().empty());
    EXPECT_EQ(rounds.launched(kOther, true, both(1, 5)), Role::none);
    EXPECT_EQ(rounds.launched(kAdd, false, both(1, 5)), Role::none);
  }
}

TEST(SharedRounds, BindTheirFollowersUntilTheNextOne) {
  SharedRounds rounds;
  round(rounds);
  rounds.launched(kScan, true, both(1, 5));
  EXPECT_FALSE(rounds.bound());
  rounds.led(2, true);
  rounds.launched(kAdd, false, both(2, 7));
  EXPECT_EQ(rounds.bound(), 2u);
  rounds.launched(kScan, true, both(1, 5));
  EXPECT_FALSE(rounds.bound());
}

TEST(SharedRounds, BindThemWhereverTheLeaderWasEverTold) {
  SharedRounds rounds;
  const auto bound_after = [&](SharedRounds::Devices plan, bool told) {
    rounds.launched(kScan, true, both(1, 5));
    rounds.led(plan, told);
    return rounds.bound().value_or(0);
  };
  round(rounds);
  EXPECT_EQ(bound_after(2, false), 0u) << "it was told nothing";
  EXPECT_EQ(bound_after(2, true), 2u);
  EXPECT_EQ(bound_after(2, false), 2u);
  rounds.release();
  EXPECT_FALSE(rounds.bound()) << "in this round";
  EXPECT_EQ(bound_after(2, false), 2u);
  EXPECT_EQ(bound_after(1, false), 0u);
  EXPECT_EQ(bound_after(2, false), 2u) << "it has come back";
  EXPECT_EQ(bound_after(3, true), 0u) << "a split";
}

TEST(SharedRounds, EndWhereTheLeaderIsNoLongerWrittenOrGone) {
  SharedRounds rounds;
  round(rounds);
  rounds.led(2, true);
  EXPECT_EQ(rounds.launched(kScan, false, both(1, 5)), Role::none) << "a loop";
  EXPECT_FALSE(rounds.has_leader());
  EXPECT_FALSE(rounds.bound());
  round(rounds);
  for (int i = 0; i < 70; ++i) rounds.launched(kAdd, false, both(2, 7));
  EXPECT_FALSE(rounds.has_leader());
  EXPECT_EQ(rounds.launched(kOther, true, both(1, 5)), Role::leader);
  EXPECT_EQ(rounds.launched(kScan, false, both(1, 5)), Role::follower);
}

}  // namespace
}  // namespace skmd::domain

// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/paces.h"

#include <gtest/gtest.h>

namespace skmd::icd {
namespace {

constexpr domain::NdRange kRange{1, {0, 0, 0}, {1024, 1, 1}, {64, 1, 1}};
constexpr std::uint64_t kGroups = 16;

TEST(Paces, CodeThatIsLeftInsideIsJudgedByTheBestOfItsFirstLaunches) {
  Paces paces(2);
  for (int i = 0; i < 5; ++i) paces.learn(0, kRange, kGroups, 2'000'000, Paces::Code::inside);
  EXPECT_FALSE(paces.costs_too_much(0, kRange)) << "the kernel's own time is not known";
  EXPECT_NEAR(paces.group_seconds(0, kRange), 2e-3 / kGroups, 1e-9) << "how long launches take is";
  paces.learn(0, kRange, kGroups, 1'000'000);
  EXPECT_TRUE(paces.costs_too_much(0, kRange));
  EXPECT_FALSE(paces.costs_too_much(1, kRange));
  EXPECT_NEAR(paces.group_seconds(0, kRange), 1e-3 / kGroups, 1e-9);

  paces.learn(1, kRange, kGroups, 1'000'000);
  for (int i = 0; i < 2; ++i) {
    paces.learn(1, kRange, kGroups, 3'000'000, Paces::Code::inside);
    EXPECT_FALSE(paces.costs_too_much(1, kRange)) << "too few launches";
  }
  paces.learn(1, kRange, kGroups, 1'110'000, Paces::Code::inside);
  EXPECT_FALSE(paces.costs_too_much(1, kRange)) << "one took 11 % more";
  EXPECT_TRUE(paces.costs_too_much(0, kRange));
}

TEST(Paces, AreSteadyUntilTwoLaunchesDiffer) {
  Paces paces(1);
  EXPECT_FALSE(paces.steady(0, kRange)) << "not known";
  paces.learn(0, kRange, kGroups, 1'000'000);
  EXPECT_TRUE(paces.steady(0, kRange));
  paces.learn(0, kRange, kGroups / 2, 600'000, Paces::Code::inside);
  EXPECT_TRUE(paces.steady(0, kRange)) << "20 % more, by other code";
  paces.learn(0, kRange, kGroups, 2'000'000);
  EXPECT_FALSE(paces.steady(0, kRange));
  paces.learn(0, kRange, kGroups, 2'100'000);
  EXPECT_TRUE(paces.steady(0, kRange));
  paces.learn(0, kRange, kGroups, 1'000'000);
  EXPECT_FALSE(paces.steady(0, kRange)) << "faster";
  paces.learn(0, kRange, kGroups / 4, 1'000'000);
  EXPECT_TRUE(paces.steady(0, kRange)) << "a few groups do not fill the device";
}

TEST(Paces, NothingIsLearnedFromLaunchesWithoutATime) {
  Paces paces(1);
  paces.learn(0, kRange, kGroups, 0);
  paces.learn(0, kRange, 0, 1'000'000);
  EXPECT_EQ(paces.group_seconds(0, kRange), 0);
  for (int i = 0; i < 5; ++i) paces.learn(0, kRange, kGroups, 0, Paces::Code::inside);
  paces.learn(0, kRange, kGroups, 1'000'000);
  EXPECT_FALSE(paces.costs_too_much(0, kRange));
}

}  // namespace
}  // namespace skmd::icd

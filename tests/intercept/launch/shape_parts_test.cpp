// SPDX-License-Identifier: Apache-2.0
// What launches of one shape share, piece by piece.
#include <gtest/gtest.h>

#include "intercept/launch/decision_constants.h"
#include "intercept/launch/decision_memory.h"
#include "intercept/launch/footprint_cache.h"
#include "intercept/launch/launch_budget.h"
#include "intercept/launch/native_launch.h"
#include "intercept/launch/time_sampling.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

TEST(FootprintCache, EvaluatesASpanOnceAndForgetsTheOldest) {
  FootprintCache cache;
  int evaluated = 0;
  const auto ask = [&](std::uint64_t first) {
    return cache.get({first, first + 1}, [&] {
      ++evaluated;
      return std::make_shared<const SpanFootprint>();
    });
  };
  const auto known = ask(0);
  EXPECT_EQ(ask(0), known);
  EXPECT_EQ(evaluated, 1);
  for (std::uint64_t i = 1; i <= tuning::kSpansPerShape; ++i) ask(i);
  EXPECT_EQ(evaluated, 1 + static_cast<int>(tuning::kSpansPerShape));
  EXPECT_NE(ask(0), known);
}

std::shared_ptr<const Decision> on(std::uint32_t device, bool exploring = false) {
  auto decision = std::make_shared<Decision>();
  decision->slices.push_back({device, {0, 1}, nullptr});
  decision->exploring = exploring;
  return decision;
}

TEST(DecisionMemory, KeepsTheLastDecisionAndTheLastOfEachPlan) {
  DecisionMemory memory;
  EXPECT_EQ(memory.last(nullptr), nullptr);
  const auto first = on(0), second = on(1), third = on(2, true);
  DecisionBasis basis;
  basis.known = true;
  memory.remember(first, basis);
  memory.count_launch();
  EXPECT_EQ(memory.launches(), 1u);
  memory.remember(second, basis);
  EXPECT_EQ(memory.launches(), 0u);
  memory.remember(third, {});
  EXPECT_EQ(memory.last(&basis), third);
  EXPECT_FALSE(basis.known);
  EXPECT_EQ(memory.followed(1), first);
  EXPECT_EQ(memory.followed(2), second);
  EXPECT_EQ(memory.followed(4), nullptr) << "it explored";
  DecisionMemory heir;
  heir.inherit(memory);
  EXPECT_EQ(heir.followed(1), first);
  EXPECT_EQ(heir.last(nullptr), nullptr) << "with other devices it may be another one";
}

TEST(DecisionMemory, TheFirstDecisionThatStandsStays) {
  DecisionMemory memory;
  EXPECT_EQ(memory.standing(), nullptr);
  const auto first = on(0);
  EXPECT_EQ(memory.keep_standing(first), first);
  EXPECT_EQ(memory.keep_standing(on(1)), first);
  EXPECT_EQ(memory.standing(), first);
}

TEST(LaunchBudget, LaunchesPayForLooking) {
  LaunchBudget budget;
  EXPECT_FALSE(budget.may_look(1e-3, 35e-6));
  EXPECT_TRUE(budget.may_look(1e-3, 35e-6)) << "two launches of a millisecond afford it";
  EXPECT_FALSE(budget.may_look(1e-3, 35e-6)) << "it was spent";
  EXPECT_FALSE(budget.affords(35e-6));
  budget.launched(1e-3);
  EXPECT_TRUE(budget.affords(35e-6)) << "launches that are looked at in any case pay, too";
  LaunchBudget heir;
  heir.inherit(budget);
  EXPECT_TRUE(heir.affords(20e-6));
}

TEST(TimeSampling, TimesTheFirstLaunchesAndThoseThatAreWanted) {
  TimeSampling sampling;
  const auto due = [&](int launches) {
    int count = 0;
    for (int i = 0; i < launches; ++i) count += sampling.due(1e-6) ? 1 : 0;
    return count;
  };
  EXPECT_EQ(due(8), 8);
  EXPECT_LE(due(100), 4) << "a launch of a microsecond";
  sampling.want(6);
  EXPECT_GE(due(6), 6);
  EXPECT_LE(due(100), 4);
}

TEST(FirstUse, AskingDoesNotMark) {
  FakeMachine m({true, true});
  const auto x = m.storage(4096), y = m.storage(4096);
  const auto kernel = m.kernel(axpy_traits());
  const auto launch_of = [&](std::uint64_t items) {
    return Launch{kernel, line(items, 16), {whole(y), whole(x), value_of(1u)}};
  };
  const Launch launch = launch_of(256);
  const LaunchView view(m.machine, launch);
  const domain::GroupSpan first{0, 8}, second{8, 16};
  EXPECT_TRUE(is_first_use(launch, view, 0, first));
  EXPECT_TRUE(is_first_use(launch, view, 0, first));
  mark_used(launch, view, 0, first);
  EXPECT_FALSE(is_first_use(launch, view, 0, first));
  EXPECT_TRUE(is_first_use(launch, view, 0, second)) << "vendors compile for an offset";
  EXPECT_TRUE(is_first_use(launch, view, 1, first));
  const Launch larger = launch_of(512);
  EXPECT_FALSE(is_first_use(larger, LaunchView(m.machine, larger), 0, first)) << "of another shape";
}

}  // namespace
}  // namespace skmd::icd::test

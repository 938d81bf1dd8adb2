// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/profile_runs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace skmd::domain {
namespace {

/// Runs that are made of a span whose runs take these times, the last one from then on.
std::size_t runs_of(const ProfileRuns& runs, const std::vector<std::uint64_t>& times) {
  std::vector<std::uint64_t> made;
  double last = 0.0;
  while (runs.wants_another(made, last)) {
    made.push_back(times[std::min(made.size(), times.size() - 1)]);
    last = static_cast<double>(made.back()) * 1e-9;
  }
  return made.size();
}

constexpr std::uint64_t kMicro = 1000, kMilli = 1000 * kMicro;

TEST(ProfileRuns, LongSpansAreRunOnceAndShortOnesFiveTimes) {
  EXPECT_EQ(runs_of({0, 0.03}, {30 * kMilli}), 1u);
  EXPECT_EQ(runs_of({0, 1e-4}, {100 * kMicro}), 5u);
}

TEST(ProfileRuns, AThirdRunDecidesWhereTwoDiffer) {
  EXPECT_EQ(runs_of({0, 5e-3}, {5000 * kMicro, 5200 * kMicro}), 2u);
  EXPECT_EQ(runs_of({0, 5e-3}, {5200 * kMicro, 5000 * kMicro}), 2u);
  EXPECT_EQ(runs_of({0, 5e-3}, {5000 * kMicro, 5300 * kMicro}), 3u);
}

TEST(ProfileRuns, TheFirstRunTellsTheLengthOfASpanThatIsNotKnown) {
  EXPECT_EQ(runs_of({0, 0.0}, {25 * kMilli}), 1u);
  EXPECT_EQ(runs_of({0, 0.0}, {5 * kMilli}), 2u);
  EXPECT_EQ(runs_of({0, 5e-3}, {5 * kMilli, 25 * kMilli}), 2u);
}

TEST(ProfileRuns, AFixedNumberIsKept) {
  for (const double expected : {0.0, 5e-3, 1.0}) EXPECT_EQ(runs_of({3, expected}, {30 * kMilli}), 3u) << expected;
  EXPECT_EQ(runs_of({1, 1e-4}, {100 * kMicro}), 1u);
}

TEST(ProfileRuns, WhatIsPlannedIsNearWhatIsRun) {
  for (const double expected : {1e-4, 5e-3, 0.05}) {
    const auto time = static_cast<std::uint64_t>(expected * 1e9);
    const ProfileRuns runs(0, expected);
    const double made = static_cast<double>(runs_of(runs, {time})) * expected;
    EXPECT_NEAR(runs.planned_seconds() / made, 1.0, 0.2) << expected;
  }
  EXPECT_DOUBLE_EQ(ProfileRuns(4, 0.5).planned_seconds(), 2.0);
}

TEST(ProfileRuns, TheMiddleOfTwoIsTheShorterOne) {
  EXPECT_EQ(middle_of({7}), 7u);
  EXPECT_EQ(middle_of({9, 4}), 4u);
  EXPECT_EQ(middle_of({9, 4, 5}), 5u);
  EXPECT_EQ(middle_of({9, 4, 5, 6}), 5u);
}

TEST(ProfileRuns, DevicesSettleByTheirUnits) {
  EXPECT_LT(settling_seconds(2), 0.02);
  EXPECT_DOUBLE_EQ(settling_seconds(16), 0.1);
  EXPECT_DOUBLE_EQ(settling_seconds(132), 0.1);
}

}  // namespace
}  // namespace skmd::domain

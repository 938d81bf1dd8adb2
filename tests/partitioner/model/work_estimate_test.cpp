// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/work_estimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <vector>

namespace skmd::domain {
namespace {

/// A matrix product of n by n: an item reads 2·n elements.
ProfileSample product(std::uint64_t n, std::uint64_t side = 16) {
  ProfileSample sample;
  sample.range.work_dim = 2;
  sample.range.global = {n, n, 1};
  sample.range.local = {side, side, 1};
  sample.buffers = {{0, n * n * 4}, {1, n * n * 4}};
  sample.scalars = {{3, static_cast<std::int64_t>(n)}};
  const auto items = static_cast<double>(side * side);
  sample.group_operations = items * 2.0 * static_cast<double>(n);
  sample.group_bytes = sample.group_operations * 4;
  return sample;
}

class Estimate : public testing::Test {
 protected:
  void know(const ProfileSample& sample) { samples_.push_back(sample); }
  [[nodiscard]] WorkEstimate of(const ProfileSample& asked) const {
    std::vector<const ProfileSample*> known;
    for (const ProfileSample& sample : samples_) known.push_back(&sample);
    ProfileSample question = asked;
    question.group_operations = question.group_bytes = 0.0;
    return estimate_work(known, question);
  }

 private:
  std::deque<ProfileSample> samples_;
};

TEST_F(Estimate, KnownSizesAreTakenAsCounted) {
  know(product(512));
  know(product(1024));
  const WorkEstimate work = of(product(512));
  EXPECT_DOUBLE_EQ(work.operations.value, product(512).group_operations);
  EXPECT_DOUBLE_EQ(work.operations.low, work.operations.high);
  EXPECT_DOUBLE_EQ(work.bytes.value, product(512).group_bytes);
  EXPECT_EQ(work.how, "");
}

TEST_F(Estimate, LargerOnesFollowThePowerThatExplainsTheKnownOnes) {
  know(product(512));
  know(product(1024));
  const WorkEstimate work = of(product(4096));
  EXPECT_NEAR(work.operations.value / product(4096).group_operations, 1.0, 1e-6);
  EXPECT_NEAR(work.operations.low / work.operations.high, 1.0, 1e-6);  // whichever explains it, they say the same
  EXPECT_NE(work.how.find("operations by argument 3 to the power 1, fitted to 2 known sizes"), std::string::npos)
      << work.how;
}

TEST_F(Estimate, ItemsAreWhatGroupsAreMadeOf) {
  know(product(512, 16));
  know(product(1024, 16));
  EXPECT_NEAR(of(product(1024, 8)).operations.value / product(1024, 8).group_operations, 1.0, 1e-6);
}

TEST_F(Estimate, WhatSeveralArgumentsExplainIsABandWhereTheyDisagree) {
  know(product(512));
  know(product(1024));
  ProfileSample asked = product(1024);
  asked.range.global = {4096, 4096, 1};  // more items, each doing the same or not
  const WorkEstimate work = of(asked);
  EXPECT_DOUBLE_EQ(work.operations.value, product(1024).group_operations);
  EXPECT_DOUBLE_EQ(work.operations.low, product(1024).group_operations);
  EXPECT_NEAR(work.operations.high / work.operations.low, 4.0, 1e-6);
  EXPECT_NE(work.how.find("between 1 and 4 times that"), std::string::npos) << work.how;
}

TEST_F(Estimate, AFactorThatExplainsLessHasNoSay) {
  for (const std::uint64_t n : {256, 512, 1024, 2048}) {
    ProfileSample sample = product(n);
    sample.range.global = {n % 1024 == 0 ? 4096u : 8192u, 4096, 1};  // varies, but not with the work
    know(sample);
  }
  ProfileSample asked = product(2048);
  asked.range.global = {65536, 4096, 1};
  const WorkEstimate work = of(asked);
  EXPECT_NEAR(work.operations.high / product(2048).group_operations, 1.0, 1e-6);
}

TEST_F(Estimate, CountsThatNeverChangeStay) {
  for (const std::uint64_t n : {1024, 4096}) {
    ProfileSample sample = product(n);
    sample.group_operations = 256;
    know(sample);
  }
  const WorkEstimate work = of(product(1 << 14));
  EXPECT_DOUBLE_EQ(work.operations.value, 256.0);
  EXPECT_DOUBLE_EQ(work.operations.high, 256.0);
  EXPECT_NE(work.how.find("operations as at 2 known sizes"), std::string::npos) << work.how;
}

TEST_F(Estimate, AScalarThatNeverChangedMayCountOrNot) {
  know(product(512));
  ProfileSample asked = product(512);
  asked.scalars = {{3, 2048}};
  WorkEstimate work = of(asked);
  EXPECT_DOUBLE_EQ(work.operations.value, product(512).group_operations);
  EXPECT_DOUBLE_EQ(work.operations.low, work.operations.value);
  EXPECT_DOUBLE_EQ(work.operations.high, 4 * work.operations.value);
  EXPECT_NE(work.how.find("what argument 3 does is not known"), std::string::npos) << work.how;
  asked.scalars = {{3, 128}};
  work = of(asked);
  EXPECT_DOUBLE_EQ(work.operations.low, work.operations.value / 4);
  EXPECT_DOUBLE_EQ(work.operations.high, work.operations.value);
  asked.scalars = {{3, -1}};
  EXPECT_TRUE(std::isfinite(of(asked).operations.high));
}

TEST_F(Estimate, WhatNoArgumentExplainsIsTheNearestWithAllOfThemAsBand) {
  for (const double operations : {1000.0, 3000.0}) {
    ProfileSample sample = product(512);
    sample.range.offset[0] = static_cast<std::uint64_t>(operations);
    sample.scalars = {{3, operations > 2000 ? -1 : 0}};  // no logarithm
    sample.group_operations = operations;
    know(sample);
  }
  ProfileSample asked = product(1024);
  asked.scalars = {{3, 0}};
  const WorkEstimate work = of(asked);
  EXPECT_DOUBLE_EQ(work.operations.value, 1000.0);
  EXPECT_DOUBLE_EQ(work.operations.low, 1000.0);
  EXPECT_DOUBLE_EQ(work.operations.high, 3000.0);
}

TEST_F(Estimate, UncountedWorkStaysUnknown) {
  ProfileSample sample = product(512);
  sample.group_operations = sample.group_bytes = 0.0;
  know(sample);
  const WorkEstimate work = of(product(1024));
  EXPECT_EQ(work.operations.value, 0.0);
  EXPECT_EQ(work.bytes.high, 0.0);
  EXPECT_EQ(work.how, "");
}

}  // namespace
}  // namespace skmd::domain

// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/rate_model.h"

#include <gtest/gtest.h>

#include <thread>

#include "partitioner/plan/planning_budget.h"

namespace skmd::domain {
namespace {

NdRange range_of(std::uint64_t groups, std::uint64_t local = 64) {
  return {1, {0, 0, 0}, {groups * local, 1, 1}, {local, 1, 1}};
}

Sample sample(std::uint64_t groups, double seconds, std::uint64_t local = 64) {
  Sample s;
  s.kernel = 1;
  s.range = range_of(groups, local);
  s.span = {0, groups};
  s.nanoseconds = static_cast<std::uint64_t>(seconds * 1e9);
  return s;
}

TEST(MeasuredRates, NothingIsMeasuredBeforeASample) {
  DeviceModel constants;
  constants.launch_seconds = 5e-6;
  constants.bytes_to_per_second = 3e9;
  const MeasuredRates rates({constants});
  const DeviceModel model = rates.predict(1, 0, range_of(100));
  EXPECT_FALSE(model.measured);
  EXPECT_EQ(model.launch_seconds, 5e-6);
  EXPECT_EQ(model.bytes_to_per_second, 3e9);
  EXPECT_FALSE(rates.predict(1, 9, range_of(100)).measured);
}

TEST(MeasuredRates, FirstUseIsACompileNotSpeed) {
  MeasuredRates rates;
  Sample first = sample(100, 0.2);
  first.first_use = true;
  rates.learn(first);
  EXPECT_FALSE(rates.predict(1, 0, range_of(100)).measured);
  rates.learn(sample(100, 0.001));
  EXPECT_NEAR(rates.predict(1, 0, range_of(100)).groups_per_second, 100'000, 1);
}

TEST(MeasuredRates, WhatADeviceTakesToBeginIsACostOfTheLaunch) {
  MeasuredRates rates(std::vector<DeviceModel>(1));
  Sample one = sample(100, 0.003);
  one.waited = 2'000'000;
  rates.learn(one);
  DeviceModel model = rates.predict(1, 0, range_of(100));
  EXPECT_NEAR(model.groups_per_second, 100'000, 1);
  EXPECT_NEAR(model.launch_seconds, 0.002, 1e-9);
  one.waited = 1'000'000;
  one.nanoseconds = 2'000'000;
  rates.learn(one);
  EXPECT_NEAR(rates.predict(1, 0, range_of(100)).launch_seconds, 0.00175, 1e-9) << "a mean of the newest";
  rates.learn(sample(100, 0.001));
  EXPECT_NEAR(rates.predict(1, 0, range_of(100)).launch_seconds, 0.00175, 1e-9) << "not known for this one";
}

TEST(MeasuredRates, ASpanIsNotAllWaiting) {
  MeasuredRates rates(std::vector<DeviceModel>(1));
  Sample one = sample(100, 0.008);
  one.waited = one.nanoseconds;
  rates.learn(one);
  EXPECT_NEAR(rates.predict(1, 0, range_of(100)).groups_per_second, 100'000, 1) << "seven eighths at most";
}

TEST(MeasuredRates, ADeviceOfTheSameMakeIsExpectedToBeAsFast) {
  std::vector<DeviceModel> devices(4);
  devices[0].likeness = devices[1].likeness = 7;
  devices[2].likeness = 8;
  MeasuredRates rates(devices);
  EXPECT_FALSE(rates.predict(1, 1, range_of(100)).measured);
  rates.learn(sample(100, 0.001));  // of device 0
  const DeviceModel own = rates.predict(1, 0, range_of(100));
  const DeviceModel twin = rates.predict(1, 1, range_of(100));
  EXPECT_TRUE(twin.measured);
  EXPECT_EQ(twin.groups_per_second, own.groups_per_second);
  EXPECT_GT(twin.relative_error, own.relative_error) << "it was never measured";
  EXPECT_FALSE(rates.predict(1, 2, range_of(100)).measured) << "of another make";
  EXPECT_FALSE(rates.predict(1, 3, range_of(100)).measured) << "of none";
  EXPECT_FALSE(rates.predict(2, 1, range_of(100)).measured) << "another kernel";
  Sample first = sample(50, 0.5);
  first.device = 1;
  first.first_use = true;
  rates.learn(first);
  EXPECT_EQ(rates.predict(1, 1, range_of(100)).groups_per_second, own.groups_per_second) << "a compile is no speed";
  Sample slower = sample(50, 0.001);
  slower.device = 1;
  rates.learn(slower);
  EXPECT_NEAR(rates.predict(1, 1, range_of(100)).groups_per_second, 50'000, 1) << "what was seen counts";
}

TEST(MeasuredRates, EmptyAndTimelessSamplesAreIgnored) {
  MeasuredRates rates;
  rates.learn(sample(100, 0));
  Sample empty = sample(100, 0.1);
  empty.span = {5, 5};
  rates.learn(empty);
  EXPECT_FALSE(rates.predict(1, 0, range_of(100)).measured);
}

TEST(MeasuredRates, FollowsAChangeAndForgetsTheOldRate) {
  MeasuredRates rates;
  for (int i = 0; i < 10; ++i) rates.learn(sample(100, 0.001));
  EXPECT_NEAR(rates.predict(1, 0, range_of(100)).groups_per_second, 100'000, 1);
  rates.learn(sample(100, 0.002));  // may be a spike
  EXPECT_NEAR(rates.predict(1, 0, range_of(100)).groups_per_second, 95'000, 1);
  rates.learn(sample(100, 0.002));
  EXPECT_NEAR(rates.predict(1, 0, range_of(100)).groups_per_second, 50'000, 1);
}

TEST(MeasuredRates, ErrorFallsWithEvenSamplesAndRisesWithSpread) {
  MeasuredRates even;
  MeasuredRates uneven;
  even.learn(sample(100, 0.001));
  const double one = even.predict(1, 0, range_of(100)).relative_error;
  for (int i = 0; i < 20; ++i) {
    even.learn(sample(100, 0.001));
    uneven.learn(sample(100, i % 2 == 0 ? 0.001 : 0.003));
  }
  EXPECT_LT(even.predict(1, 0, range_of(100)).relative_error, one);
  EXPECT_LT(even.predict(1, 0, range_of(100)).relative_error, 0.06);
  EXPECT_GT(uneven.predict(1, 0, range_of(100)).relative_error, 0.25);
}

TEST(MeasuredRates, SizesHaveRatesOfTheirOwnAndBorrowFromTheNearest) {
  MeasuredRates rates;
  for (int i = 0; i < 20; ++i) {
    rates.learn(sample(16, 0.001));     // a GPU that is not filled: 16,000 groups/s
    rates.learn(sample(1 << 16, 0.1));  // filled: 655,360 groups/s
  }
  EXPECT_NEAR(rates.predict(1, 0, range_of(16)).groups_per_second, 16'000, 1);
  EXPECT_NEAR(rates.predict(1, 0, range_of(1 << 16)).groups_per_second, 655'360, 1);
  const DeviceModel borrowed = rates.predict(1, 0, range_of(1 << 14));
  EXPECT_TRUE(borrowed.measured);
  EXPECT_NEAR(borrowed.groups_per_second, 655'360, 1);
  EXPECT_GT(borrowed.relative_error, rates.predict(1, 0, range_of(1 << 16)).relative_error + 0.1);
}

TEST(MeasuredRates, LocalSizeScalesGroupsPerSecond) {
  MeasuredRates rates;
  rates.learn(sample(1000, 0.001, 64));
  EXPECT_NEAR(rates.predict(1, 0, range_of(500, 128)).groups_per_second, 500'000, 1);
}

TEST(MeasuredRates, SliceOfALaunchTeachesTheLaunchesRate) {
  MeasuredRates rates;
  Sample part = sample(1000, 0.001);
  part.span = {900, 1000};
  rates.learn(part);
  EXPECT_NEAR(rates.predict(1, 0, range_of(1000)).groups_per_second, 100'000, 1);
}

TEST(MeasuredRates, KernelsAndDevicesAreApart) {
  MeasuredRates rates;
  rates.learn(sample(100, 0.001));
  EXPECT_FALSE(rates.predict(2, 0, range_of(100)).measured);
  EXPECT_FALSE(rates.predict(1, 1, range_of(100)).measured);
  EXPECT_FALSE(rates.predict(0, 0, range_of(100)).measured);
}

TEST(MeasuredRates, ShortSpansSayLittleBesideLongOnes) {
  MeasuredRates rates;
  Sample part = sample(1000, 0.01);
  part.span = {0, 10};  // 1000 groups/s, most of it overhead
  rates.learn(part);
  EXPECT_EQ(rates.predict(1, 0, range_of(1000)).measured_groups, 10u);
  part.span = {0, 500};
  rates.learn(part);  // 50,000 groups/s
  EXPECT_NEAR(rates.predict(1, 0, range_of(1000)).groups_per_second, 50'000, 1);
  EXPECT_EQ(rates.predict(1, 0, range_of(1000)).measured_groups, 500u);
  part.span = {0, 10};
  rates.learn(part);
  EXPECT_NEAR(rates.predict(1, 0, range_of(1000)).groups_per_second, 50'000, 1);
  for (int i = 0; i < 60; ++i) rates.learn(part);  // nothing else comes any more
  EXPECT_NEAR(rates.predict(1, 0, range_of(1000)).groups_per_second, 1000, 1);
}

TEST(MeasuredRates, WholeLaunchesAreRememberedBesideSlices) {
  MeasuredRates rates;
  rates.learn(sample(1000, 0.001));
  Sample half = sample(1000, 0.001);
  half.span = {0, 500};
  for (int i = 0; i < 40; ++i) rates.learn(half);
  const DeviceModel model = rates.predict(1, 0, range_of(1000));
  EXPECT_NEAR(model.groups_per_second, 500'000, 100);
  EXPECT_NEAR(model.whole_groups_per_second, 1'000'000, 1);
  EXPECT_EQ(rates.predict(1, 0, range_of(64'000)).whole_groups_per_second, 0);
}

TEST(MeasuredRates, FirstUsesArePaidOnceAndBoundTheRate) {
  DeviceModel constants;
  constants.first_use_seconds = 0.2;
  MeasuredRates rates({constants});
  EXPECT_EQ(rates.predict(1, 0, range_of(100)).first_use_seconds, 0.2);
  Sample first = sample(100, 0.5);
  first.first_use = true;
  rates.learn(first);
  EXPECT_EQ(rates.predict(1, 0, range_of(100)).first_use_seconds, 0);
  EXPECT_NEAR(rates.predict(1, 0, range_of(100)).first_use_groups_per_second, 200, 1e-6);
  EXPECT_EQ(rates.predict(2, 0, range_of(100)).first_use_seconds, 0.2);
  rates.launched({1, range_of(100), 0.1, 0.5, true, true, 1});  // took 0.4 s more than alone
  EXPECT_NEAR(rates.predict(2, 0, range_of(100)).first_use_seconds, 0.3, 1e-9);
}

// What may be explored is a part of what launches took: a cold first one leaves a prediction that is far too long.
TEST(MeasuredRates, AWholeLaunchCountsForNoMoreThanItTook) {
  MeasuredRates rates;
  rates.launched({1, range_of(100), 0.1, 0.01});
  EXPECT_DOUBLE_EQ(rates.experience(1, range_of(100)).seconds, 0.01);
  rates.launched({1, range_of(100), 0.1, 0.3});  // it may have waited
  EXPECT_DOUBLE_EQ(rates.experience(1, range_of(100)).seconds, 0.11);
  rates.launched({1, range_of(100), 0.1, 0.0});  // not known
  EXPECT_DOUBLE_EQ(rates.experience(1, range_of(100)).seconds, 0.21);
}

TEST(MeasuredRates, ADeviceThatBecameAnotherOneVoidsWhatWasFoundOutAboutSplits) {
  MeasuredRates rates;
  for (int i = 0; i < 10; ++i) rates.learn(sample(100, 0.001));
  for (int i = 0; i < 2; ++i) rates.launched({1, range_of(100), 0.1, 0.2, true, false, 0});
  ASSERT_TRUE(rates.experience(1, range_of(100)).split_barred);
  rates.learn(sample(100, 0.003));
  EXPECT_TRUE(rates.experience(1, range_of(100)).split_barred) << "one spike";
  rates.learn(sample(100, 0.003));
  EXPECT_FALSE(rates.experience(1, range_of(100)).split_barred);
  EXPECT_NEAR(rates.predict(1, 0, range_of(100)).groups_per_second, 100 / 0.003, 1);
}

TEST(MeasuredRates, WholeLaunchesAreExpectedToChangeWithSlicesOfOneLength) {
  MeasuredRates rates;
  rates.learn(sample(100, 0.001));
  Sample slice = sample(100, 0.001);
  slice.span = {0, 50};
  for (int i = 0; i < 5; ++i) rates.learn(slice);
  const double whole = rates.predict(1, 0, range_of(100)).whole_groups_per_second;
  const double rate = rates.predict(1, 0, range_of(100)).groups_per_second;
  slice.nanoseconds *= 4;
  for (int i = 0; i < 2; ++i) rates.learn(slice);
  const DeviceModel now = rates.predict(1, 0, range_of(100));
  EXPECT_LT(now.groups_per_second, rate / 3);
  EXPECT_NEAR(now.whole_groups_per_second / whole, now.groups_per_second / rate, 0.02);
}

TEST(PlanningBudget, IsAFiftiethOfTheLaunches) {
  PlanningBudget budget;
  EXPECT_TRUE(budget.affords(5e-8));
  EXPECT_FALSE(budget.affords(5e-7));
  EXPECT_FALSE(budget.affords(1e-3));
  for (int i = 0; i < 51; ++i) budget.launched(1e-3);
  EXPECT_TRUE(budget.affords(1e-3));
  budget.spend(1e-3);
  EXPECT_FALSE(budget.affords(1e-3));
}

TEST(MeasuredRates, ThreadsMayLearnAndPredictAtOnce) {
  MeasuredRates rates;
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&rates, t] {
      for (int i = 0; i < 1000; ++i) {
        Sample s = sample(100, 0.001);
        s.device = t % 2;
        rates.learn(s);
        static_cast<void>(rates.predict(1, t % 2, range_of(100)));
        if (i % 100 == 0) rates.set_device(t, {});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_NEAR(rates.predict(1, 0, range_of(100)).groups_per_second, 100'000, 1);
}

TEST(MeasuredRates, SlicesThatTakeAsLongAsWholeLaunchesAreNoOtherDevice) {
  // A device that 256 groups do not fill: 141 of them take as long. A split that was barred stays so.
  MeasuredRates rates({DeviceModel{}, DeviceModel{}});
  const NdRange range = range_of(256);
  const auto took = [&](std::uint64_t groups, std::uint64_t nanoseconds) {
    rates.learn({1, 0, range, {0, groups}, nanoseconds});
  };
  for (int i = 0; i < 8; ++i) took(256, 2'000'000);
  for (int i = 0; i < 2; ++i) rates.launched({1, range, 2e-3, 9e-3, true});
  ASSERT_TRUE(rates.experience(1, range).split_barred);
  for (int i = 0; i < 4; ++i) took(141, 2'000'000);
  EXPECT_TRUE(rates.experience(1, range).split_barred);
  for (int i = 0; i < 4; ++i) took(141, 4'000'000);
  EXPECT_FALSE(rates.experience(1, range).split_barred) << "now it has become slower";
}

}  // namespace
}  // namespace skmd::domain

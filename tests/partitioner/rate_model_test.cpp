// SPDX-License-Identifier: Apache-2.0
#include "partitioner/rate_model.h"

#include <gtest/gtest.h>

#include <thread>

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
  rates.learn(sample(100, 0.002));
  EXPECT_NEAR(rates.predict(1, 0, range_of(100)).groups_per_second, 87'500, 1);
  for (int i = 0; i < 40; ++i) rates.learn(sample(100, 0.002));
  EXPECT_NEAR(rates.predict(1, 0, range_of(100)).groups_per_second, 50'000, 50);
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

}  // namespace
}  // namespace skmd::domain

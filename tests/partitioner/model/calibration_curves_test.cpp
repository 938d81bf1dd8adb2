// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/calibration_curves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace skmd::domain {
namespace {

constexpr std::uint64_t kMiB = 1u << 20;

/// A cache whose bandwidth gives way to memory's once the set is larger: the part that still fits is read at one rate,
/// the rest at the other.
double bandwidth(double bytes, double cache, double inside, double beyond) {
  if (bytes <= cache) return inside;
  // Replacement by age loses nearly all of a set that is read in order and does not fit.
  const double kept = std::max(0.0, 2 * cache - bytes) / bytes;
  return 1.0 / (kept / inside + (1 - kept) / beyond);
}

std::vector<BandwidthPoint> curve(double cache, double inside, double beyond, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> factor(1 - noise, 1 + noise);
  std::vector<BandwidthPoint> points;
  for (const std::uint64_t bytes : sizes_between(16 << 10, 1024 * kMiB, 2))
    points.push_back({bytes, bandwidth(static_cast<double>(bytes), cache, inside, beyond) * factor(random)});
  return points;
}

TEST(CacheStep, IsFoundInNoise) {
  unsigned seed = 0;
  for (const double cache : {1.5e6, 8e6, 33e6, 50e6, 100e6})
    for (const double ratio : {2.0, 3.0, 8.0})
      for (const double noise : {0.0, 0.05, 0.1})
        for (int i = 0; i < 20; ++i) {
          const CacheStep step = cache_step(curve(cache, ratio * 1e10, 1e10, noise, ++seed));
          EXPECT_GT(step.bytes, cache / 2) << cache << ' ' << ratio << ' ' << noise;
          EXPECT_LT(step.bytes, cache * 2.5) << cache << ' ' << ratio << ' ' << noise;
          EXPECT_NEAR(step.beyond_per_second, 1e10, 0.15e10);
          EXPECT_NEAR(step.inside_per_second, ratio * 1e10, 0.15 * ratio * 1e10);
        }
}

TEST(CacheStep, IsThatOfTheLastCache) {
  auto points = curve(32e6, 6e10, 1e10, 0.0, 1);
  for (BandwidthPoint& point : points)
    if (point.bytes <= kMiB) point.bytes_per_second = 25e10;
  const CacheStep step = cache_step(points);
  EXPECT_GT(step.bytes, 16e6);
  EXPECT_LT(step.bytes, 80e6);
}

TEST(CacheStep, OnePointOffTheCurveDoesNotMatter) {
  const auto smooth = curve(32e6, 4e10, 1e10, 0.0, 1);
  const CacheStep expected = cache_step(smooth);
  for (std::size_t i = 0; i < smooth.size(); ++i)
    for (const double factor : {0.05, 20.0}) {
      auto points = smooth;
      points[i].bytes_per_second *= factor;
      const CacheStep step = cache_step(points);
      EXPECT_GT(step.bytes, expected.bytes / 2.1) << i << ' ' << factor;
      EXPECT_LT(step.bytes, expected.bytes * 2.1) << i << ' ' << factor;
      EXPECT_NEAR(step.beyond_per_second, expected.beyond_per_second, 0.01 * expected.beyond_per_second) << i;
    }
}

TEST(CacheStep, IsMissingWhereNothingFalls) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const CacheStep step = cache_step(curve(1e12, 1e10, 1e9, 0.1, seed));
    EXPECT_EQ(step.bytes, 0.0);
    EXPECT_EQ(step.inside_per_second, step.beyond_per_second);
    EXPECT_NEAR(step.beyond_per_second, 1e10, 0.15e10);
  }
}

TEST(CacheStep, StaysInsideTheCurveWhateverItsShape) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> exponent(9.0, 10.0);
  for (int round = 0; round < 5000; ++round) {
    std::vector<BandwidthPoint> points;
    for (const std::uint64_t bytes : sizes_between(1024, 1024u << (random() % 12), 2))
      points.push_back({bytes, std::pow(10.0, exponent(random))});
    const CacheStep step = cache_step(points);
    if (step.bytes == 0.0) continue;
    EXPECT_GE(step.bytes, static_cast<double>(points.front().bytes));
    EXPECT_LE(step.bytes, static_cast<double>(points.back().bytes));
    EXPECT_GT(step.inside_per_second, step.beyond_per_second);
  }
}

TEST(CacheStep, TakesAnyPoints) {
  EXPECT_EQ(cache_step({}), CacheStep{});
  const double odd[] = {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity(), 1e-300, 1e300, 1.0};
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<BandwidthPoint> points(random() % 6);
    for (BandwidthPoint& point : points)
      point = {random() % 3 * kMiB * (1 + random() % 9), odd[random() % std::size(odd)]};
    const CacheStep step = cache_step(points);
    for (const double value : {step.bytes, step.inside_per_second, step.beyond_per_second}) {
      EXPECT_TRUE(std::isfinite(value));
      EXPECT_GE(value, 0.0);
    }
    EXPECT_GE(step.inside_per_second, step.beyond_per_second);
  }
}

TEST(TransferLine, FindsLatencyAndRateInNoise) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> factor(0.9, 1.1);
  for (const double latency : {2e-6, 2e-5, 1e-3})
    for (const double rate : {1e9, 1.2e10, 5.5e10}) {
      std::vector<TransferPoint> points;
      for (const std::uint64_t bytes : sizes_between(1024, 256 * kMiB, 4))
        points.push_back({bytes, (latency + static_cast<double>(bytes) / rate) * factor(random)});
      const TransferLine line = transfer_line(points);
      EXPECT_NEAR(line.latency_seconds, latency, 0.2 * latency);
      EXPECT_NEAR(line.bytes_per_second, rate, 0.2 * rate);
    }
}

TEST(TransferLine, TakesAnyPoints) {
  EXPECT_EQ(transfer_line({}), TransferLine{});
  const double odd[] = {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity(), 1e-12, 1e12, 1.0};
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    std::vector<TransferPoint> points(random() % 6);
    for (TransferPoint& point : points) point = {random() % 3 * 1000, odd[random() % std::size(odd)]};
    const TransferLine line = transfer_line(points);
    for (const double value : {line.latency_seconds, line.bytes_per_second}) {
      EXPECT_TRUE(std::isfinite(value));
      EXPECT_GE(value, 0.0);
    }
  }
}

TEST(SaturatingThreads, AreTheFewestNearTheBest) {
  EXPECT_EQ(saturating_threads({}), 0u);
  const std::vector<ThreadsRate> h200{{1, 8.9e9}, {2, 16.6e9}, {4, 32.8e9}, {8, 51e9}};
  EXPECT_EQ(saturating_threads(h200), 8u);
  const std::vector<ThreadsRate> flat{{1, 9.5e9}, {2, 9.9e9}, {4, 10e9}, {8, 7e9}};
  EXPECT_EQ(saturating_threads(flat), 1u);
  const std::vector<ThreadsRate> wrong{{0, 1e10}, {2, std::nan("")}, {4, 1e9}};
  EXPECT_EQ(saturating_threads(wrong), 4u);
}

TEST(Sizes, GrowByTheStepAndEnd) {
  EXPECT_EQ(sizes_between(1024, 256 * kMiB, 4).size(), 10u);
  EXPECT_EQ(sizes_between(1024, 1024, 2), (std::vector<std::uint64_t>{1024}));
  EXPECT_TRUE(sizes_between(1024, 1023, 2).empty());
  EXPECT_EQ(sizes_between(1, UINT64_MAX, 2).size(), 64u);
}

TEST(Affordable, IsTheFirstAndWhatTheTimeLeftIsEnoughFor) {
  EXPECT_TRUE(is_affordable({}, 1 << 30, 0.0));
  const std::vector<TransferPoint> measured{{kMiB, 0.1}};
  EXPECT_TRUE(is_affordable(measured, 4 * kMiB, 0.5));
  EXPECT_FALSE(is_affordable(measured, 4 * kMiB, 0.3));
}

TEST(BoundsOfACalibration, LeaveRoomAndNeedABandwidth) {
  DeviceCalibration calibration;
  EXPECT_EQ(bounds_of(calibration).bytes_per_second, 0.0);
  calibration.memory = {5e7, 8e12, 3e12};
  EXPECT_GT(bounds_of(calibration).bytes_per_second, 3e12);
  EXPECT_LT(bounds_of(calibration).bytes_per_second, 4e12);
  EXPECT_EQ(bounds_of(calibration).cache_bytes, 5e7);
}

}  // namespace
}  // namespace skmd::domain

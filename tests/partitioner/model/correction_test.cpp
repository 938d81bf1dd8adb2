// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/correction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace skmd::domain {
namespace {

constexpr double kError = 0.1;
constexpr Corrections::Key kKey{7, 1};

TimePrediction stored(double seconds, double error = kError) {
  return {seconds, seconds / (1.0 + error), seconds * (1.0 + error)};
}

double width_of(const TimePrediction& prediction) { return prediction.high / prediction.seconds - 1.0; }

/// Launches of a second by the stored model, a second apart.
class Series {
 public:
  void take(double seconds, int times = 1) {
    for (int i = 0; i < times; ++i) corrections_.learn(kKey, stored(1.0), seconds, now_ += 1.0);
  }
  [[nodiscard]] TimePrediction believed(double later = 0.0) const {
    return corrections_.corrected(kKey, stored(1.0), now_ + later);
  }
  [[nodiscard]] Corrections& corrections() { return corrections_; }
  [[nodiscard]] double now() const { return now_; }

 private:
  Corrections corrections_;
  double now_ = 1e9;  // a clock that has run for long
};

TEST(Correction, WithoutLaunchesTheStoredModelIsBelieved) {
  const TimePrediction asked = stored(0.25);
  const TimePrediction believed = Corrections{}.corrected(kKey, asked, 5.0);
  EXPECT_EQ(believed.seconds, asked.seconds);
  EXPECT_EQ(believed.low, asked.low);
  EXPECT_EQ(believed.high, asked.high);
}

TEST(Correction, LaunchesInsideTheBandMoveTheFactor) {
  Series series;
  series.take(1.05, 20);
  EXPECT_NEAR(series.believed().seconds, 1.05, 0.002);
  // The factor is one of rates: it holds for spans of other lengths.
  EXPECT_NEAR(series.corrections().corrected(kKey, stored(8.0), series.now()).seconds, 8.4, 0.02);
  EXPECT_LT(width_of(series.believed()), kError);
}

TEST(Correction, OneSpikeDoesNotEnter) {
  Series series;
  series.take(1.02, 10);
  const double before = series.believed().seconds;
  series.take(50.0);
  EXPECT_EQ(series.believed().seconds, before);
  EXPECT_LT(width_of(series.believed()), kError);
  series.take(0.01);
  EXPECT_EQ(series.believed().seconds, before);
}

TEST(Correction, SpikesThatAreNotInARowNeverEnter) {
  Series series;
  for (int i = 0; i < 200; ++i) series.take(i % 5 == 3 ? 20.0 : 1.0);
  EXPECT_NEAR(series.believed().seconds, 1.0, 0.01);
}

TEST(Correction, FiveInARowChangeTheLevel) {
  Series series;
  series.take(1.0, 30);
  series.take(3.0, 4);
  EXPECT_NEAR(series.believed().seconds, 1.0, 0.01);
  series.take(3.1);
  EXPECT_NEAR(series.believed().seconds, 3.0, 1e-9);  // the median of the five
  EXPECT_LT(series.believed().high, 4.0);
  EXPECT_GT(series.believed().high, 3.1);
  series.take(1.0, 5);
  EXPECT_NEAR(series.believed().seconds, 1.0, 1e-9);
}

TEST(Correction, AModelThatWasNeverRightIsCorrectedByTwoLaunches) {
  Series series;
  series.take(3.0);
  EXPECT_EQ(series.believed().seconds, 1.0) << "one may be a spike";
  series.take(2.5);
  EXPECT_NEAR(series.believed().seconds, 2.5, 1e-9) << "the nearer one";
  series.take(0.5);
  series.take(8.0);
  EXPECT_NEAR(series.believed().seconds, 2.5, 1e-9) << "they disagree";
  series.take(2.5);
  series.take(5.0, 4);
  EXPECT_NEAR(series.believed().seconds, 2.5, 1e-9) << "it was right since";
}

TEST(Correction, FarShorterLaunchesSayNothingOfLongOnes) {
  Corrections all;
  double now = 0.0;
  const auto learn = [&](double predicted, double seconds, int times) {
    for (int i = 0; i < times; ++i) all.learn(kKey, stored(predicted), seconds, now += 1.0);
  };
  learn(1e-6, 30e-6, 10);
  EXPECT_NEAR(all.corrected(kKey, stored(1e-6), now).seconds, 30e-6, 1e-6) << "there are no others";
  learn(1e-3, 1e-3, 1);
  EXPECT_NEAR(all.corrected(kKey, stored(1e-3), now).seconds, 1e-3, 1e-6) << "it begins anew";
  learn(1e-6, 30e-6, 10);
  EXPECT_NEAR(all.corrected(kKey, stored(1e-3), now).seconds, 1e-3, 1e-6);
  learn(1e-4, 3e-4, 10);
  EXPECT_NEAR(all.corrected(kKey, stored(1e-3), now).seconds, 3e-3, 1e-4) << "a tenth of the launch does tell";
  EXPECT_EQ(all.corrected(kKey, stored(1e-6), now).seconds, 1e-6) << "nor do long ones of them";
  learn(1e-6, 30e-6, 80);
  EXPECT_NEAR(all.corrected(kKey, stored(1e-6), now).seconds, 30e-6, 1e-6) << "there seem to be no others any more";
}

TEST(Correction, FiveThatDisagreeMakeTheBandHoldThem) {
  Series series;
  for (const double seconds : {4.0, 0.25, 2.0, 0.5, 1.5}) series.take(seconds);
  EXPECT_NEAR(series.believed().seconds, 1.5, 1e-9);
  EXPECT_GE(series.believed().high, 4.0);  // four of the five are inside
  EXPECT_LE(series.believed().low, 0.5 + 1e-9);
}

TEST(Correction, AgeWidensTheBandUntilTheDeviceIsMeasuredAgain) {
  Series series;
  series.take(5.0, 5);
  const double fresh = width_of(series.believed());
  EXPECT_GT(width_of(series.believed(60.0)), 1.5 * fresh);
  EXPECT_EQ(series.believed(60.0).seconds, series.believed().seconds);
  // In the end the band holds what the stored model says: the device may be as fast as ever.
  EXPECT_LE(series.believed(1e7).low, 1.0 + 1e-9);
  EXPECT_LE(series.believed(1e300).high, 25.0 + 1e-9);
  series.take(5.0);
  EXPECT_LE(width_of(series.believed()), 1.05 * fresh);
}

TEST(Correction, LaunchesOnOtherDevicesAgeIt) {
  Series series;
  series.take(5.0, 5);
  const double fresh = width_of(series.believed());
  for (int i = 0; i < 64; ++i) series.corrections().learn({kKey.kernel, 2}, stored(1.0), 1.0, series.now());
  EXPECT_GT(width_of(series.believed()), 1.5 * fresh);
  Series other;
  other.take(5.0, 5);
  for (int i = 0; i < 64; ++i) other.corrections().learn({kKey.kernel + 1, 2}, stored(1.0), 1.0, other.now());
  EXPECT_EQ(width_of(other.believed()), fresh);
}

TEST(Correction, AfterAnAgeOneLaunchInTheWideBandCountsForMuch) {
  Series series;
  series.take(5.0, 5);
  series.take(5.0, 100);
  series.corrections().learn(kKey, stored(1.0), 1.5, series.now() + 1e6);
  const TimePrediction believed = series.corrections().corrected(kKey, stored(1.0), series.now() + 1e6);
  EXPECT_LT(believed.seconds, 3.0);
  EXPECT_LE(believed.low, 1.5);  // nor is the old level forgotten at once
  EXPECT_GE(believed.high, 5.0);
}

TEST(Correction, ATimeThatGoesBackIsNoAge) {
  Series series;
  series.take(1.0, 5);
  EXPECT_EQ(width_of(series.believed(-1e6)), width_of(series.believed()));
  EXPECT_EQ(width_of(series.believed(std::nan(""))), width_of(series.believed()));
}

TEST(Correction, KernelsAndDevicesAreKeptApartAndForgotten) {
  Series series;
  series.take(2.0, 5);
  Corrections& all = series.corrections();
  const auto of = [&](const Corrections::Key& key) { return all.corrected(key, stored(1.0), series.now()).seconds; };
  EXPECT_EQ(of({kKey.kernel, 0}), 1.0);
  EXPECT_EQ(of({kKey.kernel + 1, kKey.device}), 1.0);
  EXPECT_EQ(of(kKey), 2.0);
  for (int i = 0; i < 5; ++i) all.learn({kKey.kernel + 1, 0}, stored(1.0), 3.0, series.now());
  all.forget(kKey.kernel);
  EXPECT_EQ(of(kKey), 1.0);
  EXPECT_EQ(all.find(kKey), nullptr);
  EXPECT_NEAR(of({kKey.kernel + 1, 0}), 3.0, 1e-9);
}

TEST(Correction, NumbersThatAreNoneAreIgnored) {
  Series series;
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) series.take(bad, 10);
  EXPECT_EQ(series.believed().seconds, 1.0);
  for (int i = 0; i < 10; ++i) series.corrections().learn(kKey, stored(0.0), 1.0, series.now());
  EXPECT_EQ(series.believed().seconds, 1.0);
}

TEST(Correction, AProgramThatMakesKernelsForEverStartsOver) {
  Corrections all;
  for (std::uint64_t kernel = 0; kernel < 70000; ++kernel) all.learn({kernel, 0}, stored(1.0), 1.05, 1.0);
  EXPECT_EQ(all.find({0, 0}), nullptr);
  EXPECT_NE(all.find({69999, 0}), nullptr);
}

/// A device that drifts, changes its level and has spikes.
struct Device {
  double noise, spikes, drift;
  double level = 1.0;
  double next(std::mt19937_64& random) {
    level *= 1.0 + drift;
    const double spike = std::bernoulli_distribution(spikes)(random) ? 10.0 : 1.0;
    return level * spike * std::exp(std::normal_distribution<double>(0.0, noise)(random));
  }
};

TEST(CorrectionProperty, RandomSeriesStayFinitePositiveAndAreFollowed) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    const auto between = [&](double low, double high) {
      return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(random));
    };
    const double error = between(0.03, 0.5), size = between(1e-6, 1e3);
    Device device{between(1e-3, 0.2), seed % 2 == 0 ? 0.0 : 0.05, seed % 3 == 0 ? between(1e-4, 3e-3) : 0.0};
    Corrections all, twin;
    double now = 0.0;
    int inside = 0, asked = 0;
    for (int launch = 0; launch < 400; ++launch) {
      if (launch % 100 == 0) device.level *= between(0.2, 5.0);
      now += between(1e-6, 10.0);
      const TimePrediction believed = all.corrected(kKey, stored(size, error), now);
      ASSERT_TRUE(std::isfinite(believed.high) && believed.low > 0) << seed;
      ASSERT_LE(believed.low, believed.seconds);
      ASSERT_GE(believed.high, believed.seconds);
      ASSERT_EQ(believed.seconds, twin.corrected(kKey, stored(size, error), now).seconds);
      const double level = device.level;
      const double seconds = size * device.next(random);
      if (launch % 100 >= 20) {  // time enough to see that the level changed
        ++asked;
        inside += believed.low <= seconds && seconds <= believed.high ? 1 : 0;
        ASSERT_NEAR(std::log(believed.seconds / (size * level)), 0.0, 0.1 + 3 * device.noise) << seed << " " << launch;
      }
      all.learn(kKey, stored(size, error), seconds, now);
      twin.learn(kKey, stored(size, error), seconds, now);
    }
    EXPECT_GT(inside, 0.7 * asked) << seed;
  }
}

TEST(CorrectionProperty, AnythingAtAllIsSurvived) {
  std::mt19937_64 random(5);
  const auto anything = [&] {
    switch (std::uniform_int_distribution<int>(0, 9)(random)) {
      case 0:
        return std::numeric_limits<double>::max();
      case 1:
        return std::numeric_limits<double>::denorm_min();
      case 2:
        return std::nan("");
      case 3:
        return -std::numeric_limits<double>::infinity();
      default:
        return std::exp(std::uniform_real_distribution<double>(-600, 600)(random));
    }
  };
  Corrections all;
  for (int i = 0; i < 20000; ++i) {
    all.learn(kKey, {anything(), anything(), anything()}, anything(), anything());
    const TimePrediction believed = all.corrected(kKey, stored(1.0), anything());
    ASSERT_TRUE(std::isfinite(believed.seconds) && std::isfinite(believed.high));
    ASSERT_GT(believed.low, 0.0);
    ASSERT_LE(believed.low, believed.high);
  }
}

}  // namespace
}  // namespace skmd::domain

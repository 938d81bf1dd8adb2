// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/time_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace skmd::domain {
namespace {

constexpr std::uint32_t kUnits = 100;

struct Launch {
  double groups, operations, bytes;
};

Point point(const Launch& launch, double groups) {
  Point result;
  result.groups = groups;
  result.operations = launch.operations;
  result.bytes = launch.bytes;
  result.size = launch.groups * launch.bytes;
  result.launch_groups = launch.groups;
  result.parameters = {result.size, launch.groups};
  return result;
}

using Device = std::function<double(const Point&)>;  // seconds

/// 16 spans, from 4 groups to all.
std::vector<Point> profile(const Launch& launch, const Device& device) {
  std::vector<Point> points;
  for (int i = 0; i < 16; ++i) {
    const double groups = i < 4 ? 4.0 * (i + 1) : std::round(16 * std::pow(launch.groups / 16, (i - 3) / 12.0));
    points.push_back(point(launch, groups));
    points.back().seconds = device(points.back());
  }
  return points;
}

/// Median of the relative errors for spans of a launch, after fits to two smaller ones.
double median_error(const Device& device, const std::vector<Launch>& train, const Launch& test,
                    ModelKind kind = ModelKind::arctan, Bounds bounds = {}) {
  std::vector<Point> points;
  for (const Launch& launch : train)
    for (const Point& each : profile(launch, device)) points.push_back(each);
  const auto model = fit(points, {kind, kUnits, bounds});
  EXPECT_TRUE(model.ok());
  std::vector<double> errors;
  for (double part = 0.02; part <= 1.0; part += 0.02) {
    const Point asked = point(test, std::round(part * test.groups));
    const double seconds = device(asked);
    errors.push_back(std::abs(predict(*model, asked).seconds - seconds) / seconds);
  }
  std::nth_element(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2), errors.end());
  return errors[errors.size() / 2];
}

TEST(TimeModel, FindsALineWithAFloor) {
  const Device device = [](const Point& p) { return 1e-5 + 2e-12 * p.groups * p.operations; };
  EXPECT_LT(median_error(device, {{1000, 1e4, 0}, {4000, 2e4, 0}}, {50000, 8e4, 0}), 0.01);
}

TEST(TimeModel, TakesTripCountsForWhatTheyAre) {
  // A matrix product: operations of a group grow with the size, its bytes do not.
  const Device device = [](const Point& p) {
    return 8e-6 + 1e-13 * p.groups * p.operations + 1e-13 * p.groups * p.bytes;
  };
  EXPECT_LT(median_error(device, {{1024, 5e5, 1e4}, {4096, 1e6, 1e4}}, {65536, 4e6, 1e4}), 0.02);
}

TEST(TimeModel, FollowsStairsAndNoise) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(1.0, 0.02);
  const Device device = [&](const Point& p) {
    return noise(random) * (1e-5 + 1e-11 * p.operations * std::ceil(p.groups / (4.0 * kUnits)));
  };
  EXPECT_LT(median_error(device, {{2000, 1e5, 0}, {8000, 1e5, 0}}, {64000, 1e5, 0}), 0.04);
}

TEST(TimeModel, FollowsStairsThatAFewGroupsMake) {
  // One group on each unit at a time, and a real launch of ten rounds of them.
  const Device device = [](const Point& p) { return 2e-5 + 1e-8 * p.operations * std::ceil(p.groups / kUnits); };
  EXPECT_LT(median_error(device, {{120, 1e5, 0}, {250, 2e5, 0}}, {1000, 8e5, 0}), 0.02);
}

TEST(TimeModel, FollowsAProcessorThatBeginsAlone) {
  // One unit for 12 us; then 100 us go by until all sixteen work.
  const Device device = [](const Point& p) {
    const double alone = 2e-12 * p.groups * p.operations;
    return 2e-6 + (alone < 12e-6 ? alone : 12e-6 + 1e-4 + alone / 16);
  };
  const std::vector<Launch> train{{1000, 1e5, 0}, {32000, 1e5, 0}};
  EXPECT_LT(median_error(device, train, {500000, 1e5, 0}), 0.03);
  // And short spans are not believed to take as long as the help.
  std::vector<Point> points = profile(train.front(), device);
  for (const Point& each : profile(train.back(), device)) points.push_back(each);
  const auto model = fit(points, {ModelKind::arctan, kUnits, {}});
  ASSERT_TRUE(model);
  for (const double groups : {4.0, 30.0}) {
    const Point asked = point(train.front(), groups);
    EXPECT_NEAR(predict(*model, asked).seconds, device(asked), 0.3 * device(asked)) << groups;
  }
}

TEST(TimeModel, BoxesOfASpanRunOneByOne) {
  // A box takes as long as one group does as long as it does not fill the device.
  const Device device = [](const Point& p) {
    return 4e-6 + 1e-9 * p.operations * std::max(p.boxes, p.groups / kUnits);
  };
  std::vector<Point> points;
  for (const Launch& launch : {Launch{64, 1e4, 0}, Launch{250, 4e4, 0}})
    for (Point each : profile(launch, device)) {
      each.boxes = each.groups == launch.groups ? 1 : 3;
      each.seconds = device(each);
      points.push_back(each);
    }
  const auto model = fit(points, {ModelKind::arctan, kUnits, {}});
  ASSERT_TRUE(model);
  for (const double boxes : {1.0, 2.0, 3.0}) {
    Point asked = point({1000, 1.6e5, 0}, 90);
    asked.boxes = boxes;
    EXPECT_NEAR(predict(*model, asked).seconds, device(asked), 0.05 * device(asked)) << boxes;
  }
}

TEST(TimeModel, ADeviceThatWasNeverFilledIsNotBelievedToRunAnyNumberAtOnce) {
  const Device device = [](const Point& p) { return 1e-8 * p.operations * std::max(1.0, p.groups / (2.0 * kUnits)); };
  EXPECT_LT(median_error(device, {{100, 1e4, 0}, {180, 1e4, 0}}, {4000, 1e4, 0}), 0.05);
}

TEST(TimeModel, BandwidthBeyondTheCacheBoundsWhatWasMeasuredInIt) {
  constexpr double kCache = 5e7, kMemory = 1e12;
  const Device device = [&](const Point& p) {
    const double bytes = p.groups * p.bytes;
    return 1e-6 + std::min(bytes, kCache) / 1e13 + std::max(0.0, bytes - kCache) / kMemory;
  };
  const std::vector<Launch> train{{1000, 0, 8192}, {5000, 0, 8192}};
  const Launch test{100000, 0, 8192};
  EXPECT_GT(median_error(device, train, test), 0.5);
  EXPECT_LT(median_error(device, train, test, ModelKind::arctan, {kMemory, kCache}), 0.05);
}

TEST(TimeModel, WhatALaunchCostsComesOnTopOfTheBound) {
  constexpr double kCache = 5e7, kMemory = 1e12, kLaunch = 1e-3;
  const Device device = [&](const Point& p) {
    const double bytes = p.groups * p.bytes;
    return kLaunch + std::min(bytes, kCache) / 1e13 + std::max(0.0, bytes - kCache) / kMemory;
  };
  EXPECT_LT(
      median_error(device, {{1000, 0, 8192}, {5000, 0, 8192}}, {100000, 0, 8192}, ModelKind::arctan, {kMemory, kCache}),
      0.02);
}

TEST(TimeModel, WhereOnlyTheBoundSpeaksTheBandIsWide) {
  const Device device = [](const Point& p) { return 1e-6 + p.groups * p.bytes / 1e13; };
  std::vector<Point> points = profile({1000, 0, 8192}, device);
  for (const Point& each : profile({5000, 0, 8192}, device)) points.push_back(each);
  const auto model = fit(points, {ModelKind::arctan, kUnits, {1e12, 5e7}});
  ASSERT_TRUE(model);
  const auto width = [&](double groups) {
    const TimePrediction at = predict(*model, point({groups, 0, 8192}, groups));
    return at.high / at.seconds - 1.0;
  };
  EXPECT_LT(width(5000), 0.1);
  EXPECT_GE(width(10000), 0.25);
}

TEST(TimeModel, ABoundDoesNotSlowKernelsWhoseBytesAreInACache) {
  constexpr double kCache = 1e6, kMemory = 1e10;
  // A table of 0.1 MB that each group reads from end to end, or a buffer that four neighbours read each byte of.
  for (const double part_of_size : {1e-4, 0.25}) {
    const Device device = [&](const Point& p) { return 1e-6 + p.groups * p.bytes / 1e12; };
    std::vector<Point> points;
    for (const double groups : {1000.0, 5000.0}) {
      const Launch launch{groups, 0, 1e5};
      for (Point each : profile(launch, device)) {
        each.size *= part_of_size;
        points.push_back(each);
      }
    }
    const auto model = fit(points, {ModelKind::arctan, kUnits, {kMemory, kCache}});
    ASSERT_TRUE(model);
    Point asked = point({100000, 0, 1e5}, 100000);
    asked.size *= part_of_size;
    EXPECT_NEAR(predict(*model, asked).seconds, device(asked), 0.05 * device(asked)) << part_of_size;
  }
}

TEST(TimeModel, KernelsWhoseWorkIsInMemoryGoByARateWithAWideBand) {
  // A device with a curve, whose groups take half to one and a half times as long as the kernel's limit says.
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> data(0.5, 1.5);
  const Device device = [&](const Point& p) {
    return 1e-6 + 1e-10 * p.operations * data(random) * p.groups * saturation(p.groups, 0.01, 400);
  };
  std::vector<Point> points = profile({4000, 1e4, 1e3}, device);
  points.back().data_decides = true;  // one sample that says so is enough
  const auto model = fit(points, {ModelKind::arctan, kUnits, {}});
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->data_decides);
  for (const FittedTerm& fitted : model->terms) {
    EXPECT_NE(fitted.term.shape, TermShape::saturating) << name_of(fitted.term);
    EXPECT_NE(fitted.term.work, Work::bytes) << name_of(fitted.term);
  }
  // The same spans of a kernel that ids and arguments decide: not so wide.
  const Device steady = [](const Point& p) { return 1e-6 + 1e-10 * p.operations * p.groups; };
  std::vector<Point> known = profile({4000, 1e4, 1e3}, steady);
  EXPECT_FALSE(fit(known, {ModelKind::arctan, kUnits, {}})->data_decides);
  for (const ModelKind kind : {ModelKind::arctan, ModelKind::rate, ModelKind::paper}) {
    for (Point& each : known) each.data_decides = true;
    const auto wide = fit(known, {kind, kUnits, {}});
    ASSERT_TRUE(wide);
    const TimePrediction prediction = predict(*wide, known.back());
    EXPECT_GE(prediction.high, 1.499 * prediction.seconds) << name_of(kind);
    EXPECT_LE(prediction.low, prediction.seconds / 1.499) << name_of(kind);
  }
}

TEST(TimeModel, WorkThatIsNotKnownIsThatOfTheLargestLaunch) {
  const Device device = [](const Point& p) { return 1e-5 + 2e-12 * p.groups * p.operations; };
  std::vector<Point> points = profile({1000, 1e4, 0}, device);
  for (const Point& each : profile({4000, 2e4, 0}, device)) points.push_back(each);
  const auto model = fit(points, {ModelKind::arctan, kUnits, {}});
  ASSERT_TRUE(model);
  const TimePrediction known = predict(*model, point({4000, 2e4, 0}, 2000));
  const TimePrediction unknown = predict(*model, point({4000, 0, 0}, 2000));
  EXPECT_DOUBLE_EQ(unknown.seconds, known.seconds);
  EXPECT_GE(unknown.high, 1.99 * unknown.seconds);
  EXPECT_LT(known.high, 1.1 * known.seconds);
}

TEST(TimeModel, RateIsThatOfTheLongestSpan) {
  std::vector<Point> points{point({100, 1, 1}, 10), point({100, 1, 1}, 50)};
  points[0].seconds = 1.0;
  points[1].seconds = 2.0;
  const auto model = fit(points, {ModelKind::rate, kUnits, {}});
  ASSERT_TRUE(model);
  EXPECT_NEAR(predict(*model, point({100, 1, 1}, 100)).seconds, 4.0, 1e-12);
}

TEST(TimeModel, ThePapersFormIsExactOnTheProfile) {
  const Device device = [](const Point& p) { return 1e-5 + 2e-9 * p.groups; };
  const auto points = profile({4000, 1e4, 1e3}, device);
  const auto model = fit(points, {ModelKind::paper, kUnits, {}});
  ASSERT_TRUE(model);
  for (const Point& each : points) EXPECT_NEAR(predict(*model, each).seconds / each.seconds, 1.0, 0.02) << each.groups;
}

TEST(TimeModel, WhatCannotBeFittedToIsLeftOutAndNothingIsAnError) {
  EXPECT_FALSE(fit({}, {}));
  std::vector<Point> points{point({100, 1, 1}, 10), point({100, 1, 1}, 20), point({100, 1, 1}, 0)};
  points[0].seconds = std::nan("");
  points[1].seconds = -1.0;
  points[2].seconds = 1.0;
  EXPECT_FALSE(fit(points, {}));
  points.push_back(point({100, 1, 1}, 50));
  points.back().seconds = 0.5;
  const auto model = fit(points, {});
  ASSERT_TRUE(model);
  EXPECT_NEAR(predict(*model, points.back()).seconds, 0.5, 1e-9);
}

TEST(TimeModel, KindsAreNamed) {
  for (const ModelKind kind : {ModelKind::arctan, ModelKind::paper, ModelKind::rate})
    EXPECT_EQ(*parse_model_kind(name_of(kind)), kind);
  const auto wrong = parse_model_kind("atan");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().reason.find("\"atan\""), std::string::npos);
}

/// For random samples and bounds, predictions are finite, positive, inside their band and never fall as the groups
/// rise.
TEST(TimeModelProperty, PredictionsOfAnySamplesAreSane) {
  std::mt19937_64 random(11);
  const auto between = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(random));
  };
  for (int round = 0; round < 400; ++round) {
    const bool counts = round % 3 != 0;
    std::vector<Point> points;
    const int number = 1 + round % 40;
    for (int i = 0; i < number; ++i) {
      const Launch launch{std::round(between(1, 1e7)), counts ? between(1, 1e9) : 0.0,
                          round % 2 != 0 ? between(1, 1e6) : 0.0};
      points.push_back(point(launch, std::max(1.0, std::round(between(1, launch.groups + 1)))));
      points.back().boxes = 1 + i % 3;
      points.back().seconds = between(1e-9, 1e3);
    }
    for (const ModelKind kind : {ModelKind::arctan, ModelKind::rate}) {
      const Bounds bounds{round % 4 == 0 ? 0.0 : between(1e3, 1e15), between(1, 1e12)};
      const auto model = fit(points, {kind, static_cast<std::uint32_t>(between(1, 1000)), bounds});
      ASSERT_TRUE(model);
      double before = 0.0;
      for (double groups = 1; groups < 1e9; groups *= 3) {
        Point asked = points[static_cast<std::size_t>(round) % points.size()];
        asked.groups = groups;
        asked.boxes = 1 + round % 3;
        const TimePrediction now = predict(*model, asked);
        ASSERT_TRUE(std::isfinite(now.seconds) && std::isfinite(now.high)) << round;
        ASSERT_GT(now.seconds, 0.0);
        ASSERT_GE(now.seconds, before * (1 - 1e-12)) << round << ", " << groups << " groups";
        ASSERT_LT(now.low, now.seconds);
        ASSERT_GT(now.high, now.seconds);
        before = now.seconds;
      }
    }
  }
}

TEST(TimeModel, BandsGrowWithTheDistance) {
  const Device device = [](const Point& p) { return 1e-5 + 2e-12 * p.groups * p.operations; };
  const auto model = fit(profile({1000, 1e4, 0}, device), {ModelKind::arctan, kUnits, {}});
  ASSERT_TRUE(model);
  const auto width = [&](double groups) {
    const auto band = predict(*model, point({groups, 1e4, 0}, groups));
    return band.high / band.seconds;
  };
  EXPECT_LT(width(500), width(4000));
  EXPECT_LT(width(4000), width(100000));
}

}  // namespace
}  // namespace skmd::domain

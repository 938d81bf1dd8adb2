// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/few_terms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace skmd::domain {
namespace {

constexpr std::uint32_t kUnits = 16;

Point point(double launch_groups, double groups, double seconds) {
  Point result;
  result.groups = groups;
  result.launch_groups = launch_groups;
  result.operations = 1000;
  result.size = launch_groups * 64;
  result.seconds = seconds;
  return result;
}

/// 10 us and 20 ns for each group.
double line(double groups) { return 1e-5 + 2e-8 * groups; }

std::vector<Point> measured(double launch_groups) {
  std::vector<Point> points;
  for (double groups = 4; groups < launch_groups; groups *= 1.5)
    points.push_back(point(launch_groups, std::round(groups), line(std::round(groups))));
  points.push_back(point(launch_groups, launch_groups, line(launch_groups)));
  return points;
}

double error_at(const FewTerms& few, double groups) {
  const double seconds = line(groups);
  return std::abs(sum_of(few.terms, point(groups, groups, 0)) - seconds) / seconds;
}

TEST(FewTerms, OutliersAreNotFitted) {
  std::vector<Point> points = measured(4096);
  for (std::size_t i = 3; i < points.size(); i += 6) points[i].seconds *= 4.0;
  points.front().seconds *= 20.0;  // a clock that was still slow
  const FewTerms few = fit_few_terms(points, kUnits);
  EXPECT_LT(error_at(few, 4096), 0.03);
  EXPECT_LT(error_at(few, 65536), 0.05);
}

TEST(FewTerms, NoiseIsInTheErrorThatIsTold) {
  for (const double noise : {0.02, 0.1, 0.3}) {
    std::mt19937_64 random(7);
    std::vector<Point> points, others;
    for (std::vector<Point>* some : {&points, &others})
      for (const double size : {2048.0, 4096.0, 8192.0})
        for (Point each : measured(size)) {
          each.seconds *= std::exp(std::normal_distribution<double>(0, noise)(random));
          some->push_back(each);
        }
    const FewTerms few = fit_few_terms(points, kUnits);
    int inside = 0;
    for (const Point& each : others)
      inside += std::abs(sum_of(few.terms, each) - each.seconds) / each.seconds <= few.error ? 1 : 0;
    EXPECT_GT(inside, 0.65 * static_cast<double>(others.size())) << noise;
    EXPECT_LT(few.error, 3 * noise + 0.05) << noise;
  }
}

TEST(FewTerms, WhatOneLaunchDoesNotTellOfAnotherIsInTheErrorThatIsTold) {
  // Two launches tell operations and bytes apart, one does not: the next one may have something that neither shows.
  const auto of = [](Point each, double bytes) {
    each.bytes = bytes;
    each.seconds = 1e-5 + each.groups * (1e-11 * each.operations + 1e-10 * each.bytes);
    return each;
  };
  std::vector<Point> points;
  for (const Point& each : measured(1024)) points.push_back(of(each, 100));
  EXPECT_LT(fit_few_terms(points, kUnits).error, 0.05);
  for (const Point& each : measured(8192)) points.push_back(of(each, 400));
  const FewTerms few = fit_few_terms(points, kUnits);
  const Point asked = of(point(65536, 65536, 0), 1600);
  EXPECT_NEAR(sum_of(few.terms, asked) / asked.seconds, 1.0, 0.05);
  EXPECT_GT(few.error, 0.2);
}

TEST(FewTerms, ThousandsOfSamplesOfEverydayUseAreFittedAsFewAre) {
  std::mt19937_64 random(9);
  std::vector<Point> points = measured(4096);
  for (int i = 0; i < 5000; ++i) {
    const double noise = std::exp(std::normal_distribution<double>(0, 0.05)(random));
    const double size = std::round(std::exp2(std::uniform_real_distribution<double>(6, 13)(random)));
    points.push_back(point(size, size, line(size) * noise * (i % 20 == 0 ? 3 : 1)));
  }
  const FewTerms few = fit_few_terms(points, kUnits);
  for (const double groups : {100.0, 1000.0, 8000.0, 100000.0}) EXPECT_LT(error_at(few, groups), 0.06) << groups;
  EXPECT_LT(few.error, 0.25);
}

TEST(FewTerms, LaunchesOfAllKindsAreToldApartInTheirThousands) {
  // What a group does grows with the launch: lengths alone say nothing.
  std::mt19937_64 random(13);
  std::vector<Point> points;
  const auto of = [](double size, double groups) {
    Point result = point(size, groups, 0);
    result.operations = 10 * size;
    result.seconds = 1e-5 + 1e-12 * groups * result.operations;
    return result;
  };
  for (int i = 0; i < 4000; ++i) {
    const double size = std::round(std::exp2(std::uniform_real_distribution<double>(3, 16)(random)));
    points.push_back(of(size, std::max(1.0, std::round(size * std::uniform_real_distribution<double>(0, 1)(random)))));
  }
  const FewTerms few = fit_few_terms(points, kUnits);
  const Point asked = of(200000, 100000);
  EXPECT_NEAR(sum_of(few.terms, asked) / asked.seconds, 1.0, 0.05);
}

TEST(FewTerms, OneSizeMeasuredOftenDoesNotDrownTheCurve) {
  std::vector<Point> points = measured(4096);
  for (int i = 0; i < 2000; ++i) points.push_back(point(64, 64, 1.3 * line(64)));
  EXPECT_LT(error_at(fit_few_terms(points, kUnits), 4096), 0.05);
}

TEST(FewTerms, TheOrderOfPointsDoesNotMatterAndTheResultIsAlwaysTheSame) {
  std::mt19937_64 random(3);
  std::vector<Point> points;
  for (const double size : {500.0, 3000.0})
    for (Point each : measured(size)) {
      each.seconds *= std::exp(std::normal_distribution<double>(0, 0.05)(random));
      points.push_back(each);
    }
  const FewTerms first = fit_few_terms(points, kUnits);
  std::reverse(points.begin(), points.end());
  const FewTerms second = fit_few_terms(points, kUnits);
  const Point asked = point(10000, 10000, 0);
  EXPECT_NEAR(sum_of(first.terms, asked), sum_of(second.terms, asked), 1e-6 * sum_of(first.terms, asked));
}

TEST(FewTerms, OnePointIsEnough) {
  const FewTerms few = fit_few_terms({point(100, 100, 1e-3)}, kUnits);
  EXPECT_NEAR(sum_of(few.terms, point(100, 100, 0)), 1e-3, 1e-9);
  EXPECT_GE(few.error, 0.3);
}

}  // namespace
}  // namespace skmd::domain

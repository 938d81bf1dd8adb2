// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace skmd::domain {
namespace {

/// Kuhn and Tucker's conditions, which hold at the solution alone: x >= 0, no gain in any column, none at all in those
/// used.
void expect_solution(const Matrix& a, const std::vector<double>& y, const std::vector<double>& x) {
  ASSERT_EQ(x.size(), a.columns);
  std::vector<double> rest = y;
  double length = 0.0;
  for (std::size_t row = 0; row < a.rows; ++row) {
    length += y[row] * y[row];
    for (std::size_t column = 0; column < a.columns; ++column)
      rest[row] -= a.values[row * a.columns + column] * x[column];
  }
  for (std::size_t column = 0; column < a.columns; ++column) {
    double gain = 0.0, scale = 0.0;
    for (std::size_t row = 0; row < a.rows; ++row) {
      gain += a.values[row * a.columns + column] * rest[row];
      scale = std::max(scale, std::abs(a.values[row * a.columns + column]));
    }
    const double allowed = 1e-7 * scale * (1.0 + std::sqrt(length));
    EXPECT_GE(x[column], 0.0);
    EXPECT_LE(gain, allowed) << "column " << column;
    if (x[column] > 0) {
      EXPECT_GE(gain, -allowed) << "column " << column;
    }
  }
}

TEST(LeastSquares, NonnegativeSolutionsHoldTheConditionsOfTheLeast) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 300; ++round) {
    Matrix a{4 + static_cast<std::size_t>(round) % 40, 1 + static_cast<std::size_t>(round) % 13, {}};
    const double scale = std::pow(10.0, round % 12 - 6);
    for (std::size_t i = 0; i < a.rows * a.columns; ++i) a.values.push_back(normal(random) * scale);
    std::vector<double> y(a.rows);
    for (double& value : y) value = normal(random);
    expect_solution(a, y, nonnegative_least_squares(a, y));
  }
}

TEST(LeastSquares, EqualAndEmptyColumnsDoNoHarm) {
  const Matrix a{3, 4, {1, 1, 0, 2, 2, 2, 0, 4, 3, 3, 0, 6}};
  const std::vector<double> y{1, 2, 3};
  const auto x = nonnegative_least_squares(a, y);
  expect_solution(a, y, x);
  EXPECT_EQ(x[2], 0.0);
  EXPECT_NEAR(x[0] + x[1] + 2 * x[3], 1.0, 1e-12);
}

TEST(LeastSquares, OfEqualColumnsTheFirstIsTaken) {
  const Matrix a{3, 3, {1, 1, 1, 1, 1, 1, 1, 1, 1}};
  const auto x = nonnegative_least_squares(a, std::vector<double>{2, 2, 2});
  EXPECT_NEAR(x[0], 2.0, 1e-12);
  EXPECT_EQ(x[1], 0.0);
  EXPECT_EQ(x[2], 0.0);
}

TEST(LeastSquares, MinimumNormSharesBetweenEqualColumns) {
  const Matrix a{2, 2, {1, 1, 2, 2}};
  const auto x = minimum_norm_least_squares(a, std::vector<double>{4, 8});
  EXPECT_NEAR(x[0], 2.0, 1e-9);
  EXPECT_NEAR(x[1], 2.0, 1e-9);
}

TEST(LeastSquares, MinimumNormMayBeNegative) {
  const Matrix a{3, 2, {1, 1, 1, 2, 1, 3}};
  const auto x = minimum_norm_least_squares(a, std::vector<double>{1, 0, -1});
  EXPECT_NEAR(x[0], 2.0, 1e-9);
  EXPECT_NEAR(x[1], -1.0, 1e-9);
}

TEST(LeastSquares, NothingIsSolvedByNothing) {
  EXPECT_TRUE(nonnegative_least_squares({}, {}).empty());
  EXPECT_EQ(nonnegative_least_squares({0, 2, {}}, {}), (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace skmd::domain

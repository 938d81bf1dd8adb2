// SPDX-License-Identifier: Apache-2.0
#include "bench/reference/doubles.h"

#include <gtest/gtest.h>

#include <cmath>

namespace bench::doubles {
namespace {

TEST(Doubles, FactorsMultiplyBack) {
  const std::vector<double> tiles = definite_tiles(2);
  const std::span<const double> a = std::span(tiles).subspan(kTileOrder * kTileOrder);
  const std::vector<double> u = cholesky(a);
  for (std::size_t row = 0; row < kTileOrder; ++row) {
    for (std::size_t column = 0; column < kTileOrder; ++column) {
      double sum = 0;
      for (std::size_t k = 0; k < kTileOrder; ++k) sum += u[k * kTileOrder + row] * u[k * kTileOrder + column];
      ASSERT_NEAR(sum, a[row * kTileOrder + column], 1e-12) << row << ' ' << column;
      if (column < row) {
        ASSERT_EQ(u[row * kTileOrder + column], 0) << row << ' ' << column;
      }
    }
  }
}

TEST(Doubles, TheTransformIsThatOfTheDefinition) {
  const std::vector<Complex> image = random_complex(kImageLength * kImageLength);
  std::vector<Complex> transformed = image;
  transform_image(transformed);
  const std::vector<Complex> roots = roots_of_unity(kImageLength);
  for (const auto& [y, x] : {std::pair<std::size_t, std::size_t>{0, 0}, {1, 0}, {0, 3}, {200, 77}, {255, 255}}) {
    Complex sum = 0;
    for (std::size_t row = 0; row < kImageLength; ++row)
      for (std::size_t column = 0; column < kImageLength; ++column)
        sum += image[row * kImageLength + column] * roots[(row * y + column * x) % kImageLength];
    EXPECT_NEAR(std::abs(sum - transformed[y * kImageLength + x]), 0, 1e-9) << y << ' ' << x;
  }
}

// The mean of a price that has no drift but growth is known; a slope is a difference of payoffs.
TEST(Doubles, SimulatedOptionsAreWorthWhatTheirPathsAre) {
  constexpr int kSteps = 16, kItems = 4000;
  double mean = 0, spread = 0;
  for (std::uint32_t item = 0; item < kItems; ++item) {
    const Price price = simulate(item, 0, kSteps);  // a strike of 0: the mean price itself
    mean += price.payoff / kItems;
    spread += price.payoff * price.payoff / kItems;
    EXPECT_TRUE(std::isfinite(price.slope));
  }
  double expected = 0;
  for (int step = 1; step <= kSteps; ++step) expected += kStart * std::exp(kGrowth * step) / kSteps;
  const double error = std::sqrt((spread - mean * mean) / kItems);
  EXPECT_NEAR(mean, expected, 4 * error);
  EXPECT_GT(error, 0);
  EXPECT_EQ(simulate(7, 1000, kSteps).payoff, 0);
  EXPECT_EQ(simulate(7, 1000, kSteps).slope, 0);
}

}  // namespace
}  // namespace bench::doubles

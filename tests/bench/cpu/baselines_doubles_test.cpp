// SPDX-License-Identifier: Apache-2.0
// What the baselines in double precision compute, in every instruction set that this processor has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bench/cpu/simd_doubles.h"
#include "bench/reference/doubles.h"

namespace bench::simd {
namespace {

class DoubleBaselines : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    if (double_functions(GetParam()).lanes != GetParam()) GTEST_SKIP() << "this processor has no such vectors";
  }
  const DoubleFunctions& simd() const { return double_functions(GetParam()); }
};

TEST_P(DoubleBaselines, TransformsAreThoseOfTheReference) {
  constexpr std::size_t kLines = 2 * doubles::kImageLength, kNumbers = doubles::kImageLength * doubles::kImageLength;
  const auto in = doubles::random_complex(kLines * doubles::kImageLength);
  const auto roots = doubles::roots_of_unity(doubles::kImageLength);
  auto out = in;
  const FourierWork work{in.data(), out.data(), roots.data()};
  for (const auto function : {simd().fft_rows, simd().fft_columns}) {
    function(work, 0, 24);
    function(work, 24, kLines);
  }
  auto expected = in;
  for (std::size_t image = 0; image < 2; ++image)
    doubles::transform_image(std::span(expected).subspan(image * kNumbers, kNumbers));
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(std::abs(out[i] - expected[i]), 0, 1e-11) << i;
}

TEST_P(DoubleBaselines, FactorsAreThoseOfTheReference) {
  constexpr std::size_t kTiles = 3, kNumbers = doubles::kTileOrder * doubles::kTileOrder;
  const std::vector<double> tiles = doubles::definite_tiles(kTiles);
  std::vector<double> factors(tiles.size(), -1);
  simd().cholesky(tiles.data(), factors.data(), 0, 1);
  simd().cholesky(tiles.data(), factors.data(), 1, kTiles);
  for (std::size_t tile = 0; tile < kTiles; ++tile) {
    const auto expected = doubles::cholesky(std::span(tiles).subspan(tile * kNumbers, kNumbers));
    for (std::size_t i = 0; i < kNumbers; ++i)
      ASSERT_NEAR(factors[tile * kNumbers + i], expected[i], 1e-12) << tile << ' ' << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Lanes, DoubleBaselines, testing::Values(2, 4, 8));

}  // namespace
}  // namespace bench::simd

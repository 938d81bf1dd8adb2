// SPDX-License-Identifier: Apache-2.0
// Inputs and host references of the workloads in double precision, which their baselines and tests share.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bench::doubles {

inline constexpr std::size_t kTileOrder = 64;
/// `count` symmetric matrices of that order, one after the other; positive definite.
std::vector<double> definite_tiles(std::size_t count);
/// The upper triangular U, zeros below it, with A = Ut U.
std::vector<double> cholesky(std::span<const double> a);

using Complex = std::complex<double>;
inline constexpr std::size_t kImageLength = 256;
/// Both parts in [-1, 1).
std::vector<Complex> random_complex(std::size_t count);
/// exp(-2 pi i k / count) for k from 0 to count - 1.
std::vector<Complex> roots_of_unity(std::size_t count);
/// The Fourier transform of the rows, then of the columns, of a square image of order kImageLength.
void transform_image(std::span<Complex> image);

inline constexpr double kStart = 50, kGrowth = 0.0005, kVolatility = 0.02;  // of a price, by step
/// Prices that options are compared with.
std::vector<double> strikes(std::size_t count);
struct Price {
  double payoff;  // what the mean price of a path is above the strike, or 0; the mean of eight paths
  double slope;   // its derivative by the volatility
};
/// The option of one work-item.
Price simulate(std::uint32_t item, double strike, int steps);

}  // namespace bench::doubles

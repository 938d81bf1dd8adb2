// SPDX-License-Identifier: Apache-2.0
// As simd.h, in double precision: what is written by hand for fft_2d and cholesky, the same passes and order of steps.
#pragma once

#include <complex>
#include <cstddef>

namespace bench::simd {

struct FourierWork {
  const std::complex<double>* in;
  std::complex<double>* out;
  const std::complex<double>* roots;  // exp(-2 pi i k / 256) for k < 256
};

/// The functions for one instruction set.
struct DoubleFunctions {
  const char* isa;
  std::size_t lanes;  // doubles in a vector
  /// Of images of 256 x 256 numbers one after the other, rows [first, last), multiples of 8, of `in` to `out`.
  void (*fft_rows)(const FourierWork&, std::size_t first, std::size_t last);
  /// Columns [first, last), multiples of 8, of all images counted through, of `out` in place.
  void (*fft_columns)(const FourierWork&, std::size_t first, std::size_t last);
  /// Tiles [first, last) of 64 x 64 numbers: `a` symmetric and positive definite, `u` as the kernel gives it.
  void (*cholesky)(const double* a, double* u, std::size_t first, std::size_t last);
};

/// For the widest vectors that this processor has and SKMD_TEST_ISA allows, or none of more than `lanes` doubles if
/// that is not 0.
const DoubleFunctions& double_functions(std::size_t lanes = 0);

}  // namespace bench::simd

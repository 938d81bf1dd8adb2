// SPDX-License-Identifier: Apache-2.0
// What a careful programmer writes by hand, with vectors, for the algorithms of four kernels: the same tiles, rows and
// order of steps, single precision, functions as accurate as OpenCL asks for. And plain loops, which the compiler may
// turn into vectors. Each function does a part of the work, for one thread to take.
#pragma once

#include <cstddef>
#include <string_view>

namespace bench::simd {

/// One body or one of four options side by side.
struct alignas(16) Four {
  float s[4];
};

struct NbodyWork {
  const Four* positions;
  const Four* velocities;
  Four* new_positions;
  Four* new_velocities;
  std::size_t bodies;  // a multiple of 512
  float dt, softening;
};

struct MatrixWork {
  const float* a;
  const float* b;
  float* c;
  std::size_t n;  // a multiple of 32
};

struct OptionsWork {
  const float* price;
  const float* strike;
  const float* years;
  float* call;
  float* put;
  float rate, volatility;
};

struct TreeWork {
  const Four* samples;
  Four* prices;
  int steps;  // even, at most 254
  float rate, volatility;
};

/// The functions for one instruction set.
struct Functions {
  const char* isa;
  std::size_t lanes;  // floats in a vector
  /// Bodies [first, last), multiples of 64; 1/sqrt by a square root and a division, each exact.
  void (*nbody_exact)(const NbodyWork&, std::size_t first, std::size_t last);
  /// The same with the processor's estimate and a Newton step, within OpenCL's 2 ULP.
  void (*nbody_estimate)(const NbodyWork&, std::size_t first, std::size_t last);
  /// Tiles [first, last) of 32 x 32 entries, row by row of tiles.
  void (*matrix_multiplication)(const MatrixWork&, std::size_t first, std::size_t last);
  /// Options [first, last), multiples of 16.
  void (*black_scholes)(const OptionsWork&, std::size_t first, std::size_t last);
  /// Trees [first, last).
  void (*binomial_option)(const TreeWork&, std::size_t first, std::size_t last);
  /// Plain loops over the bytes that a kernel reads and writes. Sums of chunks [first, last) of 4096 numbers each.
  void (*reduction)(const float* numbers, float* sums, std::size_t first, std::size_t last);
  void (*vector_add)(const float* a, const float* b, float* c, std::size_t first, std::size_t last);
  /// Tiles [first, last) of 32 x 32 of a square matrix of order `n`, a multiple of 32.
  void (*transpose)(const float* in, float* out, std::size_t n, std::size_t first, std::size_t last);
  /// Exclusive prefix sums inside each of blocks [first, last) of 256 numbers, and the blocks' sums.
  void (*scan_blocks)(const float* in, float* out, float* sums, std::size_t first, std::size_t last);
  /// Adds `offsets[block]` to the 256 numbers of each of blocks [first, last).
  void (*add_offsets)(float* numbers, const float* offsets, std::size_t first, std::size_t last);
  /// Multiply-adds, `rounds` times 16 vectors, all independent: 2 floating-point operations a lane. The result only
  /// keeps the compiler from leaving them out.
  float (*multiply_add)(std::size_t rounds);
};

/// Floats in the widest vector that code for `isa` uses, as SKMD_TEST_ISA names it: 4 (`sse`), 8 (`avx2`), else 16.
std::size_t lanes_of_cap(std::string_view isa);

/// For the widest vectors that this processor has and SKMD_TEST_ISA allows; none wider than `lanes`, unless that is 0.
const Functions& functions(std::size_t lanes = 0);

}  // namespace bench::simd

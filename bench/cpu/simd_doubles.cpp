// SPDX-License-Identifier: Apache-2.0
#include "bench/cpu/simd_doubles.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/cpu/simd.h"

namespace bench::simd {
namespace {

using Complex = std::complex<double>;

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,prefer-vector-width=512")
#endif
namespace avx512 {
constexpr std::size_t kLanes = 8;
constexpr const char* kIsa = "AVX-512";
#include "bench/cpu/simd_doubles_body.inc"
}  // namespace avx512
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
namespace avx2 {
constexpr std::size_t kLanes = 4;
constexpr const char* kIsa = "AVX2";
#include "bench/cpu/simd_doubles_body.inc"
}  // namespace avx2
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace sse2 {
constexpr std::size_t kLanes = 2;
constexpr const char* kIsa = "SSE2";
#include "bench/cpu/simd_doubles_body.inc"
}  // namespace sse2

}  // namespace

const DoubleFunctions& double_functions(std::size_t lanes) {
  // What the processor has is what the functions in single precision have, of half as many lanes.
  switch (functions(2 * lanes).lanes) {
    case 16:
      return avx512::kFunctions;
    case 8:
      return avx2::kFunctions;
    default:
      return sse2::kFunctions;
  }
}

}  // namespace bench::simd

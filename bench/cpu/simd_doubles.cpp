// SPDX-License-Identifier: Apache-2.0
#include "bench/cpu/simd_doubles.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/cpu/simd.h"

namespace bench::simd {
namespace {

using Complex = std::complex<double>;

#include "bench/cpu/for_avx512.inc"
namespace avx512 {
constexpr std::size_t kLanes = 8;
constexpr const char* kIsa = "AVX-512";
#include "bench/cpu/simd_doubles_body.inc"
}  // namespace avx512
#include "bench/cpu/for_all.inc"

#include "bench/cpu/for_avx2.inc"
namespace avx2 {
constexpr std::size_t kLanes = 4;
constexpr const char* kIsa = "AVX2";
#include "bench/cpu/simd_doubles_body.inc"
}  // namespace avx2
#include "bench/cpu/for_all.inc"

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

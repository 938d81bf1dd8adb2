// SPDX-License-Identifier: Apache-2.0
#include "bench/cpu/simd.h"

#include <immintrin.h>

#include <cstdlib>

namespace bench::simd {
namespace {

#include "bench/cpu/for_avx512.inc"
namespace avx512 {
constexpr std::size_t kLanes = 16;
constexpr const char* kIsa = "AVX-512";
// GCC 12 takes the unmasked forms for uses of uninitialised values.
[[gnu::always_inline]] inline __m512 square_root(__m512 x) { return _mm512_maskz_sqrt_ps(0xFFFF, x); }
[[gnu::always_inline]] inline __m512 inverse_root_estimate(__m512 x) { return _mm512_maskz_rsqrt14_ps(0xFFFF, x); }
[[gnu::always_inline]] inline __m512 shift_four(__m512 here, __m512 next) {
  return _mm512_castsi512_ps(
      _mm512_maskz_alignr_epi32(0xFFFF, _mm512_castps_si512(next), _mm512_castps_si512(here), 4));
}
#include "bench/cpu/simd_body.inc"
}  // namespace avx512
#include "bench/cpu/for_all.inc"

#include "bench/cpu/for_avx2.inc"
namespace avx2 {
constexpr std::size_t kLanes = 8;
constexpr const char* kIsa = "AVX2";
[[gnu::always_inline]] inline __m256 square_root(__m256 x) { return _mm256_sqrt_ps(x); }
[[gnu::always_inline]] inline __m256 inverse_root_estimate(__m256 x) { return _mm256_rsqrt_ps(x); }
[[gnu::always_inline]] inline __m256 shift_four(__m256 here, __m256 next) {
  return _mm256_permute2f128_ps(here, next, 0x21);
}
#include "bench/cpu/simd_body.inc"
}  // namespace avx2
#include "bench/cpu/for_all.inc"

namespace sse2 {
constexpr std::size_t kLanes = 4;
constexpr const char* kIsa = "SSE2";
[[gnu::always_inline]] inline __m128 square_root(__m128 x) { return _mm_sqrt_ps(x); }
[[gnu::always_inline]] inline __m128 inverse_root_estimate(__m128 x) { return _mm_rsqrt_ps(x); }
[[gnu::always_inline]] inline __m128 shift_four(__m128, __m128 next) { return next; }
#include "bench/cpu/simd_body.inc"
}  // namespace sse2

}  // namespace

std::size_t lanes_of_cap(std::string_view isa) {
  if (isa == "sse") return sse2::kLanes;
  return isa == "avx2" ? avx2::kLanes : avx512::kLanes;
}

const Functions& functions(std::size_t lanes) {
  const char* const cap = std::getenv("SKMD_TEST_ISA");
  const std::size_t most = lanes_of_cap(cap != nullptr ? cap : "");
  const auto allowed = [lanes, most](const Functions& candidate) {
    return candidate.lanes <= most && (lanes == 0 || candidate.lanes <= lanes);
  };
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  if (has_avx512 && allowed(avx512::kFunctions)) return avx512::kFunctions;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && allowed(avx2::kFunctions))
    return avx2::kFunctions;
  return sse2::kFunctions;
}

}  // namespace bench::simd

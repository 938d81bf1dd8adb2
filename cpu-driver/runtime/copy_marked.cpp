// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <bit>
#include <cstring>

#include "cpu-driver/host_target.h"
#include "cpu-driver/runtime/merge_run.h"

namespace skmd::cpu {

namespace {

constexpr std::uint64_t kBits = 64;  // of a word
constexpr std::uint64_t kFull = ~std::uint64_t{0};

/// Copies the units of one word that is neither empty nor full.
using CopyWord = void (*)(const std::byte* from, std::byte* to, std::uint32_t unit, std::uint64_t bits);

void copy_runs(const std::byte* from, std::byte* to, std::uint32_t unit, std::uint64_t bits) {
  for (std::uint64_t done = 0; bits != 0;) {
    const auto skip = static_cast<std::uint64_t>(std::countr_zero(bits));
    bits >>= skip;
    const auto run = static_cast<std::uint64_t>(std::countr_one(bits));
    done += skip;
    std::memcpy(to + done * unit, from + done * unit, run * unit);
    done += run;
    bits = run == kBits ? 0 : bits >> run;
  }
}

#if defined(__x86_64__)
// Bits without any order cost a branch each above; here they cost nothing. Units that are not marked are not written.
#define SKMD_MASKED __attribute__((target("avx512f,avx512bw,avx512vl")))
SKMD_MASKED void copy_bytes_masked(const std::byte* from, std::byte* to, std::uint32_t, std::uint64_t bits) {
  _mm512_mask_storeu_epi8(to, bits, _mm512_maskz_loadu_epi8(bits, from));
}
SKMD_MASKED void copy_shorts_masked(const std::byte* from, std::byte* to, std::uint32_t, std::uint64_t bits) {
  for (unsigned i = 0; i < 2; ++i) {
    const auto mask = static_cast<__mmask32>(bits >> (32 * i));
    _mm512_mask_storeu_epi16(to + 64 * i, mask, _mm512_maskz_loadu_epi16(mask, from + 64 * i));
  }
}
SKMD_MASKED void copy_words_masked(const std::byte* from, std::byte* to, std::uint32_t, std::uint64_t bits) {
  for (unsigned i = 0; i < 4; ++i) {
    const auto mask = static_cast<__mmask16>(bits >> (16 * i));
    _mm512_mask_storeu_epi32(to + 64 * i, mask, _mm512_maskz_loadu_epi32(mask, from + 64 * i));
  }
}
SKMD_MASKED void copy_longs_masked(const std::byte* from, std::byte* to, std::uint32_t, std::uint64_t bits) {
  for (unsigned i = 0; i < 8; ++i) {
    const auto mask = static_cast<__mmask8>(bits >> (8 * i));
    _mm512_mask_storeu_epi64(to + 64 * i, mask, _mm512_maskz_loadu_epi64(mask, from + 64 * i));
  }
}
#undef SKMD_MASKED

CopyWord copier_of(std::uint32_t unit) {
  static const bool masked = may_use(SpanTarget::x86_64_v4);
  if (!masked) return copy_runs;
  switch (unit) {
    case 1:
      return copy_bytes_masked;
    case 2:
      return copy_shorts_masked;
    case 4:
      return copy_words_masked;
    case 8:
      return copy_longs_masked;
    default:
      return copy_runs;
  }
}
#else
CopyWord copier_of(std::uint32_t) { return copy_runs; }
#endif

}  // namespace

void copy_marked(const std::byte* from, std::byte* to, std::uint32_t unit, std::span<const std::uint64_t* const> maps,
                 std::uint64_t first, std::uint64_t last) {
  const CopyWord copy_word = copier_of(unit);
  const std::uint64_t block = kBits * unit;
  std::uint64_t full = first;  // words from here on are full, and not yet copied
  const auto copy_full = [&](std::uint64_t end) {
    if (end != full) std::memcpy(to + full * block, from + full * block, (end - full) * block);
  };
  for (std::uint64_t word = first; word < last; ++word) {
    std::uint64_t bits = 0;
    for (const std::uint64_t* map : maps) bits |= map[word];
    if (bits == kFull) continue;
    copy_full(word);
    full = word + 1;
    if (bits != 0) copy_word(from + word * block, to + word * block, unit, bits);
  }
  copy_full(last);
}

}  // namespace skmd::cpu

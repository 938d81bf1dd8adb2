// SPDX-License-Identifier: Apache-2.0
#include "bench/cpu/goals.h"

#include <cpuid.h>

#include <algorithm>

namespace bench {
namespace {

/// As CPUID has it: the base family, and what is added to its largest number.
bool is_amd_from_family(unsigned family) {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kAuth = 0x68747541;  // "Auth" of "AuthenticAMD"
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) == 0 || ebx != kAuth) return false;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return false;
  const unsigned base = eax >> 8 & 0xf;
  return (base == 0xf ? base + (eax >> 20 & 0xff) : base) >= family;
}

}  // namespace

Goals goals_of(const Processor& processor, Vectors used) {
  switch (used) {
    case Vectors::avx512:
      return {.workload = 1, .mean = processor.is_zen5 ? 8 : 5.5, .divergent = 2.5, .by_hand = 0.85, .by_loops = 0.9};
    case Vectors::avx2:
      return {.workload = 1,
              .mean = processor.has == Vectors::avx2 ? 5 : 4.5,
              .divergent = 2,
              .by_hand = 0.8,
              .by_loops = 0.9};
    default:
      return {.workload = 0.7, .mean = 2.5, .divergent = 0.7, .by_hand = 0.8, .by_loops = 0.9};
  }
}

Processor this_processor() {
  constexpr unsigned kZen5 = 0x1a;
  Processor processor;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) processor.has = Vectors::avx2;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw"))
    processor.has = Vectors::avx512;
  processor.is_zen5 = is_amd_from_family(kZen5);
  return processor;
}

Vectors used_of(const Processor& processor, std::string_view cap) {
  const Vectors most = cap == "sse" ? Vectors::sse : cap == "avx2" ? Vectors::avx2 : Vectors::avx512;
  return std::min(processor.has, most);
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/host_target.h"

#include <array>
#include <cstdlib>
#include <string>

namespace skmd::cpu {
namespace {

struct Level {
  std::string_view isa;  // as SKMD_TEST_ISA names it
  SpanTarget target;
};
/// From the least on: each has what those before it have.
constexpr std::array<Level, 4> kLevels = {{{"sse", SpanTarget::x86_64_v2},
                                           {"avx2", SpanTarget::x86_64_v3},
                                           {"avx512", SpanTarget::x86_64_v4},
                                           {"avx512vbmi", SpanTarget::x86_64_v4_vbmi}}};

std::optional<SpanTarget> cap_of_environment() {
  const char* value = secure_getenv("SKMD_TEST_ISA");
  const auto cap = parse_isa_cap(value != nullptr ? value : "");
  return cap ? *cap : std::nullopt;
}

}  // namespace

std::string_view name_of(SpanTarget target) {
  switch (target) {
    case SpanTarget::x86_64_v2:
      return "x86-64-v2";
    case SpanTarget::x86_64_v3:
      return "x86-64-v3";
    case SpanTarget::x86_64_v4:
      return "x86-64-v4";
    case SpanTarget::x86_64_v4_vbmi:
      return "x86-64-v4-vbmi";
    case SpanTarget::aarch64:
      return "aarch64";
  }
  return {};
}

#if defined(__x86_64__)
bool runs_here(SpanTarget target) {
  switch (target) {
    case SpanTarget::x86_64_v2:
      return __builtin_cpu_supports("x86-64-v2") != 0;
    case SpanTarget::x86_64_v3:
      return __builtin_cpu_supports("x86-64-v3") != 0;
    case SpanTarget::x86_64_v4:
      return __builtin_cpu_supports("x86-64-v4") != 0;
    case SpanTarget::x86_64_v4_vbmi:
      return __builtin_cpu_supports("x86-64-v4") != 0 && __builtin_cpu_supports("avx512vbmi") != 0;
    default:
      return false;
  }
}
#elif defined(__aarch64__)
bool runs_here(SpanTarget target) { return target == SpanTarget::aarch64; }
#else
#error "span code is loaded on x86-64 and AArch64"
#endif

domain::Result<std::optional<SpanTarget>> parse_isa_cap(std::string_view value) {
  if (value.empty()) return std::optional<SpanTarget>();
  for (const Level& level : kLevels)
    if (level.isa == value) return std::optional(level.target);
  return domain::Error{0, "SKMD_TEST_ISA is \"" + std::string(value) + "\": expected sse, avx2, avx512 or avx512vbmi"};
}

std::optional<SpanTarget> best_target(std::optional<SpanTarget> cap) {
  std::optional<SpanTarget> best;
  for (const Level& level : kLevels) {
    if (runs_here(level.target)) best = level.target;
    if (cap == level.target) break;
  }
  if (!best && runs_here(SpanTarget::aarch64)) best = SpanTarget::aarch64;
  return best;
}

std::optional<SpanTarget> best_target() {
  static const std::optional<SpanTarget> best = best_target(cap_of_environment());
  return best;
}

bool may_use(SpanTarget target) {
  const auto best = best_target();
  bool below = true;
  for (const Level& level : kLevels) {
    if (level.target == target) return below && best && runs_here(target);
    below = below && level.target != best;
  }
  return best == target;
}

}  // namespace skmd::cpu

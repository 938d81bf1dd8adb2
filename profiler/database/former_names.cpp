// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/former_names.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace skmd::profiler {
namespace {

constexpr std::string_view kOurPlatform = "SKMD";
/// How PoCL begins the names of its devices on the host's processors.
constexpr std::array<std::string_view, 4> kDrivers{"pthread-", "cpu-", "basic-", "tbb-"};

/// Of names that LLVM has for processors (skylake-avx512, x86-64-v3), and of what PoCL calls its drivers (cpu-minimal).
bool is_part_of_a_target(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_' || letter == '.';
}

}  // namespace

domain::DeviceKey todays(domain::DeviceKey key) {
  if (key.platform != kOurPlatform) return key;
  std::string_view rest = key.name;
  const auto begins = [&](std::string_view driver) { return rest.starts_with(driver); };
  const auto* const driver = std::find_if(kDrivers.begin(), kDrivers.end(), begins);
  if (driver == kDrivers.end()) return key;
  rest.remove_prefix(driver->size());
  // Processors' own names have capitals or blanks before the first hyphen, as in "13th Gen Intel(R) Core(TM)
  // i7-13700K".
  for (std::size_t hyphen = rest.find('-'); hyphen != std::string_view::npos; hyphen = rest.find('-')) {
    if (!std::all_of(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(hyphen), is_part_of_a_target)) break;
    rest.remove_prefix(hyphen + 1);
  }
  if (!rest.empty()) key.name = std::string(rest);
  return key;
}

}  // namespace skmd::profiler

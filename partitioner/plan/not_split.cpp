// SPDX-License-Identifier: Apache-2.0
#include "partitioner/plan/not_split.h"

#include <array>
#include <cstddef>

namespace skmd::domain {

namespace {

constexpr std::array<std::string_view, kNotSplitCount> kReasonNames = {
    "mode_single",           "small_launch",          "one_group",  "one_device_eligible",  "not_profitable",
    "atomic_result_used",    "device_scope_sync",     "spinning",   "pointer_in_memory",    "image_read",
    "image_written",         "mutable_program_scope", "printf",     "device_specific_code", "opaque_program",
    "float_decides_address", "memory_short",          "unmergeable"};

}  // namespace

std::string_view name(NotSplit reason) {
  const auto index = static_cast<std::size_t>(reason);
  return index < kReasonNames.size() ? kReasonNames[index] : "unmergeable";
}

}  // namespace skmd::domain

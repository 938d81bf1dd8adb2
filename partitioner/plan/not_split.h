// SPDX-License-Identifier: Apache-2.0
// Why a launch stays whole.
#pragma once

#include <cstdint>
#include <string_view>

namespace skmd::domain {

/// The closed list of reasons for which a launch stays whole.
enum class NotSplit : std::uint8_t {
  mode_single,
  small_launch,
  one_group,
  one_device_eligible,
  not_profitable,
  atomic_result_used,
  device_scope_sync,
  spinning,
  pointer_in_memory,
  image_read,
  image_written,
  mutable_program_scope,
  printf,
  device_specific_code,
  opaque_program,
  float_decides_address,
  memory_short,
  unmergeable,
};
inline constexpr std::uint8_t kNotSplitCount = static_cast<std::uint8_t>(NotSplit::unmergeable) + 1;
std::string_view name(NotSplit reason);

}  // namespace skmd::domain

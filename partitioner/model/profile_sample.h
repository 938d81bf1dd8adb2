// SPDX-License-Identifier: Apache-2.0
// One timed span of groups: a row of the profile database, and input of fits.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "partitioner/base/nd_range.h"

namespace skmd::domain {

/// The code that ran. Another form of the same kernel is different code with different times.
struct KernelKey {
  std::string program;  // as in the statistics
  std::string name;
  std::string form;  // "whole", "ready" (can be split), "span-ISA-gN" of the CPU driver's generator N, or kRoundsForm
  auto operator<=>(const KernelKey&) const = default;
};

/// The form of a sample that times no code: its `kernel_ns` is what a round of the application took, the median, with
/// the launch whole on the device, `passed_over` one less than the rounds its process had measured, and `warm` whether
/// they held no other launch (former_rounds.h).
inline constexpr std::string_view kRoundsForm = "rounds";

/// Devices with equal keys are expected to be equally fast, and share their samples.
struct DeviceKey {
  std::string platform;
  std::string name;
  std::string driver;       // version
  std::uint32_t units = 0;  // compute units
  auto operator<=>(const DeviceKey&) const = default;
};

struct ScalarArgument {
  std::uint32_t index = 0;
  std::int64_t value = 0;  // integers only
  auto operator<=>(const ScalarArgument&) const = default;
};

struct BufferArgument {
  std::uint32_t index = 0;
  std::uint64_t bytes = 0;  // of the buffer, from the argument's pointer
  auto operator<=>(const BufferArgument&) const = default;
};

struct ProfileSample {
  KernelKey kernel;
  DeviceKey device;
  std::string tag;  // which run it belongs to; "" of everyday use
  NdRange range;
  GroupSpan span;
  std::uint32_t boxes = 1;  // native launches that the span was cut into
  std::vector<BufferArgument> buffers;
  std::vector<ScalarArgument> scalars;
  /// GroupWork of the launch (group_work.h); 0: not known.
  double group_operations = 0.0;
  double group_bytes = 0.0;
  bool data_decides_work = false;  // GroupWork::data_decides
  std::uint64_t kernel_ns = 0;     // without transfers
  std::uint64_t to_ns = 0;         // transfers to the device before
  std::uint64_t from_ns = 0;       // and from it afterwards
  bool warm = false;               // the same bytes were touched just before
  bool first_use = false;          // may hold a compilation: kept, never fitted
  std::string commit;              // of SKMD
  std::int64_t date = 0;           // seconds since 1970, UTC
  /// How many more like it were measured and not kept. They count as seen.
  std::uint32_t passed_over = 0;
  bool operator==(const ProfileSample&) const = default;
};

}  // namespace skmd::domain

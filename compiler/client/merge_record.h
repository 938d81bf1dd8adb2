// SPDX-License-Identifier: Apache-2.0
// How the driver launches a merge function on a device.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skmd::compiler {

/// One argument of the kernel in its root buffer; zeros for what is no buffer.
struct MergeView {
  std::uint64_t offset = 0;  // a multiple of kMergeAlignment
  std::uint64_t size = 0;
};
inline constexpr std::uint64_t kMergeAlignment = 16;  // bytes: float4's

/// The last parameter of a merge kernel, by value: this, then one MergeView per argument of the kernel. The parameters
/// before it, for each argument in order: of a buffer two, the root buffer (null if there is none) and as large a
/// buffer with the other device's result (null where nothing is stored); of a value itself; of anything else none. A
/// merge kernel replays the groups [first, last), flattened with dimension 0 fastest. Its own NDRange has one dimension
/// and at least as many work-items as these groups have; its local size is free.
struct MergeRecord {
  std::uint64_t work_dim = 1;
  std::uint64_t global_offset[3]{0, 0, 0};
  std::uint64_t global_size[3]{1, 1, 1};
  std::uint64_t group_count[3]{1, 1, 1};
  std::uint64_t local_size[3]{1, 1, 1};
  std::uint64_t first = 0, last = 0;
};

/// Bytes of parameters that every device supports for one kernel.
inline constexpr std::uint64_t kMergeParameterBytes = 4000;

/// The name of a kernel's merge kernel in the program for devices.
inline std::string merge_kernel(std::string_view kernel) { return std::string("skmd_merge_").append(kernel); }

}  // namespace skmd::compiler

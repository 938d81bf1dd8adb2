// SPDX-License-Identifier: Apache-2.0
// Memory that a kernel's groups work in, one block per thread (KernelFunction in span_code.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cpu-driver/span_code.h"
#include "partitioner/base/result.h"

namespace skmd::cpu {

/// Where things lie in a call's scratch memory, in bytes.
struct ScratchLayout {
  std::vector<std::uint64_t> local_arguments;  // in the order in which they were given
  std::uint64_t items_offset = 0;
  std::uint64_t lane_groups = 0;  // as in SpanFrame
  std::uint64_t lanes_offset = 0;
  std::uint64_t lane_bytes = 0;
  std::uint64_t bytes = 0;
};

/// Limit of one call, bytes.
inline constexpr std::uint64_t kMaxScratch = std::uint64_t{1} << 30;

/// Groups with more local memory do not run side by side: it would leave the nearer caches.
inline constexpr std::uint64_t kMaxLaneBytes = std::uint64_t{16} << 10;

/// For groups of `local` items and local arguments of `sizes` bytes. An error if that is more than kMaxScratch.
domain::Result<ScratchLayout> scratch_layout(const KernelFacts& facts, const std::uint64_t (&local)[3],
                                             std::span<const std::uint64_t> sizes);

/// At least `bytes` bytes of the calling thread, aligned to kScratchAlignment; null without memory, or above
/// kMaxScratch. Invalidates the memory of the thread's last call.
std::byte* scratch_of_this_thread(std::uint64_t bytes);

/// To be called when the calling thread no longer uses its memory; frees a large block.
void leave_scratch();

/// Bytes that a thread keeps for its next launch.
inline constexpr std::uint64_t kScratchKept = std::uint64_t{16} << 20;

}  // namespace skmd::cpu

// SPDX-License-Identifier: Apache-2.0
// Memory that a kernel's groups work in, one block per thread (KernelFunction in span_code.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cpu-driver/span_code.h"
#include "partitioner/result.h"

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

/// What one call may have.
inline constexpr std::uint64_t kMostScratch = std::uint64_t{1} << 30;

/// Groups with more local memory do not run side by side: it would leave the nearer caches.
inline constexpr std::uint64_t kMostLaneBytes = std::uint64_t{16} << 10;

/// For groups of `local` items and local arguments of `sizes` bytes. An error if that is more than kMostScratch.
domain::Result<ScratchLayout> scratch_layout(const KernelFacts& facts, const std::uint64_t (&local)[3],
                                             std::span<const std::uint64_t> sizes);

/// So many bytes, aligned to kScratchAlignment, of the calling thread; null without memory, or
/// above kMostScratch. What the last call gave is
/// given again or freed.
std::byte* scratch_of_this_thread(std::uint64_t bytes);

/// The calling thread needs it no more for now; a large block goes.
void leave_scratch();

/// What a thread keeps for its next launch.
inline constexpr std::uint64_t kScratchKept = std::uint64_t{16} << 20;

}  // namespace skmd::cpu

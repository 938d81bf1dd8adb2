// SPDX-License-Identifier: Apache-2.0
// Memory that a kernel's groups work in, one block per thread (KernelFunction in span_code.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cpu-driver/runtime/runtime_constants.h"
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

/// For groups of `local` items and local arguments of `sizes` bytes. An error if that is more than tuning::kMaxScratch.
domain::Result<ScratchLayout> scratch_layout(const KernelFacts& facts, const std::uint64_t (&local)[3],
                                             std::span<const std::uint64_t> sizes);

/// At least `bytes` bytes of the calling thread, aligned to kScratchAlignment; null without memory, or above
/// tuning::kMaxScratch. Invalidates the memory of the thread's last call.
std::byte* scratch_of_this_thread(std::uint64_t bytes);

/// To be called when the calling thread no longer uses its memory; frees a large block.
void leave_scratch();

}  // namespace skmd::cpu

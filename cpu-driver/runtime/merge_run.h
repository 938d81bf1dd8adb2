// SPDX-License-Identifier: Apache-2.0
// Runs merge functions (span_code.h) on threads: stores are marked in bitmaps first, and what is marked is then copied
// in the order of memory. Where neighbours do not store side by side this saves two cache misses a store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cpu-driver/runtime/pool.h"
#include "cpu-driver/span_code.h"

namespace skmd::cpu {

/// A merge function and its units; `units` null: it marks nothing.
struct MergeFunction {
  SpanFunction run = nullptr;
  const std::uint8_t* units = nullptr;
};

/// Replays the groups [first, last): copies every byte that they store inside its argument from the argument's
/// `result`, and writes no other byte. `frame` has `arguments` arguments. Blocks.
void run_merge(Pool& pool, const MergeFunction& function, const SpanFrame& frame, std::size_t arguments,
               std::uint64_t first, std::uint64_t last);

/// Copies the units [64 * first, 64 * last) whose bit is set in one of `maps`.
void copy_marked(const std::byte* from, std::byte* to, std::uint32_t unit, std::span<const std::uint64_t* const> maps,
                 std::uint64_t first, std::uint64_t last);

}  // namespace skmd::cpu

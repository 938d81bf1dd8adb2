// SPDX-License-Identifier: Apache-2.0
// Limits and lengths of yield points (yield.h).
#pragma once

#include <cstdint>

namespace skmd::compiler::tuning {

/// Instructions of one work-item between two checks of a loop whose items leave it one by one. Source: chosen: half a
/// microsecond to two of a vector of items, against some nanoseconds for the check.
inline constexpr std::uint64_t kItemStrip = 1024;
/// The same where all items of a group meet at a barrier first, which keeps what is live in memory. Source: chosen:
/// eight times as much; a group of 256 items then needs some 0.1 ms for it on one core.
inline constexpr std::uint64_t kGroupStrip = 8192;
/// Iterations of a strip at most. Source: chosen: more would not be seen.
inline constexpr std::uint64_t kMaxStrip = 4096;
/// Assumed iterations of a loop inside a strip that are not known. Source: chosen.
inline constexpr std::uint64_t kAssumedIterations = 8;
/// A loop of so many instructions in all of its iterations, if these are known, has no yield point. Source: chosen, as
/// kGroupStrip.
inline constexpr std::uint64_t kShortLoop = 8192;
/// Yield points of a kernel. Source: chosen: each is code of its own, executed when a launch is stopped there.
inline constexpr unsigned kMaxPoints = 16;
/// Words of 32 bits that are kept for one work-item. Source: chosen: 4 KiB, with private arrays; the workloads of
/// bench/ need at most some dozen.
inline constexpr unsigned kMaxItemWords = 1024;
/// Words of a private variable that are kept by straight code; larger ones by a loop. Source: chosen.
inline constexpr unsigned kStraightWords = 8;
/// Instructions that a value is computed again by, instead of being kept. Source: chosen, as the code generator does
/// at barriers.
inline constexpr unsigned kMaxRecomputed = 8;

}  // namespace skmd::compiler::tuning

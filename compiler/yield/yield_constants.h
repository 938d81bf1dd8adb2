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
/// Places of a kernel at which work-items may leave because they would trap, with tests that are made together counted
/// once. Source: chosen: each is code of its own, that the device never runs unless an item traps there.
inline constexpr unsigned kMaxTrapPoints = 96;
/// Offsets, and guards, of a test that is made in front of loops: each loop doubles them. Source: chosen.
inline constexpr unsigned kMaxTrapEnds = 4;
/// Bits of the number of bytes by which an address goes on in each iteration. Source: chosen: numbers of 32 bits times
/// the size of any type of OpenCL C, which leaves 22 bits for the iterations.
inline constexpr unsigned kTrapStepBits = 40;
/// Bits of the bytes between the first and the last place of an address that goes on so. Source: with a sign and the
/// place where it begins, the sum stays in 64.
inline constexpr unsigned kTrapProductBits = 62;
/// Terms of an offset that is computed again in front of a loop. Source: chosen.
inline constexpr unsigned kMaxTrapTerms = 24;
/// Instructions that are computed earlier so that a test is made together with one before it. Source: chosen.
inline constexpr unsigned kMaxTrapMoved = 16;

}  // namespace skmd::compiler::tuning

// SPDX-License-Identifier: Apache-2.0
// Where masked code asks whether any lane runs, and how long kernels may be. Costs are in vector operations, roughly.
#pragma once

namespace skmd::codegen::tuning {

/// Cost of blocks that are jumped over if no lane runs them. The question itself costs two or three, and a jump that
/// may be foretold wrongly. Source: chosen, not measured beside other numbers.
inline constexpr unsigned kWorthAsking = 8;
/// The same where many items run, so that jumps are foretold wrongly. Source: chosen: about what such a jump costs;
/// with it a level of bfs_level in which one node in 25 runs takes 1.30 instead of 1.86 ms (Zen 5).
inline constexpr unsigned kWorthAMissedJump = 40;
/// The cost of a division, an atomic, a call and a loop. Source: chosen, not measured: each is worth asking by itself.
inline constexpr unsigned kLong = 20;
/// Instructions of a region that is masked; a longer one runs item by item. Source: chosen, not measured: making
/// vectors of it would take longer than a program is waited for.
inline constexpr unsigned kMaxMaskedInstructions = 50'000;

}  // namespace skmd::codegen::tuning

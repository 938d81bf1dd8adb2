// SPDX-License-Identifier: Apache-2.0
// How many members of structures are joined, and by what cost.
#pragma once

#include <cstddef>

namespace skmd::codegen::tuning {

/// Packs of one plan, for the time of compiling: each is compared with others. Source: chosen, not measured.
inline constexpr std::size_t kMaxPacks = 256;
/// Bits of a vector whose parts are members: wider ones fill several registers and are shuffled between them.
/// Source: chosen: four of AVX-512's registers, a structure of four numbers in sixteen lanes.
inline constexpr unsigned kMaxPackBits = 2048;
/// Cost of a shuffle among several registers, in instructions: no plan gains as much. Source: chosen: far above the sum
/// of a plan's other costs.
inline constexpr int kTooDear = 1000;
/// Bits of members that are spread over a vector (spread.cpp): wider ones fill registers of their own. Source: chosen:
/// 16 lanes of 16 bits are a register of AVX2.
inline constexpr unsigned kWidestSpread = 16;

}  // namespace skmd::codegen::tuning

// SPDX-License-Identifier: Apache-2.0
// Bytes of a table by the shuffles of SSSE3 and AVX2, each of which picks among 16.
#pragma once

#include "cpu-driver/codegen/isa.h"
#include "cpu-driver/codegen/vector/lane_code.h"

namespace skmd::codegen {

/// What a lookup of so many lanes takes without AVX-512, in instructions of vectors or as many micro-operations.
/// By shuffles, for each register: 16 of them, 14 subtractions and 16 times an exclusive or; and 14 of those for all,
/// which combine the table's rows. By loads, for each lane: 2 for a byte out of a register, 2 for another one into it.
inline unsigned cost_of_shuffles(unsigned lanes, Isa isa) {
  const unsigned bytes = isa == Isa::sse || lanes <= 16 ? 16 : 32;
  return 14 + 46 * ((lanes + bytes - 1) / bytes);
}
inline unsigned cost_of_loads(unsigned lanes) { return 4 * lanes; }

/// Byte base[index] of 256 for each lane of `index`, a vector of i8. All of the table is read.
llvm::Value* pick_by_shuffles(Builder& builder, llvm::Value* base, llvm::Value* index, Isa isa);

}  // namespace skmd::codegen

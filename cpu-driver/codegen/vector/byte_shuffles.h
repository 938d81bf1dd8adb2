// SPDX-License-Identifier: Apache-2.0
// Bytes of a table by the shuffles of SSSE3 and AVX2, each of which picks among 16.
#pragma once

#include "cpu-driver/codegen/isa.h"
#include "cpu-driver/codegen/vector/lane_code.h"

namespace skmd::codegen {

/// Lanes from which on shuffles are faster than loads, for processors without AVX-512. Shuffles take 76 instructions
/// for one register, whatever part of it is used, and 46 for each more: 16 rows, 15 of them combined with their
/// neighbours, then 16 shuffles with a subtraction and an exclusive or each. A load takes 4 micro-operations: a byte
/// out of a register, and another one, from memory, into a register.
inline constexpr unsigned kFewestShuffled = 16;

/// Byte base[index] of 256 for each lane of `index`, a vector of i8. All of the table is read.
llvm::Value* pick_by_shuffles(Builder& builder, llvm::Value* base, llvm::Value* index, Isa isa);

}  // namespace skmd::codegen

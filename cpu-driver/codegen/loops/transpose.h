// SPDX-License-Identifier: Apache-2.0
// Local memory of several groups in two layouts: each group's in one piece, or elements of all groups next to each
// other.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>

namespace skmd::codegen {

/// Two places for the memory of `groups` groups, `bytes` (i64, at least one tile, see below) of each.
struct TwoLayouts {
  unsigned groups = 0;   // a power of two
  unsigned element = 0;  // bytes: 4 or 8
  unsigned lanes = 4;    // of such elements in a register; a power of two, at least 16 bytes together
  llvm::Value* bytes = nullptr;
  llvm::Value* pieces = nullptr;  // group g's byte b: g * distance + b
  llvm::Value* distance = nullptr;
  llvm::Value* interleaved =
      nullptr;  // group g's byte b, of element b / element: (b / element * groups + g) * element + …
};

/// From `from` on: copies all of `pieces` to `interleaved`, or back, and goes to `to`. A tile, `groups` elements of
/// each group, is what is copied at once; `bytes` is a multiple of that.
void build_transposition(const TwoLayouts& layouts, bool interleave, llvm::BasicBlock* from, llvm::BasicBlock* to);

}  // namespace skmd::codegen

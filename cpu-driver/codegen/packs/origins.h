// SPDX-License-Identifier: Apache-2.0
// Where bits of a vector come from.
#pragma once

#include <llvm/IR/Value.h>

#include <cstdint>
#include <optional>

namespace skmd::codegen {

/// Bits from `bit` on of `root`, a vector whose first lane holds its lowest bits.
struct Origin {
  llvm::Value* root = nullptr;
  std::uint64_t bit = 0;
};

/// Where all bits of lane `lane` of a fixed vector come from, through shuffles, truncations, extensions, shifts by
/// constants and casts; a root of null if any bits will do. With `until`, no further than to a vector of so many lanes.
Origin origin_of(llvm::Value& vector, unsigned lane, unsigned until = 0);

}  // namespace skmd::codegen

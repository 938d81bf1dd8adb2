// SPDX-License-Identifier: Apache-2.0
// The values of the kernel's arguments inside a span function, and accesses that stay inside their bounds.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <vector>

namespace skmd::compiler {

/// One pointer argument, as values that the span function's entry loads.
struct Extent {
  llvm::Value* bytes = nullptr;  // i64: address
  llvm::Value* size = nullptr;   // i64
};
using Extents = llvm::DenseMap<const llvm::Value*, Extent>;

/// Turns every marker into one that knows offsets (stored.h), and makes every load that may leave its object one that
/// cannot. `extents` names the kernel's pointer arguments; their uses are still in place. `units`: store_units().
/// `entry` is where limits are computed. `aligned`: the machine takes aligned addresses only, and the arguments begin
/// at such; else they may begin anywhere.
void guard_accesses(const std::vector<llvm::BasicBlock*>& body, const Extents& extents,
                    const std::vector<std::uint8_t>& units, llvm::Instruction& entry, bool aligned);

/// Fills and copies of private variables become loops: there is no memset to call.
void expand_transfers(const std::vector<llvm::BasicBlock*>& body);

}  // namespace skmd::compiler

// SPDX-License-Identifier: Apache-2.0
// The first address that a loop will read, computed before the loop.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace skmd::codegen {

/// A place in a buffer that the first turn of `loop` reads if it comes that far, and that is one of `told`; as an i64,
/// computed at the end of the block in front of `loop`, which reads nothing more for it. Null: there is none.
llvm::Value* first_place(const llvm::Loop& loop, const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators,
                         const llvm::SmallPtrSetImpl<const llvm::Value*>& told);

}  // namespace skmd::codegen

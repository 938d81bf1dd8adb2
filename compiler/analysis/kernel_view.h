// SPDX-License-Identifier: Apache-2.0
// One simplified kernel with LLVM's analyses of it.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

#include "compiler/ir/address_spaces.h"

namespace skmd::compiler {

struct KernelView {
  llvm::Function& function;
  const llvm::DataLayout& layout;
  llvm::DominatorTree& dominators;
  llvm::PostDominatorTree& post_dominators;
  llvm::LoopInfo& loops;
  llvm::ScalarEvolution& evolution;
};

/// Whether an access through a pointer of that type may reach a buffer.
inline bool may_reach_buffer(const llvm::Value& pointer) {
  const unsigned space = pointer.getType()->getPointerAddressSpace();
  return space != kPrivateSpace && space != kLocalSpace;
}

}  // namespace skmd::compiler

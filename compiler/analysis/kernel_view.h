// SPDX-License-Identifier: Apache-2.0
// One simplified kernel with LLVM's analyses of it.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace skmd::compiler {

struct KernelView {
  llvm::Function& function;
  const llvm::DataLayout& layout;
  llvm::DominatorTree& dominators;
  llvm::PostDominatorTree& post_dominators;
  llvm::LoopInfo& loops;
  llvm::ScalarEvolution& evolution;
};

/// SPIR's address spaces.
enum Space : unsigned { kPrivate = 0, kGlobal = 1, kConstant = 2, kLocal = 3, kGeneric = 4 };

/// Whether an access through a pointer of that type may reach a buffer.
inline bool may_reach_buffer(const llvm::Value& pointer) {
  const unsigned space = pointer.getType()->getPointerAddressSpace();
  return space != kPrivate && space != kLocal;
}

}  // namespace skmd::compiler

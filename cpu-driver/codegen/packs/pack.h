// SPDX-License-Identifier: Apache-2.0
// Members of structures in one vector. OpenCL's uchar4 is taken apart, so that 16 work-items have four vectors of 16
// bytes: a quarter of a register each, sorted out of memory and back. Where the same is done to all members, one vector
// of all their lanes in the order of memory does it at once.
#pragma once

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include "cpu-driver/codegen/isa.h"

namespace skmd::codegen {

/// Returns whether anything was changed. What is not needed any more is left for ADCE.
bool pack_members(llvm::Function& function, Isa isa, const llvm::DominatorTree& dominators);

struct PackMembersPass : llvm::PassInfoMixin<PackMembersPass> {
  explicit PackMembersPass(Isa set) : isa(set) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) const {
    if (!pack_members(function, isa, analyses.getResult<llvm::DominatorTreeAnalysis>(function)))
      return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
  Isa isa;
};

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace skmd::codegen {

/// Stores of a structure's small members, one after the other, out of neighbouring bits of one vector become one store.
/// Returns whether anything was changed.
bool join_stores(llvm::Function& function);

struct JoinStoresPass : llvm::PassInfoMixin<JoinStoresPass> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& /*analyses*/) {
    if (!join_stores(function)) return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
};

}  // namespace skmd::codegen

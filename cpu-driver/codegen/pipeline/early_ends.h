// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace skmd::codegen {

/// Loops over a group's items end where no item is left: of `if (l < n) …`, all of a barrier's region, vectors from n
/// on would only find that none of their lanes runs. Returns whether anything was changed.
bool end_item_loops_early(llvm::Function& function, const llvm::LoopInfo& loops);

struct EarlyEndsPass : llvm::PassInfoMixin<EarlyEndsPass> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    if (!end_item_loops_early(function, analyses.getResult<llvm::LoopAnalysis>(function)))
      return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
};

}  // namespace skmd::codegen

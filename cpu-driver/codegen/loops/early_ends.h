// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace skmd::codegen {

/// Ends loops over a group's items where no further item runs: if a region is `if (l < n) …`, vectors from n on would
/// run no lane. True if the code was changed.
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

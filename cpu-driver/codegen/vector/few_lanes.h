// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace skmd::codegen {

/// Masked accesses of which it is known that they touch one element or two, or elements next to each other that a
/// register of its own holds, become plain ones: what `if (get_local_id(0) == 0)` leaves of a vector. Returns whether
/// anything was changed.
bool access_few_lanes(llvm::Function& function);

struct FewLanesPass : llvm::PassInfoMixin<FewLanesPass> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& /*analyses*/) {
    if (!access_few_lanes(function)) return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
};

}  // namespace skmd::codegen

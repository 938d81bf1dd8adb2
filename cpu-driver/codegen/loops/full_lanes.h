// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace skmd::codegen {

/// Cuts loops over a group's items in two at an upper bound that items test: for `if (i < n) …`, vectors all of whose
/// items are below n come first, in a loop without the test; the rest follows in the original loop. The same of loops
/// that count by one, if they are short: a group's items one by one, or a loop of the kernel's own. Returns whether
/// anything was changed.
bool split_full_lanes(llvm::Function& function);

struct FullLanesPass : llvm::PassInfoMixin<FullLanesPass> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    return split_full_lanes(function) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

}  // namespace skmd::codegen

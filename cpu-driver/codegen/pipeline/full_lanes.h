// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace skmd::codegen {

/// Loops over a group's items are cut in two where items ask whether they are below something: for `if (i < n) …`,
/// vectors all of whose items are below n come first, in a loop that does not ask; the rest follows in the loop that
/// there was. The same of loops that count by one, if they
/// are short: a group's items one by one, or a loop of the kernel's own. Returns whether anything was changed.
bool split_full_lanes(llvm::Function& function);

struct FullLanesPass : llvm::PassInfoMixin<FullLanesPass> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    return split_full_lanes(function) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

}  // namespace skmd::codegen

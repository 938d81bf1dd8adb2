// SPDX-License-Identifier: Apache-2.0
// LLVM's analyses of a module, for passes and for questions.
#pragma once

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/PassManager.h>

namespace llvm {
class PassBuilder;
}

namespace skmd::compiler {

/// An analysis manager for each kind of code, with every analysis of LLVM, connected so that a pass over one kind can
/// ask for analyses of the others. Results stay until code changes by a pass that says so, or clear() is called: the
/// code must outlive them. One thread at a time.
struct AnalysisManagers {
  // Destroyed last to first.
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;

  AnalysisManagers();
  /// As `builder` has them, with analyses that were registered there. It outlives this.
  explicit AnalysisManagers(llvm::PassBuilder& builder);
  AnalysisManagers(const AnalysisManagers&) = delete;
  AnalysisManagers& operator=(const AnalysisManagers&) = delete;
};

}  // namespace skmd::compiler

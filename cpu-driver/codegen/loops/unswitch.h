// SPDX-License-Identifier: Apache-2.0
// Unswitches loops that test a loop-invariant condition in every iteration.
#pragma once

#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>

namespace skmd::codegen {

/// Makes two of an innermost loop that asks in every turn whether a shortcut (lane_code.h) can be taken, the same in
/// all of them, however large it is; four of one with two such shortcuts, and leaves those with more to LLVM. Of
/// sixteen vectors that are side by side, those that are not next to each other need more registers than there are, and
/// would take them from the others. LLVM's own unswitching does it, which keeps small loops apart by itself.
class UnswitchShortcutsPass : public llvm::PassInfoMixin<UnswitchShortcutsPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                                     llvm::LoopStandardAnalysisResults& results, llvm::LPMUpdater& updater);
};

}  // namespace skmd::codegen

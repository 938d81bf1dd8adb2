// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/loops/unswitch.h"

#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>

#include "cpu-driver/codegen/loops/loops_constants.h"
#include "cpu-driver/codegen/vector/lane_code.h"

namespace skmd::codegen {

namespace {

// How large a loop may be that LLVM makes two of: an option of the process, which generates code on one thread.
class SizeLimit {
 public:
  explicit SizeLimit(int limit) {
    auto& options = llvm::cl::getRegisteredOptions();
    const auto found = options.find("unswitch-threshold");
    if (found == options.end()) return;
    option_ = static_cast<llvm::cl::opt<int>*>(found->second);
    usual_ = option_->getValue();
    option_->setValue(limit);
  }
  ~SizeLimit() {
    if (option_ != nullptr) option_->setValue(usual_);
  }
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;

 private:
  llvm::cl::opt<int>* option_ = nullptr;
  int usual_ = 0;
};

// Shortcuts that are open in all turns or in none.
unsigned settled_shortcuts(const llvm::Loop& loop) {
  const auto settled = llvm::count_if(loop.blocks(), [&](const llvm::BasicBlock* block) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    return branch != nullptr && branch->isConditional() && is_shortcut(*branch) &&
           loop.isLoopInvariant(branch->getCondition());
  });
  return static_cast<unsigned>(settled);
}

}  // namespace

llvm::PreservedAnalyses UnswitchShortcutsPass::run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                                                   llvm::LoopStandardAnalysisResults& results,
                                                   llvm::LPMUpdater& updater) {
  if (!loop.isInnermost()) return llvm::PreservedAnalyses::all();
  const unsigned shortcuts = settled_shortcuts(loop);
  if (shortcuts == 0 || shortcuts > tuning::kMaxSettledShortcuts) return llvm::PreservedAnalyses::all();
  const SizeLimit limit(tuning::kMaxUnswitched);
  return llvm::SimpleLoopUnswitchPass(true).run(loop, analyses, results, updater);
}

}  // namespace skmd::codegen

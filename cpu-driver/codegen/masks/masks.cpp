// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/masks/masks.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/UnifyFunctionExitNodes.h>

#include "cpu-driver/codegen/item_function.h"
#include "cpu-driver/codegen/masks/divergence.h"
#include "cpu-driver/codegen/masks/effects.h"
#include "cpu-driver/codegen/masks/levels.h"
#include "cpu-driver/codegen/masks/linearise.h"
#include "cpu-driver/codegen/masks/masks_constants.h"
#include "cpu-driver/codegen/masks/outcome.h"
#include "cpu-driver/codegen/masks/waiting.h"
#include "cpu-driver/codegen/source_position.h"

namespace skmd::codegen {

namespace {

using domain::Error;
using llvm::Function;
using llvm::FunctionAnalysisManager;

template <class Pass>
void apply(Pass pass, Function& function, FunctionAnalysisManager& analyses) {
  analyses.invalidate(function, pass.run(function, analyses));
}

void forget_same_targets(Function& function) {
  for (llvm::BasicBlock& block : function) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (branch == nullptr || branch->isUnconditional() || branch->getSuccessor(0) != branch->getSuccessor(1)) continue;
    branch->getSuccessor(0)->removePredecessor(&block);
    llvm::ReplaceInstWithInst(branch, llvm::BranchInst::Create(branch->getSuccessor(0)));
  }
}

// The shape that item functions have by contract; what passes have disturbed of it is put right.
domain::Status prepare(Function& function, FunctionAnalysisManager& analyses) {
  if (!function.use_empty()) return Error{0, "the item function is in use"};
  const llvm::Argument* lane = argument_with(function, kLane);
  if (lane == nullptr || !lane->getType()->isIntegerTy()) return Error{0, "no parameter tells lanes apart"};
  if (function.getInstructionCount() > tuning::kMaxMaskedInstructions) return Error{0, "the kernel is too long"};
  apply(llvm::LowerSwitchPass(), function, analyses);
  if (domain::Status status = check_effects(function); !status) return status;
  drop_hints(function);
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  // A path through a join that can continue in one direction only is threaded past it: lanes that break out of a loop
  // then merge no values into the lanes that stay, whose counters remain uniform.
  apply(llvm::JumpThreadingPass(), function, analyses);
  llvm::EliminateUnreachableBlocks(function);
  forget_same_targets(function);
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  apply(llvm::UnifyFunctionExitNodesPass(), function, analyses);
  apply(llvm::FixIrreduciblePass(), function, analyses);
  apply(llvm::LoopSimplifyPass(), function, analyses);
  forget_same_targets(function);
  apply(llvm::LCSSAPass(), function, analyses);
  llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  for (const llvm::Loop* loop : loops.getLoopsInPreorder())
    if (!loop->isLoopSimplifyForm()) return Error{0, with_position(loop->getStartLoc(), "a loop of unusual form")};
  return {};
}

Function* with_live(Function& old) {
  llvm::SmallVector<llvm::Type*, 8> types(old.getFunctionType()->params());
  types.push_back(llvm::Type::getInt1Ty(old.getContext()));
  auto* type = llvm::FunctionType::get(old.getReturnType(), types, false);
  Function* masked = Function::Create(type, old.getLinkage(), old.getAddressSpace());
  old.getParent()->getFunctionList().insert(std::next(old.getIterator()), masked);
  masked->copyAttributesFrom(&old);
  masked->copyMetadata(&old, 0);
  masked->setComdat(old.getComdat());
  masked->takeName(&old);
  masked->splice(masked->begin(), &old);
  for (llvm::Argument& argument : old.args()) {
    llvm::Argument* same = masked->getArg(argument.getArgNo());
    same->takeName(&argument);
    argument.replaceAllUsesWith(same);
  }
  llvm::Argument* live = masked->getArg(old.arg_size());
  live->setName("live");
  live->addAttr(llvm::Attribute::get(old.getContext(), kLive));
  masked->removeFnAttr(kItem);
  masked->addFnAttr(kMasked);
  return masked;
}

void tidy(Function& function, FunctionAnalysisManager& analyses) {
  apply(llvm::InstSimplifyPass(), function, analyses);
  for (llvm::BasicBlock& block : llvm::make_early_inc_range(function)) {
    if (&block == &function.getEntryBlock() || llvm::MergeBlockIntoPredecessor(&block)) continue;
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
        branch != nullptr && branch->isUnconditional() && block.size() == 1)
      llvm::TryToSimplifyUncondBranchFromEmptyBlock(&block);
  }
  forget_same_targets(function);
  llvm::EliminateUnreachableBlocks(function);
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  apply(llvm::InstSimplifyPass(), function, analyses);
}

}  // namespace

domain::Result<Function*> make_masked(Function& function, FunctionAnalysisManager& analyses) {
  if (domain::Status status = prepare(function, analyses); !status) return status.error();
  llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  Levels levels(function, loops);
  const Divergence divergence(function, loops, levels);
  if (const llvm::Loop* loop = waits_for_others(function, loops))
    return Error{0, with_position(loop->getStartLoc(), "a loop waits for another work-item")};
  auto values = outcomes(function, divergence);
  if (!values) return values.error();
  Function* masked = with_live(function);
  linearise(*masked, loops, levels, divergence, *argument_with(*masked, kLive), *values);
  analyses.clear(function, function.getName());
  function.eraseFromParent();
  tidy(*masked, analyses);
  return masked;
}

}  // namespace skmd::codegen

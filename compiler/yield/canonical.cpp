// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/canonical.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/UnifyFunctionExitNodes.h>

#include "compiler/ir/address_spaces.h"

namespace skmd::compiler {

namespace {

// A variable that is kept and taken up lives from the kernel's begin to its end.
void drop_lifetimes(llvm::Function& kernel) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel)))
    if (auto* marker = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        marker != nullptr && marker->isLifetimeStartOrEnd())
      marker->eraseFromParent();
}

}  // namespace

void make_canonical(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses, Useless useless) {
  // Neither sinking nor hoisting: they would join pointers of different buffers in one access.
  const auto tidy_cfg =
      llvm::SimplifyCFGOptions().sinkCommonInsts(false).hoistCommonInsts(false).convertSwitchToLookupTable(false);
  drop_lifetimes(kernel);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  if (useless == Useless::goes) {
    passes.addPass(llvm::EarlyCSEPass());
    passes.addPass(llvm::InstCombinePass());
  }
  passes.addPass(llvm::SimplifyCFGPass(tidy_cfg));
  passes.addPass(llvm::InferAddressSpacesPass(kGenericSpace));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  if (useless == Useless::goes) passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::LowerSwitchPass());
  passes.addPass(llvm::FixIrreduciblePass());
  passes.addPass(llvm::UnifyFunctionExitNodesPass());
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(llvm::LCSSAPass());
  passes.run(kernel, analyses);
  analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
}

}  // namespace skmd::compiler

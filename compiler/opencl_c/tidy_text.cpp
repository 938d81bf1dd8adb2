// SPDX-License-Identifier: Apache-2.0
#include "compiler/opencl_c/tidy_text.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

namespace skmd::compiler {

namespace {

using llvm::Function;
using llvm::IRBuilder;
using llvm::Value;

bool is_usual(const llvm::Type& type) {
  const unsigned bits = type.getScalarSizeInBits();
  return !type.isIntOrIntVectorTy() || bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

// Numbers that are cut to a width that OpenCL C does not have, and widened again.
void widen_cuts(Function& kernel) {
  llvm::SmallVector<llvm::TruncInst*, 8> cuts;
  for (llvm::Instruction& instruction : llvm::instructions(kernel))
    if (auto* cut = llvm::dyn_cast<llvm::TruncInst>(&instruction); cut != nullptr && !is_usual(*cut->getType()))
      cuts.push_back(cut);
  for (llvm::TruncInst* cut : cuts) {
    Value* number = cut->getOperand(0);
    const unsigned own = number->getType()->getScalarSizeInBits(), bits = cut->getType()->getScalarSizeInBits();
    for (llvm::User* user : llvm::make_early_inc_range(cut->users())) {
      auto* wide = llvm::dyn_cast<llvm::CastInst>(user);
      if (wide == nullptr || !llvm::isa<llvm::ZExtInst, llvm::SExtInst>(wide)) continue;
      IRBuilder<> ir(wide);
      Value* up = ir.CreateShl(number, own - bits);
      const bool is_signed = llvm::isa<llvm::SExtInst>(wide);
      Value* down = is_signed ? ir.CreateAShr(up, own - bits) : ir.CreateLShr(up, own - bits);
      wide->replaceAllUsesWith(is_signed ? ir.CreateSExtOrTrunc(down, wide->getType())
                                         : ir.CreateZExtOrTrunc(down, wide->getType()));
      wide->eraseFromParent();
    }
    if (cut->use_empty()) cut->eraseFromParent();
  }
}

}  // namespace

void tidy_text(Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  widen_cuts(kernel);
  const auto tidy_cfg =
      llvm::SimplifyCFGOptions().sinkCommonInsts(false).hoistCommonInsts(false).convertSwitchToLookupTable(false);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::InstSimplifyPass());
  passes.addPass(llvm::SimplifyCFGPass(tidy_cfg));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstSimplifyPass());
  passes.addPass(llvm::ADCEPass());
  passes.run(kernel, analyses);
  analyses.clear(kernel, kernel.getName());
}

}  // namespace skmd::compiler

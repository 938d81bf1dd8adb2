// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/item/simplify.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/UnifyFunctionExitNodes.h>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/item/own_builtins.h"

namespace skmd::codegen {

namespace {

// Neither sinking nor hoisting: they would join pointers of different buffers in one access.
llvm::SimplifyCFGOptions tidy_cfg() {
  return llvm::SimplifyCFGOptions().sinkCommonInsts(false).hoistCommonInsts(false).convertSwitchToLookupTable(false);
}

void add_form_of_items(llvm::FunctionPassManager& passes) {
  passes.addPass(llvm::LowerSwitchPass());
  passes.addPass(llvm::FixIrreduciblePass());
  passes.addPass(llvm::UnifyFunctionExitNodesPass());
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(llvm::LCSSAPass());
}

bool has_barrier(const llvm::Loop& loop) {
  return llvm::any_of(loop.blocks(), [](const llvm::BasicBlock* block) {
    return llvm::any_of(*block, [](const llvm::Instruction& instruction) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      return call != nullptr && call->getCalledFunction() != nullptr &&
             call->getCalledFunction()->getName() == kBarrier;
    });
  });
}

// Clang forbids it at the level of optimisation that kernels begin with. A copy of a barrier would be a region more.
class AllowUnrollingPass : public llvm::PassInfoMixin<AllowUnrollingPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
      if (llvm::MDNode* id = loop->getLoopID(); id != nullptr && !has_barrier(*loop))
        loop->setLoopID(
            llvm::makePostTransformationMetadata(function.getContext(), id, {"llvm.loop.unroll.disable"}, {}));
    return llvm::PreservedAnalyses::all();
  }
};

void prepare_for_inlining(llvm::Function& function) {
  function.removeFnAttr(llvm::Attribute::NoInline);
  function.removeFnAttr(llvm::Attribute::OptimizeNone);
  function.addFnAttr(llvm::Attribute::AlwaysInline);
  // Barriers make what others wrote to a restricted pointer visible; LLVM would not believe it.
  for (llvm::Argument& argument : function.args()) argument.removeAttr(llvm::Attribute::NoAlias);
}

class Inliner {
 public:
  // Callees first, so that each is gone through once.
  void inline_into(llvm::Function& function) {
    if (!begun_.insert(&function).second) return;
    while (llvm::CallBase* call = next_call(function)) {
      llvm::Function* callee = call->getCalledFunction();
      inline_into(*callee);
      llvm::InlineFunctionInfo info;
      // What has not come to its end calls itself; what is left of such calls is found later.
      if (!flat_.contains(callee) || !llvm::InlineFunction(*call, info).isSuccess()) return;
    }
    flat_.insert(&function);
  }

 private:
  static llvm::CallBase* next_call(llvm::Function& function) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call != nullptr && call->getCalledFunction() != nullptr && !call->getCalledFunction()->isDeclaration())
        return call;
    }
    return nullptr;
  }

  llvm::SmallPtrSet<llvm::Function*, 16> begun_;
  llvm::SmallPtrSet<llvm::Function*, 16> flat_;
};

}  // namespace

void inline_program(llvm::Module& module) {
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) prepare_for_inlining(function);
  Inliner inliner;
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) inliner.inline_into(function);
}

void open_up(llvm::Function& item, llvm::FunctionAnalysisManager& analyses) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(tidy_cfg()));
  passes.addPass(llvm::InferAddressSpacesPass(kGenericSpace));
  passes.run(item, analyses);
  analyses.invalidate(item, llvm::PreservedAnalyses::none());
}

void normalise(llvm::Function& item, bool scalars, llvm::FunctionAnalysisManager& analyses) {
  llvm::FunctionPassManager passes;
  if (scalars) {
    llvm::ScalarizerPassOptions options;
    options.ScalarizeLoadStore = true;
    passes.addPass(llvm::ScalarizerPass(options));
  }
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::SimplifyCFGPass(tidy_cfg()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
  passes.addPass(AllowUnrollingPass());
  // Not yet LICM: it adds what is invariant first, and then no longer knows that sums do not wrap.
  llvm::LoopPassManager loops;
  loops.addPass(llvm::IndVarSimplifyPass());
  loops.addPass(llvm::LoopFullUnrollPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops)));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  // What is computed on one way only stays there: a phi of two equal sums is not known to be the sum, and has to be
  // kept for each item where a barrier follows.
  passes.addPass(llvm::GVNPass(llvm::GVNOptions().setPRE(false).setLoadPRE(false)));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(tidy_cfg()));
  passes.addPass(llvm::ADCEPass());
  add_form_of_items(passes);
  passes.run(item, analyses);
  analyses.invalidate(item, llvm::PreservedAnalyses::none());
}

void tidy_region(llvm::Function& region, llvm::FunctionAnalysisManager& analyses) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(tidy_cfg()));
  passes.addPass(llvm::ADCEPass());
  add_form_of_items(passes);
  passes.run(region, analyses);
  analyses.invalidate(region, llvm::PreservedAnalyses::none());
}

void drop_function(llvm::Function* function, llvm::FunctionAnalysisManager& analyses) {
  if (function == nullptr) return;
  analyses.clear(*function, function->getName());
  function->eraseFromParent();
}

}  // namespace skmd::codegen

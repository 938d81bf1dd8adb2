// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/prepare.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>

#include <cstdint>

#include "compiler/analysis/analysis_constants.h"
#include "compiler/analysis/dead_reads.h"
#include "compiler/ir/address_spaces.h"
#include "compiler/ir/builtin.h"

namespace skmd::compiler {

namespace {

using llvm::CallBase;
using llvm::Function;

llvm::SmallVector<CallBase*, 16> defined_calls(Function& function) {
  llvm::SmallVector<CallBase*, 16> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<CallBase>(&instruction);
    if (call == nullptr || call->getCalledFunction() == nullptr) continue;
    if (!call->getCalledFunction()->isDeclaration()) calls.push_back(call);
  }
  return calls;
}

// Instructions that `function` has when everything is inlined; more than the maximum if it calls itself.
std::uint64_t inlined_size(Function& function, llvm::DenseMap<Function*, std::uint64_t>& sizes,
                           llvm::DenseSet<Function*>& active) {
  if (const auto found = sizes.find(&function); found != sizes.end()) return found->second;
  if (!active.insert(&function).second) return tuning::kMaxInlinedInstructions + 1;
  std::uint64_t size = function.getInstructionCount();
  for (CallBase* call : defined_calls(function)) {
    size += inlined_size(*call->getCalledFunction(), sizes, active);
    if (size > tuning::kMaxInlinedInstructions) break;
  }
  active.erase(&function);
  sizes[&function] = size;
  return size;
}

bool inline_into(Function& kernel) {
  for (auto calls = defined_calls(kernel); !calls.empty(); calls = defined_calls(kernel)) {
    for (CallBase* call : calls) {
      llvm::InlineFunctionInfo info;
      if (!llvm::InlineFunction(*call, info).isSuccess()) return false;
    }
  }
  return true;
}

// Values that a loop does not change leave it, so that they keep their meaning behind it.
void hoist_invariants(llvm::LoopInfo& loops) {
  const auto outer_first = loops.getLoopsInPreorder();
  for (llvm::Loop* loop : llvm::reverse(outer_first)) {
    for (llvm::BasicBlock* block : loop->blocks()) {
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block)) {
        bool changed = false;
        loop->makeLoopInvariant(&instruction, changed);
      }
    }
  }
}

}  // namespace

bool inline_everything(llvm::Module& module, llvm::ArrayRef<Function*> kernels) {
  llvm::DenseMap<Function*, std::uint64_t> sizes;
  llvm::DenseSet<Function*> active;
  std::uint64_t total = 0;
  for (Function* kernel : kernels) {
    total += inlined_size(*kernel, sizes, active);
    if (total > tuning::kMaxInlinedInstructions) return false;
  }
  for (Function& function : module) {
    // A kernel that does not come back has no results that could be wrong; inductions around it stay free of overflow.
    function.addFnAttr(llvm::Attribute::WillReturn);
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr(llvm::Attribute::MustProgress);
    if (!function.isDeclaration() || !function.doesNotAccessMemory()) continue;
    // Convergence forbids duplication of loop headers, which matters for code only.
    function.removeFnAttr(llvm::Attribute::Convergent);
    if (is_geometry(demangled(function.getName()).name)) function.addFnAttr(llvm::Attribute::Speculatable);
  }
  return llvm::all_of(kernels, [](Function* kernel) { return inline_into(*kernel); });
}

void simplify(Function& kernel, llvm::FunctionAnalysisManager& analyses, Reads reads) {
  // Neither sinking nor hoisting: they would join pointers of different arguments in one access.
  const auto tidy_cfg = llvm::SimplifyCFGOptions().sinkCommonInsts(false).hoistCommonInsts(false);
  DeadReads dead_reads(kernel, reads == Reads::all);
  llvm::FunctionPassManager opening;
  opening.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  opening.run(kernel, analyses);
  if (reads == Reads::used) dead_reads.settle();
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(tidy_cfg));
  passes.addPass(llvm::InferAddressSpacesPass(kGenericSpace));
  passes.addPass(llvm::ScalarizerPass());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass(tidy_cfg));
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::LowerSwitchPass());
  // A rotated loop runs each of its blocks "backedges + 1" times unless a branch inside says otherwise.
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::LoopSimplifyPass());
  passes.run(kernel, analyses);
  dead_reads.release();
  hoist_invariants(analyses.getResult<llvm::LoopAnalysis>(kernel));
  llvm::FunctionPassManager closing;
  closing.addPass(llvm::LCSSAPass());
  closing.run(kernel, analyses);
  analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
}

}  // namespace skmd::compiler

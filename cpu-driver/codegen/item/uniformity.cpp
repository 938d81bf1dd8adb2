// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/item/uniformity.h"

#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/TargetTransformInfoImpl.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassInstrumentation.h>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/item/item.h"

namespace skmd::codegen {

namespace {

using llvm::InstructionUniformity;
using llvm::Value;

// Work-items as a GPU's threads, so that LLVM's analysis has something to say.
class Items : public llvm::TargetTransformInfoImplCRTPBase<Items> {
 public:
  Items(const llvm::DataLayout& layout, unsigned arguments, Among among)
      : TargetTransformInfoImplCRTPBase(layout), arguments_(arguments), among_(among) {}

  bool hasBranchDivergence(const llvm::Function*) const override { return true; }

  InstructionUniformity getInstructionUniformity(const Value* value) const override {
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) return of_argument(*argument);
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (instruction == nullptr) return InstructionUniformity::Default;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction)) return of_load(*load);
    // Each item has its own.
    if (llvm::isa<llvm::AllocaInst>(instruction)) return InstructionUniformity::NeverUniform;
    const bool pure = !instruction->mayReadOrWriteMemory() && !instruction->isVolatile();
    return pure ? InstructionUniformity::Default : InstructionUniformity::NeverUniform;
  }

 private:
  InstructionUniformity of_argument(const llvm::Argument& argument) const {
    const unsigned number = argument.getArgNo();
    const bool of_item =
        number == arguments_ + kRow || (number >= arguments_ + kLocalId && number < arguments_ + kLocalId + 3);
    // Local memory is each group's own.
    const auto* pointer = llvm::dyn_cast<llvm::PointerType>(argument.getType());
    const bool of_group = number == arguments_ + kGroup || number == arguments_ + kFirst ||
                          (pointer != nullptr && pointer->getAddressSpace() == kLocalSpace);
    const bool varying = of_item || (of_group && among_ == Among::neighbouring_groups);
    return varying ? InstructionUniformity::NeverUniform : InstructionUniformity::Default;
  }

  // What all items may read without a race is the same for all.
  InstructionUniformity of_load(const llvm::LoadInst& load) const {
    if (among_ == Among::neighbouring_groups && load.getPointerAddressSpace() == kLocalSpace)
      return InstructionUniformity::NeverUniform;
    const auto* object = llvm::getUnderlyingObject(load.getPointerOperand());
    const bool shared =
        llvm::isa<llvm::Argument, llvm::GlobalVariable>(object) && !load.isVolatile() && !load.isAtomic();
    return shared ? InstructionUniformity::Default : InstructionUniformity::NeverUniform;
  }

  unsigned arguments_;
  Among among_;
};

}  // namespace

GroupUniformity::GroupUniformity(llvm::Function& item, unsigned arguments, Among among)
    : analyses_(std::make_unique<llvm::FunctionAnalysisManager>()) {
  analyses_->registerPass([&] {
    return llvm::TargetIRAnalysis([arguments, among](const llvm::Function& function) {
      return llvm::TargetTransformInfo(std::make_unique<Items>(function.getDataLayout(), arguments, among));
    });
  });
  analyses_->registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  analyses_->registerPass([] { return llvm::DominatorTreeAnalysis(); });
  analyses_->registerPass([] { return llvm::CycleAnalysis(); });
  analyses_->registerPass([] { return llvm::UniformityInfoAnalysis(); });
  info_ = &analyses_->getResult<llvm::UniformityInfoAnalysis>(item);
}

bool GroupUniformity::is_uniform_branch(const llvm::Instruction& branch) const {
  return !info_->hasDivergentTerminator(*branch.getParent());
}

}  // namespace skmd::codegen

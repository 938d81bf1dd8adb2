// SPDX-License-Identifier: Apache-2.0
// Traps that are no accesses.
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/ir/builtin.h"
#include "cpu-driver/codegen/check/checks.h"
#include "cpu-driver/codegen/check/sites.h"
#include "cpu-driver/codegen/check/tell.h"
#include "cpu-driver/codegen/item/own_builtins.h"

namespace skmd::codegen {

namespace {

using llvm::BinaryOperator;
using llvm::CallInst;
using llvm::IRBuilder;
using llvm::Value;

bool is_never_zero(const Value& divisor) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(&divisor);
  if (constant == nullptr) return false;
  const auto is_number = [](const llvm::Constant* element) {
    const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(element);
    return number != nullptr && !number->isZero();
  };
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(constant->getType());
  if (type == nullptr) return is_number(constant);
  for (unsigned i = 0; i < type->getNumElements(); ++i)
    if (!is_number(constant->getAggregateElement(i))) return false;
  return true;
}

class Traps {
 public:
  Traps(llvm::Function& item, const CheckedItem& parts) : item_(item), tell_(item, parts), sites_(parts.sites) {}

  std::string run() {
    llvm::SmallVector<BinaryOperator*, 16> divisions;
    llvm::SmallVector<CallInst*, 4> ends;
    bool waits = false;
    for (llvm::Instruction& instruction : llvm::instructions(item_)) {
      auto* division = llvm::dyn_cast<BinaryOperator>(&instruction);
      if (division != nullptr && division->isIntDivRem() && !is_never_zero(*division->getOperand(1)))
        divisions.push_back(division);
      auto* call = llvm::dyn_cast<CallInst>(&instruction);
      if (call == nullptr) continue;
      const llvm::StringRef name = compiler::builtin_of(*call).name;
      if (name == kTerminate) ends.push_back(call);
      waits = waits || name == kBarrier;
    }
    for (BinaryOperator* division : divisions) check(*division);
    for (CallInst* call : ends) end(*call, waits);
    if (!ends.empty()) llvm::removeUnreachableBlocks(item_);
    return std::move(sites_);
  }

 private:
  void check(BinaryOperator& division) {
    IRBuilder<> ir(&division);
    // A branch must not depend on what is not known.
    Value* divisor = ir.CreateFreeze(division.getOperand(1));
    Value* zero = ir.CreateICmpEQ(divisor, llvm::Constant::getNullValue(divisor->getType()));
    if (zero->getType()->isVectorTy()) zero = ir.CreateOrReduce(zero);
    division.setOperand(1, divisor);
    IRBuilder<> then(llvm::SplitBlockAndInsertIfThen(zero, division.getIterator(), false));
    then.SetCurrentDebugLocation(division.getDebugLoc());
    tell_(then, then.getInt64(0), then.getInt64(0));
    const bool divides = division.getOpcode() == BinaryOperator::SDiv || division.getOpcode() == BinaryOperator::UDiv;
    sites_ +=
        site_of(division, divides ? "divides by zero" : "takes a remainder by zero", cpu::TrapKind::division_by_zero);
  }

  // The item ends here, unless others of its group may wait for it at a barrier.
  void end(CallInst& call, bool waits) {
    IRBuilder<> ir(&call);
    tell_(ir, ir.CreateZExtOrTrunc(call.getArgOperand(0), ir.getInt64Ty()), ir.getInt64(0));
    sites_ += site_of(call, "ends the launch", cpu::TrapKind::terminated);
    llvm::Instruction* next = call.getNextNode();
    call.eraseFromParent();
    if (waits) return;
    llvm::BasicBlock* block = next->getParent();
    llvm::SplitBlock(block, next->getIterator());
    llvm::BasicBlock& last = exit();
    block->getTerminator()->eraseFromParent();
    IRBuilder<>(block).CreateBr(&last);
  }

  // Of all ways out, so that the function keeps one return where it has one.
  llvm::BasicBlock& exit() {
    for (llvm::BasicBlock& block : item_)
      if (auto* back = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator()))
        return *llvm::SplitBlock(&block, back->getIterator());
    auto* made = llvm::BasicBlock::Create(item_.getContext(), "ended", &item_);
    llvm::ReturnInst::Create(item_.getContext(), nullptr, made);
    return *made;
  }

  static constexpr llvm::StringLiteral kTerminate = "arm_terminate_kernel";
  llvm::Function& item_;
  Tell tell_;
  std::string sites_;
};

}  // namespace

std::string add_traps(llvm::Function& item, const CheckedItem& parts) { return Traps(item, parts).run(); }

}  // namespace skmd::codegen

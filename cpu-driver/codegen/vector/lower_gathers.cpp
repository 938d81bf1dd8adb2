// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/lower_gathers.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "cpu-driver/codegen/vector/choices.h"
#include "cpu-driver/codegen/vector/lane_code.h"
#include "cpu-driver/codegen/vector/one_lane.h"
#include "cpu-driver/codegen/vector/vector_constants.h"

namespace skmd::codegen {

namespace {

using llvm::FixedVectorType;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kAddressBits = 64;    // of a processor with 64 bits
constexpr std::uint64_t kIdleBytes = 8;  // of the widest element

bool is_gather(const Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::masked_gather;
}

bool is_common(const Value* operand) {
  return llvm::isa<llvm::Constant>(operand) || llvm::getSplatValue(operand) != nullptr;
}

/// Addresses have 64 bits, and vectors of them twice the registers of what they are made of: what a load does itself,
/// or what is added to all lanes, is cheaper lane by lane.
bool suits_lane(const Instruction& instruction) {
  if (llvm::isa<llvm::GetElementPtrInst>(instruction)) return true;
  if (instruction.getType()->getScalarSizeInBits() != kAddressBits) return false;
  switch (instruction.getOpcode()) {
    case Instruction::SExt:
    case Instruction::ZExt:
      return true;
    case Instruction::Shl:
    case Instruction::Mul:
      return is_common(instruction.getOperand(1));
    case Instruction::Add:
    case Instruction::Or:
      return is_common(instruction.getOperand(0)) || is_common(instruction.getOperand(1));
    default:
      return false;
  }
}

class Lowering {
 public:
  explicit Lowering(llvm::Function& function)
      : function_(function), builder_(function.getContext(), llvm::TargetFolder(function.getDataLayout())) {}

  Value* of(llvm::CallInst& gather) {
    const unsigned lanes = llvm::cast<FixedVectorType>(gather.getType())->getNumElements();
    note_choice(function_, "a gather of " + llvm::Twine(lanes) + " lanes is done by loads: " +
                               llvm::Twine(lanes * tuning::kLoadOfLane) + " micro-operations");
    builder_.SetInsertPoint(&gather);
    builder_.SetCurrentDebugLocation(gather.getDebugLoc());
    Value* mask = gather.getArgOperand(1);
    const auto* known = llvm::dyn_cast<llvm::Constant>(mask);
    const bool is_known = known != nullptr && is_each_known(*known);
    Value* pointers = is_known ? gather.getArgOperand(0) : with_idle_lanes(gather);
    auto* type = llvm::cast<FixedVectorType>(gather.getType());
    Value* made = gather.getArgOperand(2);
    if (!is_known) made = llvm::PoisonValue::get(type);
    for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
      if (is_known && known->getAggregateElement(lane)->isNullValue()) continue;
      Value* pointer = OneLane(builder_, lane, suits_lane).of(pointers);
      llvm::LoadInst* load =
          builder_.CreateAlignedLoad(type->getElementType(), pointer, gather.getParamAlign(0).valueOrOne());
      load->copyMetadata(gather);
      made = builder_.CreateInsertElement(made, load, lane);
    }
    if (is_known || llvm::isa<llvm::UndefValue>(gather.getArgOperand(2))) return made;
    return builder_.CreateSelect(mask, made, gather.getArgOperand(2));
  }

 private:
  static bool is_each_known(const llvm::Constant& mask) {
    for (unsigned lane = 0; lane < llvm::cast<FixedVectorType>(mask.getType())->getNumElements(); ++lane)
      if (!llvm::isa_and_nonnull<llvm::ConstantInt>(mask.getAggregateElement(lane))) return false;
    return true;
  }

  Value* with_idle_lanes(llvm::CallInst& gather) {
    Value* pointers = gather.getArgOperand(0);
    Value* idle = builder_.CreateAddrSpaceCast(idle_place(gather), pointers->getType()->getScalarType());
    const unsigned lanes = llvm::cast<FixedVectorType>(gather.getType())->getNumElements();
    return builder_.CreateSelect(gather.getArgOperand(1), pointers, splat(builder_, idle, lanes));
  }

  Value* idle_place(const llvm::CallInst& gather) {
    if (idle_ == nullptr) {
      llvm::BasicBlock& entry = function_.getEntryBlock();
      Builder top(&entry, entry.begin(), llvm::TargetFolder(function_.getDataLayout()));
      idle_ = top.CreateAlloca(llvm::ArrayType::get(top.getInt8Ty(), kIdleBytes), nullptr, "idle");
    }
    idle_->setAlignment(std::max(idle_->getAlign(), gather.getParamAlign(0).valueOrOne()));
    return idle_;
  }

  llvm::Function& function_;
  Builder builder_;
  llvm::AllocaInst* idle_ = nullptr;
};

}  // namespace

bool lower_gathers(llvm::Function& function, Isa isa) {
  if (gathers_by_instruction(isa)) return false;
  llvm::SmallVector<llvm::CallInst*, 8> found;
  for (Instruction& instruction : llvm::instructions(function))
    if (is_gather(instruction)) found.push_back(llvm::cast<llvm::CallInst>(&instruction));
  Lowering lowering(function);
  for (llvm::CallInst* gather : found) {
    Value* made = lowering.of(*gather);
    if (llvm::isa<Instruction>(made)) made->takeName(gather);
    gather->replaceAllUsesWith(made);
    gather->eraseFromParent();
  }
  return !found.empty();
}

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
#include "compiler/opencl_c/placement.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/ir/builtin.h"
#include "compiler/opencl_c/opencl_c_constants.h"
#include "compiler/opencl_c/types.h"

namespace skmd::compiler::opencl_c {

namespace {

using llvm::Instruction;

bool is_product(const Instruction& instruction) { return instruction.getOpcode() == Instruction::FMul; }

// Clang would make one operation of a product and a sum in the same expression.
bool would_contract(const Instruction& product, const Instruction& user) {
  const unsigned opcode = user.getOpcode();
  if (opcode == Instruction::FAdd || opcode == Instruction::FSub || opcode == Instruction::FNeg) return true;
  // Which are their operand.
  if (opcode == Instruction::Freeze || (user.getType() == product.getType() && llvm::isa<llvm::BitCastInst>(user)))
    return true;
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&user);
  return intrinsic != nullptr && intrinsic->getIntrinsicID() == llvm::Intrinsic::fmuladd &&
         intrinsic->getArgOperand(2) == &product;
}

bool prints_operands_once(const llvm::IntrinsicInst& intrinsic) {
  switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::fmuladd:
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::abs:
    case llvm::Intrinsic::ctpop:
    case llvm::Intrinsic::ctlz:
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::copysign:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::rint:
      return true;
    default:
      return false;
  }
}

// Operands of these are in the text once, as expressions.
bool takes_expression(const Instruction& user, const Instruction& operand) {
  if (is_view(user)) return false;
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&user)) return prints_operands_once(*intrinsic);
  switch (user.getOpcode()) {
    case Instruction::PHI:
    case Instruction::AtomicRMW:
    case Instruction::AtomicCmpXchg:
    case Instruction::Switch:
      return false;
    case Instruction::ShuffleVector:
      return is_plain_insertion(operand) && llvm::getSplatValue(&user) != nullptr;
    case Instruction::InsertElement:
      return is_plain_insertion(user) && (user.getOperand(1) == &operand || is_plain_insertion(operand));
    case Instruction::ExtractElement:
      return llvm::isa<llvm::ConstantInt>(user.getOperand(1)) && user.getOperand(0) == &operand;
    case Instruction::Load:
    case Instruction::Store:
      return !is_in_elements(*llvm::getLoadStoreType(&user));
    default:
      return true;
  }
}

// Whether the result is the same wherever it is computed between the instruction and its use.
bool is_expression(const Instruction& instruction) {
  if (is_view(instruction)) return false;
  if (instruction.getType()->isVoidTy() || instruction.getType()->isStructTy() || has_effect(instruction)) return false;
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return prints_operands_once(*intrinsic);
  switch (instruction.getOpcode()) {
    case Instruction::PHI:
    case Instruction::Alloca:
    case Instruction::ExtractValue:
      return false;
    case Instruction::InsertElement:
      return is_plain_insertion(instruction);
    case Instruction::ExtractElement:
      return llvm::isa<llvm::ConstantInt>(instruction.getOperand(1));
    case Instruction::Load:
      return !is_in_elements(*instruction.getType()) && !is_kept_by_fence(llvm::cast<llvm::LoadInst>(instruction));
    default:
      return true;
  }
}

}  // namespace

bool is_kept_by_fence(const llvm::LoadInst& load) {
  const auto* fence = llvm::dyn_cast_or_null<llvm::FenceInst>(load.getPrevNode());
  return fence != nullptr && fence->getSyncScopeID() == llvm::SyncScope::SingleThread;
}

bool is_ignored(const Instruction& instruction) {
  // A sampler is written where it is used.
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call != nullptr && builtin_of(*call).name == "__translate_sampler_initializer") return true;
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return intrinsic != nullptr &&
         (intrinsic->isAssumeLikeIntrinsic() || intrinsic->getIntrinsicID() == llvm::Intrinsic::donothing) &&
         intrinsic->getType()->isVoidTy();
}

bool is_view(const llvm::Value& value) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(value.getType());
  if (type == nullptr) return false;
  if (const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(&value)) {
    const auto* from = llvm::dyn_cast<llvm::FixedVectorType>(cast->getSrcTy());
    const bool three = from != nullptr && (from->getNumElements() == 3) != (type->getNumElements() == 3);
    const bool finer = from != nullptr && from->getScalarSizeInBits() % type->getScalarSizeInBits() == 0;
    return finer && (three || !has_vector_of(type->getNumElements()) || is_view(*cast->getOperand(0)));
  }
  if (has_vector_of(type->getNumElements())) return false;
  return llvm::isa<llvm::ShuffleVectorInst, llvm::LoadInst>(value) || is_plain_insertion(value);
}

bool has_effect(const Instruction& instruction) {
  if (is_ignored(instruction)) return false;
  if (instruction.isTerminator() || instruction.mayWriteToMemory() || instruction.isVolatile()) return true;
  // What does not write may be left out and moved, even if it is not known to come back.
  return instruction.isAtomic();
}

bool is_plain_insertion(const llvm::Value& value) {
  const auto* insertion = llvm::dyn_cast<llvm::InsertElementInst>(&value);
  if (insertion == nullptr) return false;
  const auto* index = llvm::dyn_cast<llvm::ConstantInt>(insertion->getOperand(2));
  return index != nullptr &&
         index->getValue().ult(llvm::cast<llvm::FixedVectorType>(value.getType())->getNumElements());
}

Placement::Placement(const llvm::Function& kernel) {
  for (const llvm::BasicBlock& block : kernel) place(block);
}

void Placement::place(const llvm::BasicBlock& block) {
  unsigned writes = 0;
  for (const Instruction& instruction : block) {
    writes_before_[&instruction] = writes;
    if (has_effect(instruction)) ++writes;
  }
  for (const Instruction& instruction : llvm::reverse(block)) {
    statement_[&instruction] = &instruction;
    depth_[&instruction] = 0;
    if (!is_expression(instruction) || !instruction.hasOneUse()) continue;
    const auto* user = llvm::cast<Instruction>(*instruction.user_begin());
    if (user->getParent() != &block || !may_go_into(instruction, *user)) continue;
    inside_.insert(&instruction);
    statement_[&instruction] = statement_[user];
    depth_[&instruction] = depth_[user] + 1;
  }
}

bool Placement::may_go_into(const Instruction& instruction, const Instruction& user) const {
  if (depth_.lookup(&user) + 1 > tuning::kMaxNesting || !takes_expression(user, instruction)) return false;
  if (is_product(instruction) && would_contract(instruction, user)) return false;
  if (!instruction.mayReadFromMemory()) return true;
  return writes_before_.lookup(statement_.lookup(&user)) == writes_before_.lookup(&instruction);
}

}  // namespace skmd::compiler::opencl_c

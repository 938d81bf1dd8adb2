// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/packs/spread.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "cpu-driver/codegen/packs/packs_constants.h"
#include "cpu-driver/codegen/vector/lane_code.h"

namespace skmd::codegen {

namespace {

using llvm::FixedVectorType;
using llvm::Instruction;
using llvm::Value;

// Some lanes of one vector.
bool is_part(const Instruction& instruction) {
  const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction);
  if (shuffle == nullptr || !shuffle->changesLength() || shuffle->increasesLength()) return false;
  const int lanes = static_cast<int>(llvm::cast<FixedVectorType>(shuffle->getOperand(0)->getType())->getNumElements());
  return llvm::all_of(shuffle->getShuffleMask(), [&](int place) { return place >= 0 && place < lanes; });
}

bool is_low_bits(const Instruction& instruction) {
  return llvm::isa<llvm::TruncInst>(instruction) && llvm::isa<FixedVectorType>(instruction.getType());
}

/// The operation whose result's lanes or low bits `instruction` takes, where it can take those of the operands instead.
llvm::BinaryOperator* taken_from(Instruction& instruction) {
  if (!instruction.getType()->isIntOrIntVectorTy() ||
      instruction.getType()->getScalarSizeInBits() > tuning::kWidestSpread)
    return nullptr;
  const bool part = is_part(instruction);
  if (!part && !is_low_bits(instruction)) return nullptr;
  auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(instruction.getOperand(0));
  if (operation == nullptr || (!part && !operation->isBitwiseLogicOp()) || operation->isIntDivRem() ||
      operation->isShift())
    return nullptr;
  // Else it would be done twice.
  const bool only = llvm::all_of(operation->users(), [](const llvm::User* user) {
    const auto* other = llvm::cast<Instruction>(user);
    return is_part(*other) || is_low_bits(*other);
  });
  return only ? operation : nullptr;
}

Value* taken(Builder& builder, Instruction& like, Value* from) {
  if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&like))
    return builder.CreateShuffleVector(from, shuffle->getShuffleMask());
  return builder.CreateTrunc(from, like.getType());
}

}  // namespace

bool spread_members(llvm::Function& function) {
  Builder builder(function.getContext(), llvm::TargetFolder(function.getDataLayout()));
  llvm::SmallVector<Instruction*, 16> open;  // none of them an operation, which goes with its last user
  const auto add = [&](Value* value) {
    if (llvm::isa<llvm::ShuffleVectorInst, llvm::TruncInst>(value)) open.push_back(llvm::cast<Instruction>(value));
  };
  for (Instruction& instruction : llvm::instructions(function)) add(&instruction);
  bool changed = false;
  while (!open.empty()) {
    Instruction* instruction = open.pop_back_val();
    llvm::BinaryOperator* operation = taken_from(*instruction);
    if (operation == nullptr) continue;
    builder.SetInsertPoint(instruction);
    llvm::SmallVector<Value*, 2> operands;
    for (Value* operand : operation->operands()) operands.push_back(taken(builder, *instruction, operand));
    Value* made = builder.CreateBinOp(operation->getOpcode(), operands[0], operands[1]);
    for (Value* operand : operands) add(operand);
    instruction->replaceAllUsesWith(made);
    instruction->eraseFromParent();
    if (operation->use_empty()) operation->eraseFromParent();
    changed = true;
  }
  return changed;
}

}  // namespace skmd::codegen

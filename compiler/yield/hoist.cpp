// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/hoist.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>

#include "compiler/ir/builtin.h"
#include "compiler/yield/yield_constants.h"

namespace skmd::compiler {

namespace {

bool divides_safely(const llvm::BinaryOperator& operation) {
  if (!operation.isIntDivRem()) return true;
  const auto* divisor = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
  return divisor != nullptr && !divisor->isZero() && !divisor->isMinusOne();
}

bool is_operation(const llvm::Instruction& instruction) {
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) return divides_safely(*operation);
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
    return is_geometry(builtin_of(*call).name) &&
           llvm::all_of(call->args(), [](const llvm::Use& use) { return llvm::isa<llvm::Constant>(*use); });
  return llvm::isa<llvm::CastInst, llvm::CmpInst, llvm::SelectInst, llvm::GetElementPtrInst, llvm::ExtractElementInst,
                   llvm::InsertElementInst>(instruction);
}

bool may_hoist(const llvm::Value& value, const llvm::BasicBlock& entry, unsigned& budget) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (instruction == nullptr || instruction->getParent() == &entry) return true;
  if (budget == 0 || !is_operation(*instruction)) return false;
  --budget;
  return llvm::all_of(instruction->operands(), [&](const llvm::Use& use) { return may_hoist(*use, entry, budget); });
}

void move(llvm::Instruction& instruction, llvm::Instruction& end) {
  if (instruction.getParent() == end.getParent()) return;
  for (llvm::Use& operand : instruction.operands())
    if (auto* other = llvm::dyn_cast<llvm::Instruction>(operand.get())) move(*other, end);
  instruction.moveBefore(end.getIterator());
}

}  // namespace

bool hoist(llvm::Instruction& value, llvm::Instruction& end) {
  unsigned budget = tuning::kMaxRecomputed;
  if (!may_hoist(value, *end.getParent(), budget)) return false;
  move(value, end);
  return true;
}

}  // namespace skmd::compiler

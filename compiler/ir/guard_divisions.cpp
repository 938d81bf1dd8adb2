// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/guard_divisions.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>

namespace skmd::compiler {

namespace {

using llvm::IRBuilder;
using llvm::Value;

void guard_division(llvm::BinaryOperator& division) {
  IRBuilder<> ir(&division);
  llvm::Type* type = division.getType();
  Value* divisor = division.getOperand(1);
  llvm::Constant* zero = llvm::Constant::getNullValue(type);
  llvm::Constant* one = llvm::ConstantInt::get(type, 1);
  const auto opcode = division.getOpcode();
  const bool is_signed = opcode == llvm::Instruction::SDiv || opcode == llvm::Instruction::SRem;
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(divisor);
      constant != nullptr && !constant->isZero() && !(is_signed && constant->isMinusOne()))
    return;
  Value* trap = ir.CreateICmpEQ(divisor, zero);
  if (is_signed) {
    // The least number by -1 overflows: dividing by -1 is negation, and leaves no rest.
    Value* minus = ir.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type));
    trap = ir.CreateOr(trap, minus);
    division.setOperand(1, ir.CreateSelect(trap, one, divisor));
    ir.SetInsertPoint(division.getNextNode());
    Value* other = opcode == llvm::Instruction::SDiv ? ir.CreateNeg(division.getOperand(0)) : zero;
    auto* chosen = llvm::cast<llvm::SelectInst>(ir.Insert(llvm::SelectInst::Create(minus, other, &division)));
    division.replaceUsesWithIf(chosen, [&](const llvm::Use& use) { return use.getUser() != chosen; });
    return;
  }
  division.setOperand(1, ir.CreateSelect(trap, one, divisor));
}

}  // namespace

void guard_divisions(const std::vector<llvm::BasicBlock*>& body) {
  std::vector<llvm::BinaryOperator*> divisions;
  for (llvm::BasicBlock* block : body) {
    for (llvm::Instruction& instruction : *block) {
      auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
      if (operation != nullptr && operation->isIntDivRem()) divisions.push_back(operation);
    }
  }
  for (llvm::BinaryOperator* division : divisions) guard_division(*division);
}

}  // namespace skmd::compiler

// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/masks/division.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>

namespace skmd::codegen {

void make_safe(llvm::BinaryOperator& division) {
  using llvm::Value;
  llvm::Type* type = division.getType();
  const bool is_signed =
      division.getOpcode() == llvm::Instruction::SDiv || division.getOpcode() == llvm::Instruction::SRem;
  Value* by = division.getOperand(1);
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(by))
    if (!constant->isZero() && !(is_signed && constant->isMinusOne())) return;
  llvm::IRBuilder<> ir(&division);
  by = ir.CreateFreeze(by);
  Value* one = llvm::ConstantInt::get(type, 1);
  Value* bad = ir.CreateICmpEQ(by, llvm::Constant::getNullValue(type));
  if (is_signed) {
    // MIN / -1 leaves the type's range. All other dividends keep their result.
    Value* whole = ir.CreateFreeze(division.getOperand(0));
    division.setOperand(0, whole);
    Value* least = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(type->getScalarSizeInBits()));
    Value* overflow =
        ir.CreateAnd(ir.CreateICmpEQ(whole, least), ir.CreateICmpEQ(by, llvm::Constant::getAllOnesValue(type)));
    bad = ir.CreateOr(bad, overflow);
  }
  division.setOperand(1, ir.CreateSelect(bad, one, by));
}

}  // namespace skmd::codegen

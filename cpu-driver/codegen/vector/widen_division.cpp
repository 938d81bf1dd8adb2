// SPDX-License-Identifier: Apache-2.0
// Integer division that stops in no lane. What x / 0 gives does not matter, in OpenCL as here.
#include <llvm/Analysis/ValueTracking.h>

#include "cpu-driver/codegen/vector/widener.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;
using llvm::Type;
using llvm::Value;

bool is_signed(const llvm::BinaryOperator& operation) {
  return operation.getOpcode() == Instruction::SDiv || operation.getOpcode() == Instruction::SRem;
}

bool is_remainder(const llvm::BinaryOperator& operation) {
  return operation.getOpcode() == Instruction::SRem || operation.getOpcode() == Instruction::URem;
}

// `divisor`, or 1 where dividing by it would stop the program. Works on vectors as well.
Value* safe_divisor(Builder& builder, Value* dividend, Value* divisor, bool sign) {
  Type* type = divisor->getType();
  const unsigned bits = type->getScalarSizeInBits();
  Value* bad = builder.CreateICmpEQ(divisor, llvm::ConstantInt::get(type, 0));
  if (sign) {
    Value* least = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(bits));
    Value* overflow = builder.CreateAnd(builder.CreateICmpEQ(divisor, llvm::ConstantInt::getAllOnesValue(type)),
                                        builder.CreateICmpEQ(dividend, least));
    bad = builder.CreateOr(bad, overflow);
  }
  return builder.CreateSelect(bad, llvm::ConstantInt::get(type, 1), divisor);
}

// A constant that no dividend makes trouble with.
bool harmless(const Value* divisor) {
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(divisor);
  return number != nullptr && !number->isZero() && !number->isMinusOne();
}

}  // namespace

void Widener::scalar_division(llvm::BinaryOperator& source) {
  Value* dividend = scalar(source.getOperand(0));
  Value* divisor = scalar(source.getOperand(1));
  if (!source.getType()->isIntegerTy() || harmless(divisor)) {
    copy_scalar(source);
    return;
  }
  dividend = builder_.CreateFreeze(dividend);
  divisor = builder_.CreateFreeze(divisor);
  divisor = safe_divisor(builder_, dividend, divisor, is_signed(source));
  set_scalar(source, builder_.CreateBinOp(source.getOpcode(), dividend, divisor));
}

// The quotient rounded to the type's precision is not past the next whole number: it has more bits than both operands
// together need to tell the quotient from that.
Value* Widener::through_floats(llvm::BinaryOperator& source, Type* floats) {
  const bool sign = is_signed(source);
  Value* dividend = vector(source.getOperand(0));
  Value* divisor = vector(source.getOperand(1));
  Type* wide = lanes_of(floats, lanes_);
  Type* whole = lanes_of(builder_.getInt32Ty(), lanes_);
  const auto to_float = sign ? Instruction::SIToFP : Instruction::UIToFP;
  const auto to_whole = sign ? Instruction::FPToSI : Instruction::FPToUI;
  Value* quotient =
      builder_.CreateFDiv(builder_.CreateCast(to_float, dividend, wide), builder_.CreateCast(to_float, divisor, wide));
  // Infinities and what does not fit become some number.
  Value* cut = builder_.CreateFreeze(builder_.CreateCast(to_whole, quotient, whole));
  cut = builder_.CreateTrunc(cut, dividend->getType());
  if (!is_remainder(source)) return cut;
  return builder_.CreateSub(dividend, builder_.CreateMul(cut, divisor));
}

Value* Widener::division(llvm::BinaryOperator& source) {
  const unsigned bits = source.getType()->getIntegerBitWidth();
  Value* divisor = vector(source.getOperand(1));
  Value* dividend = vector(source.getOperand(0));
  if (harmless(source.getOperand(1))) return builder_.CreateBinOp(source.getOpcode(), dividend, divisor);
  if (bits == 32) return through_floats(source, builder_.getDoubleTy());
  if (bits == 16 || bits == 8) return through_floats(source, builder_.getFloatTy());
  dividend = builder_.CreateFreeze(dividend);
  divisor = safe_divisor(builder_, dividend, builder_.CreateFreeze(divisor), is_signed(source));
  return builder_.CreateBinOp(source.getOpcode(), dividend, divisor);
}

}  // namespace skmd::codegen

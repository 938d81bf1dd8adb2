// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/widen_division.h"

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

// The quotient rounded to the type's precision is not past the next whole number: it has more bits than both operands
// together need to tell the quotient from that.
Value* through_floats(Builder& builder, LaneValues& values, llvm::BinaryOperator& source, Type* floats) {
  const bool sign = is_signed(source);
  Value* dividend = values.vector(source.getOperand(0));
  Value* divisor = values.vector(source.getOperand(1));
  Type* wide = lanes_of(floats, values.lanes());
  Type* whole = lanes_of(builder.getInt32Ty(), values.lanes());
  const auto to_float = sign ? Instruction::SIToFP : Instruction::UIToFP;
  const auto to_whole = sign ? Instruction::FPToSI : Instruction::FPToUI;
  Value* quotient =
      builder.CreateFDiv(builder.CreateCast(to_float, dividend, wide), builder.CreateCast(to_float, divisor, wide));
  // Infinities and what does not fit become some number.
  Value* cut = builder.CreateFreeze(builder.CreateCast(to_whole, quotient, whole));
  cut = builder.CreateTrunc(cut, dividend->getType());
  if (!is_remainder(source)) return cut;
  return builder.CreateSub(dividend, builder.CreateMul(cut, divisor));
}

}  // namespace

Value* scalar_division(Builder& builder, const LaneValues& values, llvm::BinaryOperator& source) {
  Value* dividend = values.scalar(source.getOperand(0));
  Value* divisor = values.scalar(source.getOperand(1));
  if (!source.getType()->isIntegerTy() || harmless(divisor)) return copy_scalar(builder, values, source);
  dividend = builder.CreateFreeze(dividend);
  divisor = builder.CreateFreeze(divisor);
  divisor = safe_divisor(builder, dividend, divisor, is_signed(source));
  return builder.CreateBinOp(source.getOpcode(), dividend, divisor);
}

Value* vector_division(Builder& builder, LaneValues& values, llvm::BinaryOperator& source) {
  const unsigned bits = source.getType()->getIntegerBitWidth();
  Value* divisor = values.vector(source.getOperand(1));
  Value* dividend = values.vector(source.getOperand(0));
  if (harmless(source.getOperand(1))) return builder.CreateBinOp(source.getOpcode(), dividend, divisor);
  if (bits == 32) return through_floats(builder, values, source, builder.getDoubleTy());
  if (bits == 16 || bits == 8) return through_floats(builder, values, source, builder.getFloatTy());
  dividend = builder.CreateFreeze(dividend);
  divisor = safe_divisor(builder, dividend, builder.CreateFreeze(divisor), is_signed(source));
  return builder.CreateBinOp(source.getOpcode(), dividend, divisor);
}

}  // namespace skmd::codegen

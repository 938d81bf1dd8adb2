// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/ranges.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Operator.h>

#include "cpu-driver/codegen/vector/vector_constants.h"

namespace skmd::codegen {

namespace {

using llvm::ConstantRange;
using llvm::Instruction;
using llvm::Value;

struct Ranges {
  bool sign;
  bool trust_flags;

  ConstantRange of(const Value* value, unsigned depth) const;
  ConstantRange of_binary(const llvm::BinaryOperator& operation, unsigned depth) const;
};

ConstantRange Ranges::of_binary(const llvm::BinaryOperator& operation, unsigned depth) const {
  const ConstantRange left = of(operation.getOperand(0), depth);
  const ConstantRange right = of(operation.getOperand(1), depth);
  unsigned kinds = 0;
  if (const auto* wrapping = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&operation); wrapping && trust_flags)
    kinds = wrapping->getNoWrapKind();
  return left.overflowingBinaryOp(operation.getOpcode(), right, kinds);
}

ConstantRange Ranges::of(const Value* value, unsigned depth) const {
  if (depth < tuning::kMaxRangeDepth) {
    if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(value);
        cast != nullptr && cast->getSrcTy()->isIntegerTy() && cast->isIntegerCast())
      return of(cast->getOperand(0), depth + 1).castOp(cast->getOpcode(), value->getType()->getIntegerBitWidth());
    if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value)) return of_binary(*operation, depth + 1);
  }
  return llvm::computeConstantRange(value, sign, trust_flags);
}

}  // namespace

ConstantRange lane_range(const Value* value, bool sign, bool trust_flags) {
  return Ranges{sign, trust_flags}.of(value, 0);
}

}  // namespace skmd::codegen

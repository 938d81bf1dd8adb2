// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/packs/origins.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

namespace skmd::codegen {

namespace {

using llvm::FixedVectorType;
using llvm::Value;

/// Bits [bit, bit + width) of `value`.
struct Walk {
  Value* value;
  std::uint64_t bit;
  std::uint64_t width;

  std::uint64_t element() const { return value->getType()->getScalarSizeInBits(); }
  std::uint64_t lane() const { return bit / element(); }
  std::uint64_t inside() const { return bit % element(); }

  bool through(llvm::ShuffleVectorInst& shuffle) {
    const int from = shuffle.getMaskValue(static_cast<unsigned>(lane()));
    if (from < 0) {
      value = nullptr;
      return true;
    }
    const unsigned lanes = llvm::cast<FixedVectorType>(shuffle.getOperand(0)->getType())->getNumElements();
    const std::uint64_t within = inside(), size = element();
    value = shuffle.getOperand(static_cast<unsigned>(from) < lanes ? 0 : 1);
    bit = static_cast<unsigned>(from) % lanes * size + within;
    return true;
  }

  bool through(llvm::CastInst& cast) {
    auto* from = llvm::dyn_cast<FixedVectorType>(cast.getOperand(0)->getType());
    if (from == nullptr || from->getElementType()->isPointerTy() || cast.getType()->getScalarType()->isPointerTy())
      return false;
    const std::uint64_t size = from->getScalarSizeInBits();
    switch (cast.getOpcode()) {
      case llvm::Instruction::BitCast:
        break;
      case llvm::Instruction::ZExt:
        if (inside() + width > size) return false;
        [[fallthrough]];
      case llvm::Instruction::Trunc:
        bit = lane() * size + inside();
        break;
      default:
        return false;
    }
    value = cast.getOperand(0);
    return true;
  }

  bool through(llvm::BinaryOperator& operation) {
    if (operation.getOpcode() != llvm::Instruction::LShr) return false;
    const auto* by = llvm::dyn_cast<llvm::Constant>(operation.getOperand(1));
    const auto* shift =
        by == nullptr
            ? nullptr
            : llvm::dyn_cast_or_null<llvm::ConstantInt>(by->getAggregateElement(static_cast<unsigned>(lane())));
    if (shift == nullptr || shift->getValue().uge(element())) return false;
    if (inside() + shift->getZExtValue() + width > element()) return false;
    bit += shift->getZExtValue();
    value = operation.getOperand(0);
    return true;
  }

  bool step() {
    // Else other bits may go other ways.
    if (inside() + width > element()) return false;
    if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(value)) return through(*shuffle);
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) return through(*cast);
    if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value)) return through(*operation);
    return false;
  }
};

}  // namespace

Origin origin_of(Value& vector, unsigned lane, unsigned until) {
  const std::uint64_t width = vector.getType()->getScalarSizeInBits();
  if (width == 0) return {&vector, 0};  // pointers
  Walk walk{&vector, lane * width, width};
  while (walk.value != nullptr) {
    auto* type = llvm::dyn_cast<FixedVectorType>(walk.value->getType());
    if (type == nullptr || (until != 0 && type->getNumElements() == until) || !walk.step()) break;
  }
  return {walk.value, walk.bit};
}

}  // namespace skmd::codegen

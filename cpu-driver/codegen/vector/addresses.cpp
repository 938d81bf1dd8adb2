// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/addresses.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include "cpu-driver/codegen/vector/ranges.h"

namespace skmd::codegen {

namespace {

using llvm::ConstantRange;
using llvm::Instruction;
using llvm::Value;

const llvm::ConstantInt* constant_operand(const llvm::BinaryOperator& operation) {
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
  return number != nullptr && number->getBitWidth() <= 64 ? number : nullptr;
}

// Whether the sum of two numbers, extended, is the sum of the extended ones.
bool adds_in_range(const llvm::BinaryOperator& sum, const llvm::ConstantInt& more, bool sign) {
  if (sign ? sum.hasNoSignedWrap() : sum.hasNoUnsignedWrap()) return true;
  const ConstantRange range = lane_range(sum.getOperand(0), sign, /*trust_flags=*/true);
  const ConstantRange added(more.getValue());
  const ConstantRange::OverflowResult result =
      sign ? range.signedAddMayOverflow(added) : range.unsignedAddMayOverflow(added);
  return result == ConstantRange::OverflowResult::NeverOverflows;
}

// A constant that is added to a number which is extended afterwards.
bool take_extended_sum(Address& address, const llvm::BinaryOperator& sum) {
  const llvm::ConstantInt* more = constant_operand(sum);
  if (more == nullptr) return false;
  const bool sign = address.extension == Address::sign;
  const bool adds = sum.getOpcode() == Instruction::Add && adds_in_range(sum, *more, sign);
  // No carry, so nothing wraps; the sign stays.
  const auto* either = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&sum);
  const bool fills = either != nullptr && either->isDisjoint() && !more->isNegative();
  if (!adds && !fills) return false;
  const std::uint64_t value = sign ? static_cast<std::uint64_t>(more->getSExtValue()) : more->getZExtValue();
  address.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(address.offset) + address.factor * value);
  address.number = sum.getOperand(0);
  return true;
}

// One step of arithmetic modulo 2^64.
bool take_operation(Address& address, const llvm::BinaryOperator& operation) {
  const llvm::ConstantInt* constant = constant_operand(operation);
  if (constant == nullptr) return false;
  const std::uint64_t value = constant->getZExtValue();
  switch (operation.getOpcode()) {
    case Instruction::Shl:
      if (value > 63) return false;
      address.factor <<= value;
      break;
    case Instruction::Mul:
      address.factor *= value;
      break;
    case Instruction::Or:
      if (!llvm::cast<llvm::PossiblyDisjointInst>(operation).isDisjoint()) return false;
      [[fallthrough]];
    case Instruction::Add:
      address.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(address.offset) + address.factor * value);
      break;
    default:
      return false;
  }
  address.number = operation.getOperand(0);
  return true;
}

bool take_extension(Address& address, const llvm::CastInst& cast) {
  if (!cast.getSrcTy()->isIntegerTy() || cast.getSrcTy()->isIntegerTy(1)) return false;
  if (cast.getOpcode() != Instruction::SExt && cast.getOpcode() != Instruction::ZExt) return false;
  // Of a number that is not negative, both are the same.
  const bool sign = cast.getOpcode() == Instruction::SExt || cast.hasNonNeg();
  address.extension = sign ? Address::sign : Address::zero;
  address.number = cast.getOperand(0);
  return true;
}

bool take_apart(Address& address, bool into_extensions) {
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(address.number))
    return address.extension == Address::none ? take_operation(address, *operation)
                                              : take_extended_sum(address, *operation);
  const auto* cast = llvm::dyn_cast<llvm::CastInst>(address.number);
  return into_extensions && cast != nullptr && address.extension == Address::none && take_extension(address, *cast);
}

}  // namespace

Address address_of(Value& pointer, const llvm::DataLayout& layout, TakeApart depth) {
  Address address;
  llvm::APInt offset(64, 0);
  address.base = pointer.stripAndAccumulateConstantOffsets(layout, offset, true);
  if (auto* sum = llvm::dyn_cast<llvm::GetElementPtrInst>(address.base);
      depth != TakeApart::constants && sum != nullptr && sum->getSourceElementType()->isIntegerTy(8) &&
      sum->getNumIndices() == 1 && sum->getOperand(1)->getType()->isIntegerTy(64)) {
    address.factor = 1;
    address.number = sum->getOperand(1);
    while (take_apart(address, depth == TakeApart::extensions)) {
    }
    address.base = sum->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
  }
  address.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(address.offset) + offset.getZExtValue());
  return address;
}

}  // namespace skmd::codegen

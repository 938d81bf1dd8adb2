// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/shapes.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/MathExtras.h>

#include <limits>

#include "cpu-driver/codegen/vector/markers.h"
#include "cpu-driver/codegen/vector/ranges.h"
#include "cpu-driver/codegen/vector/trust.h"
#include "cpu-driver/codegen/vector/vector_constants.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;

constexpr Shape kUniform{Shape::linear, false, 0};
constexpr Shape kVarying{Shape::varying, false, 0};

// Strides are kept as the type's bits, sign-extended.
Shape linear(const llvm::Type& type, std::uint64_t stride, bool checked) {
  const unsigned bits = type.isIntegerTy() ? type.getIntegerBitWidth() : 64;
  if (bits > 64 || bits == 1) return kVarying;
  const std::int64_t kept = llvm::SignExtend64(stride, bits);
  if (kept == 0 && checked) return kVarying;
  return Shape{Shape::linear, checked, kept};
}

std::optional<std::uint64_t> constant(const Value* value) {
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value);
  if (number == nullptr || number->getBitWidth() > 64) return std::nullopt;
  return static_cast<std::uint64_t>(number->getSExtValue());
}

}  // namespace

Shapes::Shapes(llvm::Function& function, const PrivateLayout& layout, unsigned lanes, bool trust_flags)
    : layout_(layout), lanes_(lanes), trust_flags_(trust_flags) {
  for (const llvm::Argument& argument : function.args()) shapes_[&argument] = kUniform;
  if (const llvm::Argument* lane = argument_with(function, kLane)) shapes_[lane] = linear(*lane->getType(), 1, false);
  if (const llvm::Argument* live = argument_with(function, kLive)) shapes_[live] = kVarying;
  const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function);
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::BasicBlock* block : order) {
      for (Instruction& instruction : *block) {
        if (instruction.getType()->isVoidTy()) continue;
        const Shape shape = of(instruction);
        Shape& known = shapes_[&instruction];
        changed = changed || shape != known;
        known = shape;
      }
    }
  }
}

Shape Shapes::operator[](const Value* value) const {
  if (const auto found = shapes_.find(value); found != shapes_.end()) return found->second;
  return llvm::isa<Instruction>(value) ? Shape{} : kUniform;
}

bool Shapes::operands_uniform(const Instruction& instruction) const {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const auto operands = call != nullptr ? call->args() : instruction.operands();
  return llvm::all_of(operands, [&](const llvm::Use& operand) { return (*this)[operand.get()].uniform(); });
}

Shape Shapes::of_phi(const llvm::PHINode& phi) const {
  Shape met;
  for (const Value* value : phi.incoming_values()) {
    const Shape shape = (*this)[value];
    if (shape.kind == Shape::unknown) continue;
    if (shape.checked) return kVarying;
    if (met.kind != Shape::unknown && met != shape) return kVarying;
    met = shape;
  }
  return met;
}

Shape Shapes::of_sum(const Instruction& sum) const {
  const Shape left = (*this)[sum.getOperand(0)];
  const Shape right = (*this)[sum.getOperand(1)];
  if (left.kind != Shape::linear || right.kind != Shape::linear) return kVarying;
  const auto first = static_cast<std::uint64_t>(left.stride);
  const auto second = static_cast<std::uint64_t>(right.stride);
  const bool minus = sum.getOpcode() == Instruction::Sub;
  return linear(*sum.getType(), minus ? first - second : first + second, left.checked || right.checked);
}

Shape Shapes::of_product(const Instruction& product) const {
  const bool shift = product.getOpcode() == Instruction::Shl;
  for (unsigned at : {1U, 0U}) {
    const std::optional<std::uint64_t> factor = constant(product.getOperand(at));
    const Shape other = (*this)[product.getOperand(1 - at)];
    if (!factor || (shift && (at == 0 || *factor > 63))) continue;
    if (other.kind != Shape::linear) return kVarying;
    const auto stride = static_cast<std::uint64_t>(other.stride);
    return linear(*product.getType(), shift ? stride << *factor : stride * *factor, other.checked);
  }
  return kVarying;
}

Shape Shapes::of_offset(const llvm::GetElementPtrInst& address) const {
  if (address.getType()->isVectorTy()) return kVarying;
  const Shape base = (*this)[address.getPointerOperand()];
  const Shape offset = (*this)[address.getOperand(1)];
  if (base.kind != Shape::linear || offset.kind != Shape::linear) return kVarying;
  const std::uint64_t scale = layout_.interleaved(&address) ? lanes_ : 1;
  return linear(*address.getType(),
                static_cast<std::uint64_t>(base.stride) + scale * static_cast<std::uint64_t>(offset.stride),
                base.checked || offset.checked);
}

Shape Shapes::of_cast(const llvm::CastInst& cast) const {
  const Shape from = (*this)[cast.getOperand(0)];
  if (from.kind != Shape::linear) return kVarying;
  const auto stride = static_cast<std::uint64_t>(from.stride);
  switch (cast.getOpcode()) {
    case Instruction::SExt:
      if (cast.getSrcTy()->isIntegerTy(1)) return kVarying;
      return linear(*cast.getType(), stride, from.checked || !extends(cast, true));
    case Instruction::ZExt:
      if (cast.getSrcTy()->isIntegerTy(1)) return kVarying;
      return linear(*cast.getType(), stride, from.checked || !extends(cast, false));
    case Instruction::Trunc:
    case Instruction::AddrSpaceCast:
      return linear(*cast.getType(), stride, from.checked);
    case Instruction::PtrToInt:
    case Instruction::IntToPtr:
      if (!cast.getSrcTy()->isIntegerTy(64) && !cast.getType()->isIntegerTy(64)) return kVarying;
      return linear(*cast.getType(), stride, from.checked);
    default:
      return kVarying;
  }
}

Shape Shapes::of_call(llvm::CallInst& call) const {
  switch (marker(call)) {
    case Marker::any:
      return kUniform;
    case Marker::each:
      return kVarying;
    case Marker::load:
      return (*this)[call.getArgOperand(0)].uniform() ? kUniform : kVarying;
    default:
      return is_pure(call) && operands_uniform(call) ? kUniform : kVarying;
  }
}

// Or adds then.
// By what is known of the bits alone: promises may be broken in lane 0 (trust.h).
bool Shapes::no_common_bits(const Instruction& either) {
  const llvm::SimplifyQuery query(either.getDataLayout(), nullptr, nullptr, nullptr, nullptr, /*UseInstrInfo=*/false);
  return llvm::haveNoCommonBitsSet(either.getOperand(0), either.getOperand(1), query);
}

Shape Shapes::of(Instruction& instruction) const {
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) return of_phi(*phi);
  if (llvm::any_of(instruction.operands(), [&](const llvm::Use& operand) {
        return llvm::isa<Instruction>(operand.get()) && (*this)[operand.get()].kind == Shape::unknown;
      }))
    return Shape{};
  if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) return of_call(*call);
  if (const PrivateVariable* variable = layout_.variable(&instruction))
    return linear(*instruction.getType(), variable->element != 0 ? variable->element : variable->size, false);
  if (instruction.mayReadOrWriteMemory() && !llvm::isa<llvm::LoadInst>(instruction)) return kVarying;
  if (operands_uniform(instruction)) return kUniform;
  switch (instruction.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
      return of_sum(instruction);
    case Instruction::Or:
      return no_common_bits(instruction) ? of_sum(instruction) : kVarying;
    case Instruction::Mul:
    case Instruction::Shl:
      return of_product(instruction);
    case Instruction::GetElementPtr:
      return of_offset(llvm::cast<llvm::GetElementPtrInst>(instruction));
    default:
      return llvm::isa<llvm::CastInst>(instruction) ? of_cast(llvm::cast<llvm::CastInst>(instruction)) : kVarying;
  }
}

bool Shapes::extends(const llvm::CastInst& cast, bool sign) const {
  const Value* value = cast.getOperand(0);
  return extends(value, sign, false, 0) || (trust_flags_ && has_to_be_defined(cast) && extends(value, sign, true, 0));
}

bool Shapes::extends_by_flags(const Value* value, bool sign, unsigned depth) const {
  const auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (instruction == nullptr) return false;
  if (const auto* cut = llvm::dyn_cast<llvm::TruncInst>(instruction))
    return sign ? cut->hasNoSignedWrap() : cut->hasNoUnsignedWrap();
  const auto* operation = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(instruction);
  if (operation == nullptr || (sign ? !operation->hasNoSignedWrap() : !operation->hasNoUnsignedWrap())) return false;
  const auto operand = [&](unsigned at) { return extends(instruction->getOperand(at), sign, true, depth + 1); };
  return operand(0) && (instruction->getOpcode() == Instruction::Shl || operand(1));
}

bool Shapes::extends(const Value* value, bool sign, bool trust_flags, unsigned depth) const {
  const Shape shape = (*this)[value];
  if (shape.kind != Shape::linear || shape.checked) return false;
  if (shape.stride == 0) return true;
  if (depth > tuning::kMaxExtensionDepth || value->getType()->getIntegerBitWidth() > 62) return false;
  const llvm::ConstantRange range = lane_range(value, sign, trust_flags);
  // Two lanes' values are within the range, and what they differ by is known modulo 2^bits: if the range leaves only
  // one such difference, it is the one without wrapping.
  const llvm::APInt width =
      sign ? range.getSignedMax() - range.getSignedMin() : range.getUnsignedMax() - range.getUnsignedMin();
  const auto step = static_cast<std::uint64_t>(shape.stride < 0 ? -shape.stride : shape.stride);
  if (width.getZExtValue() + step * (lanes_ - 1) < std::uint64_t{1} << value->getType()->getIntegerBitWidth())
    return true;
  return trust_flags && extends_by_flags(value, sign, depth);
}

}  // namespace skmd::codegen

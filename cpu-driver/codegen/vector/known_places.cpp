// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/known_places.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/Local.h>

#include <cstdlib>
#include <optional>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/vector/multiples.h"
#include "cpu-driver/codegen/vector/vector_constants.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;

// A sum of at least so many bits is supposed not to wrap (`supposed`) as long as places of lanes differ by less than
// the distance, and multiplied by the scale at most: if it did, one of the places would lie outside of local memory.
constexpr std::uint64_t kMaxScale = 1U << 16U;
constexpr unsigned kLeastSupposed = 32;
constexpr std::int64_t kMaxDistance = 1 << 30;

/// Lane l's value is pointer + number + offsets[l], modulo 2^bits; what is null is not there.
struct Lanes {
  Value* pointer = nullptr;
  Value* number = nullptr;
  llvm::SmallVector<std::uint64_t, 16> offsets;
  unsigned bits = 64;
  /// It is so if extending a sum did not wrap, and by what the sum was multiplied since; 0: it is so.
  std::uint64_t supposed = 0;

  std::uint64_t mask() const { return llvm::maskTrailingOnes<std::uint64_t>(bits); }
};

class Evaluator {
 public:
  /// Scalars are made with `builder`.
  Evaluator(llvm::IRBuilder<>& builder, unsigned lanes, const llvm::DataLayout& layout)
      : builder_(builder), count_(lanes), layout_(layout) {}

  std::optional<Lanes> of(Value* value, unsigned depth = 0) {
    if (depth > tuning::kMaxPlaceDepth) return std::nullopt;
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
    if (type == nullptr) return of_scalar(value);
    if (type->getNumElements() != count_ || type->getScalarSizeInBits() > 64) return std::nullopt;
    if (Value* one = llvm::getSplatValue(value)) return of_scalar(one);
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(value)) return of_constant(*constant);
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction == nullptr) return std::nullopt;
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(instruction)) return of_cast(*cast, depth + 1);
    if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(instruction)) return of_address(*address, depth + 1);
    if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(instruction)) return of_operation(*operation, depth + 1);
    return std::nullopt;
  }

  /// The lowest bits that what all lanes have in common does not have.
  unsigned zeros(const Lanes& lanes) const {
    unsigned zeros = 64;
    if (lanes.pointer != nullptr) zeros = std::min(zeros, lowest_zeros(*lanes.pointer, layout_));
    if (lanes.number != nullptr) zeros = std::min(zeros, lowest_zeros(*lanes.number, layout_));
    return zeros;
  }

 private:
  std::optional<Lanes> of_scalar(Value* value) const {
    Lanes lanes;
    lanes.offsets.assign(count_, 0);
    if (value->getType()->isPointerTy()) {
      lanes.pointer = value;
      return lanes;
    }
    if (!value->getType()->isIntegerTy() || value->getType()->getIntegerBitWidth() > 64) return std::nullopt;
    lanes.bits = value->getType()->getIntegerBitWidth();
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value))
      lanes.offsets.assign(count_, number->getZExtValue());
    else
      lanes.number = value;
    return lanes;
  }

  std::optional<Lanes> of_constant(const llvm::Constant& constant) const {
    Lanes lanes;
    lanes.bits = constant.getType()->getScalarSizeInBits();
    for (unsigned at = 0; at < count_; ++at) {
      const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant.getAggregateElement(at));
      if (number == nullptr) return std::nullopt;
      lanes.offsets.push_back(number->getZExtValue());
    }
    return lanes;
  }

  std::optional<Lanes> sum(const std::optional<Lanes>& one, const std::optional<Lanes>& other) {
    if (!one || !other || (one->pointer != nullptr && other->pointer != nullptr)) return std::nullopt;
    if (one->supposed != 0 && other->supposed != 0) return std::nullopt;
    Lanes lanes = *one;
    if (other->pointer != nullptr) lanes.pointer = other->pointer;
    lanes.supposed = std::max(one->supposed, other->supposed);
    if (lanes.number == nullptr)
      lanes.number = other->number;
    else if (other->number != nullptr)
      lanes.number = builder_.CreateAdd(lanes.number, other->number);
    for (unsigned at = 0; at < count_; ++at)
      lanes.offsets[at] = (lanes.offsets[at] + other->offsets[at]) & lanes.mask();
    return lanes;
  }

  std::optional<Lanes> of_address(llvm::GetElementPtrInst& address, unsigned depth) {
    if (address.getNumIndices() != 1 || !address.getSourceElementType()->isIntegerTy(8)) return std::nullopt;
    Value* index = address.getOperand(1);
    if (!index->getType()->isIntOrIntVectorTy(64)) return std::nullopt;
    return sum(of(address.getPointerOperand(), depth), of(index, depth));
  }

  std::optional<Lanes> of_cast(llvm::CastInst& cast, unsigned depth) {
    std::optional<Lanes> lanes = of(cast.getOperand(0), depth);
    if (!lanes) return std::nullopt;
    const unsigned bits = cast.getType()->getScalarSizeInBits();
    switch (cast.getOpcode()) {
      case Instruction::PtrToInt:
      case Instruction::IntToPtr:
        return lanes->bits == 64 && (bits == 64 || cast.getType()->isPtrOrPtrVectorTy()) ? lanes : std::nullopt;
      case Instruction::Trunc:
        return cut(std::move(*lanes), bits);
      case Instruction::SExt:
      case Instruction::ZExt:
        return extended(std::move(*lanes), cast);
      default:
        return std::nullopt;
    }
  }

  std::optional<Lanes> cut(Lanes lanes, unsigned bits) {
    if (lanes.supposed != 0) return std::nullopt;
    if (lanes.pointer != nullptr) {
      // Only where its own bits do not matter afterwards: it is dropped by a mask, or this comes to nothing.
      Value* number = builder_.CreatePtrToInt(lanes.pointer, builder_.getInt64Ty());
      lanes.number = lanes.number == nullptr ? number : builder_.CreateAdd(lanes.number, number);
      lanes.pointer = nullptr;
    }
    if (lanes.number != nullptr) lanes.number = builder_.CreateTrunc(lanes.number, builder_.getIntNTy(bits));
    lanes.bits = bits;
    for (std::uint64_t& offset : lanes.offsets) offset &= lanes.mask();
    return lanes;
  }

  bool fill_zeros(const Lanes& lanes) const {
    const unsigned free = std::min(zeros(lanes), lanes.bits - 1);
    return llvm::all_of(lanes.offsets, [&](std::uint64_t offset) { return (offset >> free) == 0; });
  }

  std::optional<Lanes> extended(Lanes lanes, llvm::CastInst& cast) {
    const bool sign = cast.getOpcode() == Instruction::SExt;
    if (lanes.supposed != 0 || lanes.pointer != nullptr) return std::nullopt;
    if (lanes.number != nullptr && !fill_zeros(lanes)) {
      // Numbers of few bits that wrap stay near enough for both places to be there; what lanes add has to be small, or
      // a sum that wraps in all of them comes back.
      const auto is_far = [&](std::uint64_t offset) {
        return std::abs(llvm::SignExtend64(offset, lanes.bits)) >= kMaxDistance;
      };
      if (lanes.bits < kLeastSupposed || llvm::any_of(lanes.offsets, is_far)) return std::nullopt;
      lanes.supposed = 1;
    }
    if (sign)
      for (std::uint64_t& offset : lanes.offsets)
        offset = static_cast<std::uint64_t>(llvm::SignExtend64(offset, lanes.bits));
    // As a distance, a large one is backwards.
    else if (lanes.supposed != 0)
      return std::nullopt;
    lanes.bits = cast.getType()->getScalarSizeInBits();
    for (std::uint64_t& offset : lanes.offsets) offset &= lanes.mask();
    if (lanes.number != nullptr)
      lanes.number = builder_.CreateCast(cast.getOpcode(), lanes.number, builder_.getIntNTy(lanes.bits));
    return lanes;
  }

  std::optional<Lanes> scaled(Lanes lanes, std::uint64_t factor) {
    if (lanes.pointer != nullptr) return std::nullopt;
    if (lanes.supposed != 0) {
      if (factor == 0 || factor > kMaxScale) return std::nullopt;
      lanes.supposed *= factor;
      if (lanes.supposed > kMaxScale) return std::nullopt;
    }
    if (lanes.number != nullptr)
      lanes.number = builder_.CreateMul(lanes.number, llvm::ConstantInt::get(lanes.number->getType(), factor));
    for (std::uint64_t& offset : lanes.offsets) offset = (offset * factor) & lanes.mask();
    return lanes;
  }

  // What lanes have in common and what they differ in have no bit in common, or the mask only rounds down.
  std::optional<Lanes> masked(Lanes lanes, std::uint64_t mask) {
    const bool rounds =
        llvm::isMask_64(~(mask | ~lanes.mask()) & lanes.mask()) || (mask & lanes.mask()) == lanes.mask();
    const unsigned cleared = llvm::countr_zero(mask);
    if (rounds && zeros(lanes) >= cleared) {
      for (std::uint64_t& offset : lanes.offsets) offset &= mask;
      return lanes;
    }
    if (lanes.supposed != 0) return std::nullopt;
    const bool drops_all = zeros(lanes) >= static_cast<unsigned>(llvm::bit_width(mask));
    if (drops_all) {
      lanes.pointer = nullptr;
      lanes.number = nullptr;
    } else if (lanes.pointer != nullptr || !fill_zeros(lanes)) {
      return std::nullopt;
    }
    if (lanes.number != nullptr)
      lanes.number = builder_.CreateAnd(lanes.number, llvm::ConstantInt::get(lanes.number->getType(), mask));
    for (std::uint64_t& offset : lanes.offsets) offset &= mask;
    return lanes;
  }

  std::optional<Lanes> flipped(Lanes lanes, std::uint64_t mask) {
    if (lanes.supposed != 0 || !fill_zeros(lanes) || zeros(lanes) < static_cast<unsigned>(llvm::bit_width(mask)))
      return std::nullopt;
    for (std::uint64_t& offset : lanes.offsets) offset ^= mask;
    return lanes;
  }

  std::optional<Lanes> of_operation(llvm::BinaryOperator& operation, unsigned depth) {
    Value* right = operation.getOperand(1);
    const Value* one = llvm::getSplatValue(right);
    const auto* constant = one == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(one);
    const auto* either = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&operation);
    const bool adds = operation.getOpcode() == Instruction::Add || (either != nullptr && either->isDisjoint());
    if (!adds && constant == nullptr) return std::nullopt;
    std::optional<Lanes> left = of(operation.getOperand(0), depth);
    if (!left) return std::nullopt;
    if (adds) return sum(left, of(right, depth));
    const std::uint64_t number = constant->getZExtValue();
    switch (operation.getOpcode()) {
      case Instruction::Shl:
        return number < left->bits ? scaled(std::move(*left), std::uint64_t{1} << number) : std::nullopt;
      case Instruction::Mul:
        return scaled(std::move(*left), number);
      case Instruction::And:
        return masked(std::move(*left), number);
      case Instruction::Xor:
        return flipped(std::move(*left), number);
      default:
        return std::nullopt;
    }
  }

  llvm::IRBuilder<>& builder_;
  unsigned count_;
  const llvm::DataLayout& layout_;
};

/// Elements of a piece of memory, each of which some lane reads.
struct Piece {
  std::uint64_t first = 0;  // bytes from the common address
  unsigned elements = 0;    // a power of two
  llvm::SmallVector<int, 16> places;
};

std::optional<Piece> piece_of(const Lanes& lanes, std::uint64_t size) {
  Piece piece;
  // Distances may be negative.
  const auto less = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
  };
  piece.first = *std::min_element(lanes.offsets.begin(), lanes.offsets.end(), less);
  llvm::SmallVector<bool, 32> read(32, false);
  for (const std::uint64_t offset : lanes.offsets) {
    const std::uint64_t distance = offset - piece.first;
    if (distance % size != 0 || distance / size >= read.size()) return std::nullopt;
    const auto place = static_cast<unsigned>(distance / size);
    read[place] = true;
    piece.places.push_back(static_cast<int>(place));
    piece.elements = std::max(piece.elements, place + 1);
  }
  if (!llvm::isPowerOf2_32(piece.elements)) return std::nullopt;
  if (!std::all_of(read.begin(), read.begin() + piece.elements, [](bool is_read) { return is_read; }))
    return std::nullopt;
  return piece;
}

// All lanes run, so all places are in memory that is there. Local memory is far smaller than what a number that wrapped
// would leave between two lanes' places.
bool holds(const Lanes& lanes) {
  return lanes.supposed == 0 || lanes.pointer->getType()->getPointerAddressSpace() == kLocalSpace;
}

bool load_at_once(llvm::IntrinsicInst& gather) {
  const auto* mask = llvm::dyn_cast<llvm::Constant>(gather.getArgOperand(1));
  if (mask == nullptr || !mask->isAllOnesValue()) return false;
  auto* type = llvm::cast<llvm::FixedVectorType>(gather.getType());
  const llvm::DataLayout& layout = gather.getDataLayout();
  llvm::IRBuilder<> builder(&gather);
  const std::optional<Lanes> lanes = Evaluator(builder, type->getNumElements(), layout).of(gather.getArgOperand(0));
  if (!lanes || lanes->pointer == nullptr || !holds(*lanes)) return false;
  const std::optional<Piece> piece = piece_of(*lanes, layout.getTypeStoreSize(type->getElementType()));
  if (!piece) return false;
  Value* address = lanes->pointer;
  if (lanes->number != nullptr) address = builder.CreatePtrAdd(address, lanes->number);
  address = builder.CreatePtrAdd(address, builder.getInt64(piece->first));
  auto* wide = llvm::FixedVectorType::get(type->getElementType(), piece->elements);
  const llvm::Align align = gather.getParamAlign(0).valueOrOne();
  llvm::LoadInst* load = builder.CreateAlignedLoad(wide, address, align);
  load->setAAMetadata(gather.getAAMetadata());
  gather.replaceAllUsesWith(builder.CreateShuffleVector(load, piece->places));
  return true;
}

// What all lanes have in common does not get through a mask.
bool make_constant(llvm::BinaryOperator& operation) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(operation.getType());
  if (type == nullptr || operation.getOpcode() != Instruction::And || type->getScalarSizeInBits() > 64) return false;
  llvm::IRBuilder<> builder(&operation);
  const auto lanes = Evaluator(builder, type->getNumElements(), operation.getDataLayout()).of(&operation);
  if (!lanes || lanes->pointer != nullptr || lanes->number != nullptr || lanes->supposed != 0) return false;
  llvm::SmallVector<llvm::Constant*, 16> numbers;
  for (const std::uint64_t offset : lanes->offsets)
    numbers.push_back(llvm::ConstantInt::get(type->getElementType(), offset));
  operation.replaceAllUsesWith(llvm::ConstantVector::get(numbers));
  return true;
}

}  // namespace

bool load_known_places(llvm::Function& function) {
  llvm::SmallVector<llvm::WeakTrackingVH, 16> found;
  for (Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    const bool gather = call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::masked_gather;
    const bool mask = instruction.getOpcode() == Instruction::And && instruction.getType()->isVectorTy();
    if (gather || mask) found.push_back(&instruction);
  }
  for (const llvm::WeakTrackingVH& each : found) {
    auto* instruction = llvm::dyn_cast_or_null<Instruction>(static_cast<Value*>(each));
    if (instruction == nullptr) continue;
    auto* gather = llvm::dyn_cast<llvm::IntrinsicInst>(instruction);
    const bool done =
        gather != nullptr ? load_at_once(*gather) : make_constant(*llvm::cast<llvm::BinaryOperator>(instruction));
    if (done) llvm::RecursivelyDeleteTriviallyDeadInstructions(instruction);
  }
  return !found.empty();
}

}  // namespace skmd::codegen

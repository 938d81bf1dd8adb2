// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/lane_code.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/bit.h>
#include <llvm/IR/DerivedTypes.h>

namespace skmd::codegen {

using llvm::BasicBlock;
using llvm::FixedVectorType;
using llvm::Type;
using llvm::Value;

namespace {

constexpr llvm::StringLiteral kShortcut = "skmd.shortcut";

}  // namespace

Type* lanes_of(Type* type, unsigned lanes) {
  if (type->isIntegerTy() || type->isPointerTy() || type->isHalfTy() || type->isBFloatTy() || type->isFloatTy() ||
      type->isDoubleTy())
    return FixedVectorType::get(type, lanes);
  auto* structure = llvm::dyn_cast<llvm::StructType>(type);
  if (structure == nullptr) return nullptr;
  llvm::SmallVector<Type*, 4> parts;
  for (Type* part : structure->elements()) {
    Type* wide = part->isStructTy() ? nullptr : lanes_of(part, lanes);
    if (wide == nullptr) return nullptr;
    parts.push_back(wide);
  }
  return llvm::StructType::get(type->getContext(), parts);
}

Value* splat(Builder& builder, Value* scalar, unsigned lanes) {
  auto* structure = llvm::dyn_cast<llvm::StructType>(scalar->getType());
  if (structure == nullptr) return builder.CreateVectorSplat(lanes, scalar);
  Value* result = llvm::PoisonValue::get(lanes_of(structure, lanes));
  for (unsigned part = 0; part < structure->getNumElements(); ++part)
    result = builder.CreateInsertValue(
        result, builder.CreateVectorSplat(lanes, builder.CreateExtractValue(scalar, part)), part);
  return result;
}

Value* steps(Builder& builder, Value* first, std::int64_t stride, unsigned lanes) {
  const bool pointer = first->getType()->isPointerTy();
  Type* number = pointer ? builder.getInt64Ty() : first->getType();
  llvm::SmallVector<llvm::Constant*, 32> distances;
  for (unsigned lane = 0; lane < lanes; ++lane)
    distances.push_back(llvm::ConstantInt::get(number, static_cast<std::uint64_t>(stride) * lane, /*IsSigned=*/true,
                                               /*ImplicitTrunc=*/true));
  Value* distance = llvm::ConstantVector::get(distances);
  if (pointer) return builder.CreateGEP(builder.getInt8Ty(), first, distance);
  return builder.CreateAdd(builder.CreateVectorSplat(lanes, first), distance);
}

Value* step(Builder& builder, Value* first, std::int64_t stride, unsigned lane) {
  const std::uint64_t distance = static_cast<std::uint64_t>(stride) * lane;
  if (first->getType()->isPointerTy()) return builder.CreatePtrAdd(first, builder.getInt64(distance));
  return builder.CreateAdd(first, llvm::ConstantInt::get(first->getType(), distance, true, true));
}

Value* joined(Builder& builder, llvm::ArrayRef<Value*> parts) {
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(parts[0]->getType())->getNumElements();
  Value* all = parts[0];
  for (unsigned part = 1; part < parts.size(); ++part) {
    const unsigned had = part * lanes;
    llvm::SmallVector<int, 128> widen, places;
    for (unsigned at = 0; at < had; ++at) widen.push_back(at < lanes ? static_cast<int>(at) : -1);
    for (unsigned at = 0; at < had + lanes; ++at) places.push_back(static_cast<int>(at));
    Value* other = part == 1 ? parts[1] : builder.CreateShuffleVector(parts[part], widen);
    all = builder.CreateShuffleVector(all, other, places);
  }
  return all;
}

Value* interleaved(Builder& builder, llvm::ArrayRef<Value*> parts) {
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(parts[0]->getType())->getNumElements();
  const unsigned count = parts.size();
  llvm::SmallVector<int, 128> places;
  for (unsigned at = 0; at < count * lanes; ++at) places.push_back(static_cast<int>(at % count * lanes + at / count));
  return builder.CreateShuffleVector(joined(builder, parts), places);
}

Value* mask_bits(Builder& builder, Value* mask) {
  const unsigned lanes = llvm::cast<FixedVectorType>(mask->getType())->getNumElements();
  Value* bits = builder.CreateBitCast(builder.CreateFreeze(mask), builder.getIntNTy(lanes));
  return builder.CreateZExt(bits, builder.getInt32Ty());
}

llvm::ConstantInt* all_mask_bits(Builder& builder, unsigned lanes) {
  return builder.getInt32(static_cast<std::uint32_t>((std::uint64_t{1} << lanes) - 1));
}

Value* any_lane(Builder& builder, Value* mask) {
  const unsigned lanes = llvm::cast<FixedVectorType>(mask->getType())->getNumElements();
  Value* bits = builder.CreateBitCast(builder.CreateFreeze(mask), builder.getIntNTy(lanes));
  return builder.CreateICmpNE(bits, llvm::ConstantInt::get(bits->getType(), 0));
}

void for_each_lane(Builder& builder, Value* bits, llvm::function_ref<void(Value*)> body) {
  llvm::Function* function = builder.GetInsertBlock()->getParent();
  BasicBlock* before = builder.GetInsertBlock();
  BasicBlock* head = BasicBlock::Create(builder.getContext(), "lanes.head", function);
  BasicBlock* inside = BasicBlock::Create(builder.getContext(), "lanes", function);
  BasicBlock* behind = BasicBlock::Create(builder.getContext(), "lanes.end", function);
  builder.CreateBr(head);
  builder.SetInsertPoint(head);
  llvm::PHINode* left = builder.CreatePHI(builder.getInt32Ty(), 2, "lanes.left");
  left->addIncoming(bits, before);
  builder.CreateCondBr(builder.CreateICmpNE(left, builder.getInt32(0)), inside, behind);
  builder.SetInsertPoint(inside);
  Value* lane = builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, builder.getTrue());
  body(lane);
  Value* rest = builder.CreateAnd(left, builder.CreateSub(left, builder.getInt32(1)));
  left->addIncoming(rest, builder.GetInsertBlock());
  builder.CreateBr(head);
  builder.SetInsertPoint(behind);
}

void if_true(Builder& builder, Value* condition, llvm::function_ref<void()> body) {
  if (llvm::isa<llvm::ConstantInt>(condition)) {
    if (llvm::cast<llvm::ConstantInt>(condition)->isOne()) body();
    return;
  }
  llvm::Function* function = builder.GetInsertBlock()->getParent();
  BasicBlock* inside = BasicBlock::Create(builder.getContext(), "then", function);
  BasicBlock* behind = BasicBlock::Create(builder.getContext(), "end", function);
  builder.CreateCondBr(condition, inside, behind);
  builder.SetInsertPoint(inside);
  body();
  builder.CreateBr(behind);
  builder.SetInsertPoint(behind);
}

Value* if_else(Builder& builder, Value* condition, llvm::function_ref<Value*()> fast,
               llvm::function_ref<Value*()> slow) {
  llvm::Function* function = builder.GetInsertBlock()->getParent();
  BasicBlock* one = BasicBlock::Create(builder.getContext(), "fast", function);
  BasicBlock* other = BasicBlock::Create(builder.getContext(), "slow", function);
  BasicBlock* behind = BasicBlock::Create(builder.getContext(), "end", function);
  builder.CreateCondBr(condition, one, other)->setMetadata(kShortcut, llvm::MDNode::get(builder.getContext(), {}));
  builder.SetInsertPoint(one);
  Value* first = fast();
  BasicBlock* first_end = builder.GetInsertBlock();
  builder.CreateBr(behind);
  builder.SetInsertPoint(other);
  Value* second = slow();
  BasicBlock* second_end = builder.GetInsertBlock();
  builder.CreateBr(behind);
  builder.SetInsertPoint(behind);
  if (first == nullptr) return nullptr;
  llvm::PHINode* phi = builder.CreatePHI(first->getType(), 2);
  phi->addIncoming(first, first_end);
  phi->addIncoming(second, second_end);
  return phi;
}

bool is_shortcut(const llvm::BranchInst& branch) { return branch.hasMetadata(kShortcut); }

llvm::Instruction* behind(llvm::Value& value, llvm::Function& function) {
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (instruction == nullptr) return &*function.getEntryBlock().getFirstInsertionPt();
  if (llvm::isa<llvm::PHINode>(instruction)) return &*instruction->getParent()->getFirstInsertionPt();
  return instruction->getNextNode();
}

Type* stored_type(Type* type) {
  if (!type->isIntOrIntVectorTy()) return type;
  const unsigned bits = type->getScalarSizeInBits();
  const unsigned stored = std::max(8u, llvm::bit_ceil(bits));
  return stored == bits ? type : type->getWithNewBitWidth(stored);
}

Value* to_stored(Builder& builder, Value* value) { return builder.CreateZExt(value, stored_type(value->getType())); }

Value* from_stored(Builder& builder, Value* value, Type* type) {
  return value->getType() == type ? value : builder.CreateTrunc(value, type);
}

}  // namespace skmd::codegen

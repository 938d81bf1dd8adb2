// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/lane_values.h"

namespace skmd::codegen {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

LaneValues::LaneValues(const Shapes& shapes, unsigned lanes, Builder& builder, BasicBlock& prologue)
    : shapes_(shapes),
      lanes_(lanes),
      builder_(builder),
      prologue_(prologue),
      side_(prologue.getContext(), llvm::TargetFolder(prologue.getDataLayout())) {}

// The side builder right behind what defines `made`.
void LaneValues::at_definition(Value* made) {
  auto* instruction = llvm::dyn_cast<Instruction>(made);
  if (instruction == nullptr) {
    side_.SetInsertPoint(&prologue_, prologue_.getFirstNonPHIOrDbgOrAlloca());
    side_.SetCurrentDebugLocation({});
    return;
  }
  BasicBlock* block = instruction->getParent();
  side_.SetInsertPoint(block, llvm::isa<llvm::PHINode>(instruction) ? block->getFirstInsertionPt()
                                                                    : std::next(instruction->getIterator()));
  side_.SetCurrentDebugLocation(instruction->getDebugLoc());
}

Value* LaneValues::scalar(Value* value) const {
  if (llvm::isa<llvm::Constant>(value) || llvm::isa<llvm::MetadataAsValue>(value)) return value;
  return scalars_.lookup(value);
}

Value* LaneValues::vector(Value* value) {
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(value); constant != nullptr && !value->getType()->isStructTy())
    return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(lanes_), constant);
  if (Value* made = vectors_.lookup(value)) return made;
  Value* first = scalar(value);
  at_definition(first);
  const std::int64_t stride = shapes_[value].stride;
  Value* made = stride == 0 ? splat(side_, first, lanes_) : steps(side_, first, stride, lanes_);
  vectors_[value] = made;
  return made;
}

Value* LaneValues::mask_vector(Value* mask) {
  if (mask != nullptr) return vector(mask);
  return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(lanes_), builder_.getTrue());
}

Value* LaneValues::lane(Value* value, unsigned lane) {
  const Shape shape = shapes_[value];
  if (shape.kind == Shape::linear && !shape.checked) return step(builder_, scalar(value), shape.stride, lane);
  return builder_.CreateExtractElement(vector(value), lane);
}

Value* LaneValues::check_of(Value* value) const { return shapes_[value].checked ? checks_.lookup(value) : nullptr; }

Instruction* copy_scalar(Builder& builder, const LaneValues& values, Instruction& source) {
  Instruction* made = source.clone();
  for (llvm::Use& operand : made->operands()) operand.set(values.scalar(operand.get()));
  made->dropUnknownNonDebugMetadata();
  builder.Insert(made, source.getName());
  return made;
}

}  // namespace skmd::codegen

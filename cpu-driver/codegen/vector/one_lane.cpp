// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/one_lane.h"

#include <llvm/Analysis/VectorUtils.h>

#include "cpu-driver/codegen/vector/vector_constants.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;

bool is_computed(const Instruction& instruction) {
  if (llvm::isa<llvm::GetElementPtrInst>(instruction)) return true;
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) return !operation->isIntDivRem();
  const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction);
  return cast != nullptr && !llvm::isa<llvm::BitCastInst>(cast);
}

}  // namespace

Value* OneLane::of(Value* vector, unsigned depth) {
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(vector))
    if (llvm::Constant* element = constant->getAggregateElement(lane_)) return element;
  if (Value* all = llvm::getSplatValue(vector)) return all;
  auto* instruction = llvm::dyn_cast<Instruction>(vector);
  if (instruction == nullptr || depth > tuning::kMaxOneLaneDepth || !is_computed(*instruction) || !again_(*instruction))
    return builder_.CreateExtractElement(vector, lane_);
  Instruction* made = instruction->clone();
  for (llvm::Use& operand : made->operands())
    if (operand->getType()->isVectorTy()) operand.set(of(operand.get(), depth + 1));
  made->mutateType(instruction->getType()->getScalarType());
  return builder_.Insert(made);
}

}  // namespace skmd::codegen

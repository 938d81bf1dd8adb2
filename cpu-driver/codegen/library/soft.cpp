// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/library/soft.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

namespace skmd::codegen {

namespace {

bool is_fma(const llvm::Instruction& instruction) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return intrinsic != nullptr && intrinsic->getIntrinsicID() == llvm::Intrinsic::fma;
}

bool is_from_half(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::FPExtInst>(instruction) && instruction.getOperand(0)->getType()->getScalarType()->isHalfTy();
}

llvm::Value* one(llvm::IRBuilder<>& builder, llvm::Instruction& instruction, llvm::ArrayRef<llvm::Value*> operands) {
  llvm::Module& module = *instruction.getModule();
  llvm::Type* type = instruction.getType()->getScalarType();
  if (is_fma(instruction)) {
    const char* name = type->isDoubleTy() ? "_Z8skmd_fmaddd" : "_Z8skmd_fmafff";
    return builder.CreateCall(module.getOrInsertFunction(name, type, type, type, type), operands);
  }
  llvm::Value* bits = builder.CreateBitCast(operands[0], builder.getInt16Ty());
  auto function = module.getOrInsertFunction("_Z14skmd_from_halft", builder.getFloatTy(), builder.getInt16Ty());
  llvm::Value* value = builder.CreateCall(function, bits);
  return type->isDoubleTy() ? builder.CreateFPExt(value, type) : value;
}

llvm::Value* by_element(llvm::Instruction& instruction) {
  llvm::IRBuilder<> builder(&instruction);
  std::vector<llvm::Value*> operands(instruction.operands().begin(),
                                     instruction.operands().begin() + (is_fma(instruction) ? 3 : 1));
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
  if (vector == nullptr) return one(builder, instruction, operands);
  llvm::Value* result = llvm::PoisonValue::get(instruction.getType());
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
    std::vector<llvm::Value*> elements;
    for (llvm::Value* operand : operands) elements.push_back(builder.CreateExtractElement(operand, lane));
    result = builder.CreateInsertElement(result, one(builder, instruction, elements), lane);
  }
  return result;
}

}  // namespace

bool use_soft_functions(llvm::Module& module) {
  std::vector<llvm::Instruction*> found;
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if ((is_fma(instruction) && !instruction.getType()->getScalarType()->isHalfTy()) || is_from_half(instruction))
        found.push_back(&instruction);
  for (llvm::Instruction* instruction : found) {
    instruction->replaceAllUsesWith(by_element(*instruction));
    instruction->eraseFromParent();
  }
  return !found.empty();
}

}  // namespace skmd::codegen

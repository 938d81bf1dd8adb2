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

// Of floats, all lanes at once. The product is exact in double; the sum is rounded to odd there, so that rounding it
// again is right. What the sum lost is known, too: towards zero from it, or not, lies the odd neighbour.
llvm::Value* fused(llvm::Instruction& instruction) {
  llvm::IRBuilder<> builder(&instruction);
  llvm::Type* wide = instruction.getType()->getWithNewType(builder.getDoubleTy());
  llvm::Type* integers = instruction.getType()->getWithNewType(builder.getInt64Ty());
  const auto widened = [&](unsigned at) { return builder.CreateFPExt(instruction.getOperand(at), wide); };
  llvm::Value* product = builder.CreateFMul(widened(0), widened(1));
  llvm::Value* addend = widened(2);
  llvm::Value* sum = builder.CreateFAdd(product, addend);
  llvm::Value* part = builder.CreateFSub(sum, product);
  llvm::Value* lost =
      builder.CreateFAdd(builder.CreateFSub(product, builder.CreateFSub(sum, part)), builder.CreateFSub(addend, part));
  // Of a sum that is not finite nothing is known to be lost: this is NaN.
  llvm::Value* inexact = builder.CreateFCmpOGT(builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, lost),
                                               llvm::ConstantFP::get(wide, 0.0));
  llvm::Value* bits = builder.CreateBitCast(sum, integers);
  llvm::Value* signs = builder.CreateXor(bits, builder.CreateBitCast(lost, integers));
  llvm::Value* towards_zero = builder.CreateLShr(signs, 63);
  llvm::Value* odd = builder.CreateOr(builder.CreateSub(bits, towards_zero), llvm::ConstantInt::get(integers, 1));
  llvm::Value* rounded = builder.CreateBitCast(builder.CreateSelect(inexact, odd, bits), wide);
  return builder.CreateFPTrunc(rounded, instruction.getType());
}

llvm::Value* one(llvm::IRBuilder<>& builder, llvm::Instruction& instruction, llvm::ArrayRef<llvm::Value*> operands) {
  llvm::Module& module = *instruction.getModule();
  llvm::Type* type = instruction.getType()->getScalarType();
  if (is_fma(instruction))
    return builder.CreateCall(module.getOrInsertFunction("_Z8skmd_fmaddd", type, type, type, type), operands);
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
    const bool floats = is_fma(*instruction) && instruction->getType()->getScalarType()->isFloatTy();
    instruction->replaceAllUsesWith(floats ? fused(*instruction) : by_element(*instruction));
    instruction->eraseFromParent();
  }
  return !found.empty();
}

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/prepare.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/Utils/Local.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "cpu-driver/codegen/item_function.h"
#include "cpu-driver/codegen/vector/narrow.h"
#include "cpu-driver/codegen/vector/vector_constants.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;

void replace(Instruction& instruction, Value* value) {
  if (auto* made = llvm::dyn_cast<Instruction>(value); made != nullptr && !made->hasName())
    made->takeName(&instruction);
  instruction.replaceAllUsesWith(value);
  instruction.eraseFromParent();
}

// Bytes after the base, without assumptions about overflow: a lane that does not run may break them.
void explicit_offset(llvm::GetElementPtrInst& access) {
  if (access.getType()->isVectorTy()) return;
  if (access.getSourceElementType()->isIntegerTy(8) && access.getNumIndices() == 1 &&
      access.getOperand(1)->getType()->isIntegerTy(64)) {
    access.setNoWrapFlags(llvm::GEPNoWrapFlags::none());
    return;
  }
  llvm::IRBuilder<> builder(&access);
  Value* offset = llvm::emitGEPOffset(&builder, access.getDataLayout(), &access, /*NoAssumptions=*/true);
  if (!offset->getType()->isIntegerTy(64)) offset = builder.CreateSExtOrTrunc(offset, builder.getInt64Ty());
  replace(access, builder.CreatePtrAdd(access.getPointerOperand(), offset));
}

// (x << a) >> b, with b <= a, is x's low bits extended and shifted left by a - b: what is extended tells when that
// wraps.
bool explicit_extension(Instruction& shift) {
  using namespace llvm::PatternMatch;
  Value* value = nullptr;
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  const bool matched = match(&shift, m_Shr(m_Shl(m_Value(value), m_ConstantInt(left)), m_ConstantInt(right)));
  if (!matched || !shift.getType()->isIntegerTy()) return false;
  const unsigned bits = shift.getType()->getIntegerBitWidth();
  if (left >= bits || right > left) return false;
  const auto kept = static_cast<unsigned>(bits - left);
  if (kept != 8 && kept != 16 && kept != 32) return false;
  llvm::IRBuilder<> builder(&shift);
  Value* narrow = builder.CreateTrunc(value, builder.getIntNTy(kept));
  Value* wide = shift.getOpcode() == Instruction::AShr ? builder.CreateSExt(narrow, shift.getType())
                                                       : builder.CreateZExt(narrow, shift.getType());
  replace(shift, left == right ? wide : builder.CreateShl(wide, left - right));
  return true;
}

// The upper half of a number whose lower half is zero; null: it is not known to be.
Value* upper_half(llvm::IRBuilder<>& builder, Value* value, unsigned depth) {
  using namespace llvm::PatternMatch;
  Value* left = nullptr;
  Value* right = nullptr;
  std::uint64_t number = 0;
  if (match(value, m_ConstantInt(number)))
    return (number & 0xffffffffU) == 0 ? builder.getInt32(static_cast<std::uint32_t>(number >> 32)) : nullptr;
  if (match(value, m_Shl(m_Value(left), m_ConstantInt(number))) && number >= 32 && number < 64)
    return builder.CreateShl(builder.CreateTrunc(left, builder.getInt32Ty()), number - 32);
  if (depth > tuning::kMaxHalfDepth) return nullptr;
  const bool sum =
      match(value, m_Add(m_Value(left), m_Value(right))) || match(value, m_DisjointOr(m_Value(left), m_Value(right)));
  if (!sum && !match(value, m_Sub(m_Value(left), m_Value(right)))) return nullptr;
  left = upper_half(builder, left, depth + 1);
  right = left == nullptr ? nullptr : upper_half(builder, right, depth + 1);
  if (right == nullptr) return nullptr;
  return sum ? builder.CreateAdd(left, right) : builder.CreateSub(left, right);
}

// The same where something was added to x << 32, which is (x + something / 2^32) << 32.
void explicit_upper_half(Instruction& shift) {
  using namespace llvm::PatternMatch;
  std::uint64_t right = 0;
  Value* shifted = shift.getOperand(0);
  if (!shift.getType()->isIntegerTy(64) || !match(shift.getOperand(1), m_ConstantInt(right)) || right > 32) return;
  if (!llvm::isa<llvm::BinaryOperator>(shifted)) return;
  llvm::IRBuilder<> builder(&shift);
  Value* narrow = upper_half(builder, shifted, 0);
  if (narrow == nullptr) return;
  Value* wide = shift.getOpcode() == Instruction::AShr ? builder.CreateSExt(narrow, shift.getType())
                                                       : builder.CreateZExt(narrow, shift.getType());
  replace(shift, right == 32 ? wide : builder.CreateShl(wide, 32 - right));
}

void explicit_mask(Instruction& mask) {
  using namespace llvm::PatternMatch;
  Value* value = nullptr;
  std::uint64_t bits = 0;
  if (!mask.getType()->isIntegerTy(64) || !match(&mask, m_And(m_Value(value), m_ConstantInt(bits)))) return;
  if (bits != 0xffffffffU) return;
  llvm::IRBuilder<> builder(&mask);
  replace(mask, builder.CreateZExt(builder.CreateTrunc(value, builder.getInt32Ty()), mask.getType()));
}

// A sum, and a number that is not negative: as such they are so in lanes that break the promise, too, whose poison is
// not used there. Lanes are computed from lane 0, whether or not it is one of these.
void explicit_promise(Instruction& instruction) {
  llvm::IRBuilder<> builder(&instruction);
  Value* operand = instruction.getOperand(0);
  if (auto* both = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&instruction); both != nullptr && both->isDisjoint())
    replace(instruction, builder.CreateAdd(operand, instruction.getOperand(1)));
  else if (llvm::isa<llvm::ZExtInst>(instruction) && instruction.hasNonNeg())
    replace(instruction, builder.CreateSExt(operand, instruction.getType()));
}

void make_explicit(Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case Instruction::GetElementPtr:
      return explicit_offset(llvm::cast<llvm::GetElementPtrInst>(instruction));
    case Instruction::AShr:
    case Instruction::LShr:
      if (!explicit_extension(instruction)) explicit_upper_half(instruction);
      return;
    case Instruction::Or:
    case Instruction::ZExt:
      return explicit_promise(instruction);
    case Instruction::And:
      return explicit_mask(instruction);
    default:
      return;
  }
}

}  // namespace

void prepare(llvm::Function& function, bool full, llvm::FunctionAnalysisManager& analyses) {
  if (llvm::Argument* live = argument_with(function, kLive); live != nullptr && full)
    live->replaceAllUsesWith(llvm::ConstantInt::getTrue(function.getContext()));
  llvm::EliminateUnreachableBlocks(function);
  for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) make_explicit(instruction);
  narrow_halves(function);
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  llvm::InstSimplifyPass().run(function, analyses);
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
}

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/library/scale.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>

namespace skmd::codegen {

namespace {

using llvm::Value;
using llvm::Intrinsic::ID;

constexpr unsigned kCurrentRounding = 4;  // _MM_FROUND_CUR_DIRECTION

// The least lanes of the instruction: 128 bits.
unsigned least_lanes(const Value* value) { return value->getType()->getScalarType()->isDoubleTy() ? 2 : 4; }

// The first of `lanes` in a vector of so many.
Value* widened(llvm::IRBuilder<>& builder, Value* value, unsigned lanes) {
  const unsigned least = least_lanes(value);
  if (lanes == 1)
    return builder.CreateInsertElement(llvm::PoisonValue::get(llvm::FixedVectorType::get(value->getType(), least)),
                                       value, std::uint64_t{0});
  return builder.CreateShuffleVector(value, {0, 1, -1, -1});
}

ID instruction(unsigned lanes, bool is_double) {
  using namespace llvm::Intrinsic;
  const unsigned bits = lanes * (is_double ? 64 : 32);
  if (bits == 512) return is_double ? x86_avx512_mask_scalef_pd_512 : x86_avx512_mask_scalef_ps_512;
  if (bits == 256) return is_double ? x86_avx512_mask_scalef_pd_256 : x86_avx512_mask_scalef_ps_256;
  return is_double ? x86_avx512_mask_scalef_pd_128 : x86_avx512_mask_scalef_ps_128;
}

Value* scaled(llvm::IRBuilder<>& builder, Value* number, Value* exponent) {
  auto* none = llvm::PoisonValue::get(number->getType());
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(number->getType())->getNumElements();
  const bool is_double = number->getType()->getScalarType()->isDoubleTy();
  llvm::SmallVector<Value*, 5> operands = {number, exponent, none};
  operands.push_back(lanes == 16 ? builder.getInt16(0xffff) : builder.getInt8(0xff));
  if (lanes * (is_double ? 64 : 32) == 512) operands.push_back(builder.getInt32(kCurrentRounding));
  return builder.CreateIntrinsic(instruction(lanes, is_double), {}, operands);
}

}  // namespace

void use_scale_instruction(llvm::Function& function) {
  if (!function.getName().starts_with("_Z10skmd_scale")) return;
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(function.getReturnType());
  const unsigned lanes = vector == nullptr ? 1 : vector->getNumElements();
  if (lanes * function.getReturnType()->getScalarSizeInBits() > 512) return;
  function.deleteBody();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(function.getContext(), "entry", &function));
  Value* number = function.getArg(0);
  Value* exponent = function.getArg(1);
  if (lanes >= least_lanes(number)) {
    builder.CreateRet(scaled(builder, number, exponent));
    return;
  }
  Value* made = scaled(builder, widened(builder, number, lanes), widened(builder, exponent, lanes));
  builder.CreateRet(lanes == 1 ? builder.CreateExtractElement(made, std::uint64_t{0})
                               : builder.CreateShuffleVector(made, {0, 1}));
}

}  // namespace skmd::codegen

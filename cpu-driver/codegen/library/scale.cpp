// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/library/scale.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>

namespace skmd::codegen {

namespace {

using llvm::Value;
using llvm::Intrinsic::ID;

constexpr unsigned kCurrentRounding = 4;

// The first of `lanes` in a vector of 4.
Value* widened(llvm::IRBuilder<>& builder, Value* value, unsigned lanes) {
  if (lanes == 1)
    return builder.CreateInsertElement(llvm::PoisonValue::get(llvm::FixedVectorType::get(value->getType(), 4)), value,
                                       std::uint64_t{0});
  return builder.CreateShuffleVector(value, {0, 1, -1, -1});
}

Value* scaled(llvm::IRBuilder<>& builder, Value* number, Value* exponent) {
  auto* none = llvm::PoisonValue::get(number->getType());
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(number->getType())->getNumElements();
  if (lanes == 16)
    return builder.CreateIntrinsic(
        llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
        {number, exponent, none, builder.getInt16(0xffff), builder.getInt32(kCurrentRounding)});
  const ID id =
      lanes == 8 ? llvm::Intrinsic::x86_avx512_mask_scalef_ps_256 : llvm::Intrinsic::x86_avx512_mask_scalef_ps_128;
  return builder.CreateIntrinsic(id, {}, {number, exponent, none, builder.getInt8(0xff)});
}

}  // namespace

void use_scale_instruction(llvm::Function& function) {
  if (!function.getName().starts_with("_Z10skmd_scale")) return;
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(function.getReturnType());
  const unsigned lanes = vector == nullptr ? 1 : vector->getNumElements();
  function.deleteBody();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(function.getContext(), "entry", &function));
  Value* number = function.getArg(0);
  Value* exponent = function.getArg(1);
  if (lanes >= 4) {
    builder.CreateRet(scaled(builder, number, exponent));
    return;
  }
  Value* made = scaled(builder, widened(builder, number, lanes), widened(builder, exponent, lanes));
  builder.CreateRet(lanes == 1 ? builder.CreateExtractElement(made, std::uint64_t{0})
                               : builder.CreateShuffleVector(made, {0, 1}));
}

}  // namespace skmd::codegen

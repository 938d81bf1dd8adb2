// SPDX-License-Identifier: Apache-2.0
// Loads from small tables: all of it in registers, and an instruction that picks elements of registers, instead of a
// load for each lane.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "cpu-driver/codegen/vector/widener.h"

namespace skmd::codegen {

namespace {

using llvm::Type;
using llvm::Value;

constexpr unsigned kBytes = 256;  // what an index of 8 bits reaches
constexpr unsigned kWords = 16;   // of 32 bits, in a register
constexpr unsigned kPage = 4096;

// By its bits alone: promises may be broken in lanes that do not run.
bool is_below(const Value& index, const llvm::DataLayout& layout) {
  const llvm::SimplifyQuery query(layout, nullptr, nullptr, nullptr, nullptr, /*UseInstrInfo=*/false);
  return llvm::computeKnownBits(&index, query).getMaxValue().ult(kBytes);
}

}  // namespace

// A byte of [base, base + 256), in lanes that run. Vectors of other lengths would leave registers half empty.
bool Widener::looks_up(const Access& access, Type* type) const {
  if (options_.isa != Isa::avx512 || lanes_ != kWords || type->getScalarSizeInBits() != 8) return false;
  const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(access.pointer);
  if (address == nullptr || address->getNumIndices() != 1 || !address->getSourceElementType()->isIntegerTy(8))
    return false;
  const Value& index = *address->getOperand(1);
  // Narrower ones are extended by their sign.
  if (!index.getType()->isIntegerTy(64)) return false;
  return shapes_[address->getPointerOperand()].uniform() && shapes_[&index].kind == Shape::varying &&
         is_below(index, source_.getDataLayout());
}

// If a lane reads a byte of the table and it is all on one page, all of it may be read.
Value* Widener::look_up(const Access& access, Type* type) {
  auto& address = *llvm::cast<llvm::GetElementPtrInst>(access.pointer);
  Value* base = scalar(address.getPointerOperand());
  Value* place = builder_.CreateAnd(builder_.CreatePtrToInt(base, builder_.getInt64Ty()), kPage - 1);
  Value* whole = builder_.CreateFreeze(builder_.CreateICmpULE(place, builder_.getInt64(kPage - kBytes)));
  if (!some_lane(access.mask, *access.instruction))
    whole = builder_.CreateAnd(whole, any_lane(builder_, mask_vector(access.mask)));
  return if_else(
      builder_, whole, [&] { return pick(access, base, vector(address.getOperand(1)), type); },
      [&] { return gather(access, type); });
}

// The word that a byte is in, out of 64 in four registers.
Value* Widener::pick(const Access& access, Value* base, Value* index, Type* type) {
  Type* words = lanes_of(builder_.getInt32Ty(), kWords);
  llvm::SmallVector<Value*, 4> table;
  for (unsigned part = 0; part < 4; ++part) {
    Value* from = step(builder_, base, 4 * kWords, part);
    llvm::LoadInst* load = builder_.CreateAlignedLoad(words, from, llvm::Align(1));
    keep_metadata(*access.instruction, load);
    load->setMetadata(llvm::LLVMContext::MD_tbaa, nullptr);
    table.push_back(load);
  }
  const auto constant = [&](std::uint64_t value) { return llvm::ConstantInt::get(words, value); };
  Value* byte = builder_.CreateZExtOrTrunc(index, words);
  Value* word = builder_.CreateLShr(byte, constant(2));
  const auto half = [&](unsigned first) {
    return builder_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_d_512, {},
                                    {table[first], word, table[first + 1]});
  };
  Value* upper = builder_.CreateICmpNE(builder_.CreateAnd(byte, constant(kBytes / 2)), constant(0));
  Value* found = builder_.CreateSelect(upper, half(2), half(0));
  found = builder_.CreateLShr(found, builder_.CreateShl(builder_.CreateAnd(byte, constant(3)), constant(3)));
  return builder_.CreateBitCast(builder_.CreateTrunc(found, lanes_of(builder_.getInt8Ty(), lanes_)), type);
}

}  // namespace skmd::codegen

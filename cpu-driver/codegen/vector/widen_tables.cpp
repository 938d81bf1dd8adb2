// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/widen_tables.h"

#include <llvm/Analysis/ValueTracking.h>

#include "cpu-driver/codegen/vector/lookups.h"

namespace skmd::codegen {

namespace {

using llvm::Type;
using llvm::Value;

constexpr unsigned kWords = 16;  // of 32 bits, in a register

// By its bits alone: promises may be broken in lanes that do not run.
bool is_below(const Value& index, const llvm::DataLayout& layout) {
  const llvm::SimplifyQuery query(layout, nullptr, nullptr, nullptr, nullptr, /*UseInstrInfo=*/false);
  return llvm::computeKnownBits(&index, query).getMaxValue().ult(kTableBytes);
}

// LLVM takes a load of more than an object has for one of something else, or for poison.
bool is_smaller(const Value& base, const llvm::DataLayout& layout) {
  const Value* object = llvm::getUnderlyingObject(&base);
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object))
    return &base != object || layout.getTypeAllocSize(variable->getValueType()) < kTableBytes;
  return llvm::isa<llvm::AllocaInst>(object);
}

}  // namespace

// With AVX-512, vectors of other lengths would leave registers half empty; elsewhere it depends on what is packed with
// them.
bool looks_up(const Access& access, Type* type, const LaneValues& values, Isa isa) {
  if ((isa >= Isa::avx512 && values.lanes() != kWords) || type->getScalarSizeInBits() != 8) return false;
  const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(access.pointer);
  if (address == nullptr || address->getNumIndices() != 1 || !address->getSourceElementType()->isIntegerTy(8))
    return false;
  const Value& index = *address->getOperand(1);
  // Narrower ones are extended by their sign.
  if (!index.getType()->isIntegerTy(64)) return false;
  const llvm::DataLayout& layout = access.instruction->getDataLayout();
  return !is_smaller(*address->getPointerOperand(), layout) && values.shape(address->getPointerOperand()).uniform() &&
         values.shape(&index).kind == Shape::varying && is_below(index, layout);
}

Value* look_up(Builder& builder, LaneValues& values, const Access& access, Type* type) {
  auto& address = *llvm::cast<llvm::GetElementPtrInst>(access.pointer);
  Value* index =
      builder.CreateTrunc(values.vector(address.getOperand(1)), lanes_of(builder.getInt8Ty(), values.lanes()));
  llvm::CallInst* call =
      create_lookup(builder, values.scalar(address.getPointerOperand()), index, values.mask_vector(access.mask));
  return builder.CreateBitCast(call, type);
}

}  // namespace skmd::codegen

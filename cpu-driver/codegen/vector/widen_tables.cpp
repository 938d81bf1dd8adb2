// SPDX-License-Identifier: Apache-2.0
// Loads from small tables (lookups.h).
#include <llvm/Analysis/ValueTracking.h>

#include "cpu-driver/codegen/vector/lookups.h"
#include "cpu-driver/codegen/vector/widener.h"

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

// A byte of [base, base + 256), in lanes that run. With AVX-512, vectors of other lengths would leave registers half
// empty; elsewhere it depends on what is packed with them.
bool Widener::looks_up(const Access& access, Type* type) const {
  if ((options_.isa >= Isa::avx512 && lanes_ != kWords) || type->getScalarSizeInBits() != 8) return false;
  const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(access.pointer);
  if (address == nullptr || address->getNumIndices() != 1 || !address->getSourceElementType()->isIntegerTy(8))
    return false;
  const Value& index = *address->getOperand(1);
  // Narrower ones are extended by their sign.
  if (!index.getType()->isIntegerTy(64)) return false;
  return !is_smaller(*address->getPointerOperand(), source_.getDataLayout()) &&
         shapes_[address->getPointerOperand()].uniform() && shapes_[&index].kind == Shape::varying &&
         is_below(index, source_.getDataLayout());
}

Value* Widener::look_up(const Access& access, Type* type) {
  auto& address = *llvm::cast<llvm::GetElementPtrInst>(access.pointer);
  Value* index = builder_.CreateTrunc(vector(address.getOperand(1)), lanes_of(builder_.getInt8Ty(), lanes_));
  llvm::CallInst* call = create_lookup(builder_, scalar(address.getPointerOperand()), index, mask_vector(access.mask));
  return builder_.CreateBitCast(call, type);
}

}  // namespace skmd::codegen

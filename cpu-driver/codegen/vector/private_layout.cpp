// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/vector/private_layout.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/KnownBits.h>
#include <llvm/Support/MathExtras.h>

#include "cpu-driver/codegen/vector/markers.h"
#include "cpu-driver/codegen/vector/vector_constants.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;

// Every pointer into `alloca`, itself first, if the variable's elements may be interleaved; and their size.
struct Uses {
  llvm::SmallVector<Value*, 16> pointers;
  llvm::SmallVector<Value*, 16> offsets;
  std::uint64_t element = 0;
  bool plain = true;

  void follow(Value& pointer, const llvm::DataLayout& layout);
  void use(Value& pointer, Instruction& user, const llvm::DataLayout& layout);
};

void Uses::use(Value& pointer, Instruction& user, const llvm::DataLayout& layout) {
  if (auto* add = llvm::dyn_cast<llvm::GetElementPtrInst>(&user)) {
    plain = plain && add->getSourceElementType()->isIntegerTy(8) && add->getNumIndices() == 1;
    offsets.push_back(add->getOperand(1));
    if (plain) follow(*add, layout);
    return;
  }
  if (user.isLifetimeStartOrEnd()) return;
  const std::optional<Access> found = access(user);
  if (!found || found->pointer != &pointer || found->stored == &pointer) {
    plain = false;
    return;
  }
  const std::uint64_t size = layout.getTypeAllocSize(found->type());
  const bool whole = size == layout.getTypeStoreSize(found->type()) && llvm::isPowerOf2_64(size);
  plain = plain && whole && !found->type()->isVectorTy() && (element == 0 || element == size);
  element = size;
}

void Uses::follow(Value& pointer, const llvm::DataLayout& layout) {
  pointers.push_back(&pointer);
  for (llvm::User* user : pointer.users()) {
    if (!plain) return;
    use(pointer, *llvm::cast<Instruction>(user), layout);
  }
}

bool on_boundaries(const Uses& uses, const llvm::DataLayout& layout) {
  return llvm::all_of(uses.offsets, [&](Value* offset) {
    return llvm::computeKnownBits(offset, layout).countMinTrailingZeros() >= llvm::Log2_64(uses.element);
  });
}

}  // namespace

const PrivateVariable* PrivateLayout::variable(const Value* alloca) const {
  const auto found = variables_.find(alloca);
  return found == variables_.end() ? nullptr : &found->second;
}

void PrivateLayout::add(llvm::AllocaInst& alloca, PrivateVariable variable) {
  const llvm::DataLayout& layout = alloca.getDataLayout();
  Uses uses;
  uses.follow(alloca, layout);
  if (uses.plain && uses.element != 0 && variable.size % uses.element == 0 && on_boundaries(uses, layout)) {
    variable.element = uses.element;
    for (Value* pointer : uses.pointers) interleaved_[pointer] = true;
  }
  variables_[&alloca] = variable;
}

domain::Result<PrivateLayout> PrivateLayout::of(llvm::Function& function) {
  PrivateLayout layouts;
  std::uint64_t total = 0;
  for (Instruction& instruction : llvm::instructions(function)) {
    auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (alloca == nullptr) continue;
    const std::optional<llvm::TypeSize> size = alloca->getAllocationSize(function.getDataLayout());
    if (!size || !alloca->isStaticAlloca()) return domain::Error{0, "a private variable's size is not known"};
    const std::uint64_t bytes = llvm::alignTo(std::max<std::uint64_t>(*size, 1), alloca->getAlign());
    total += bytes;
    if (total > tuning::kMaxPrivateBytes) return domain::Error{0, "private variables are too large"};
    layouts.add(*alloca, PrivateVariable{bytes, 0, alloca->getAlign()});
  }
  return layouts;
}

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/item/host_alignment.h"

#include <llvm/ADT/bit.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "compiler/ir/address_spaces.h"

namespace skmd::codegen {

namespace {

// No element is larger.
constexpr std::uint64_t kMaxBytes = 8;

bool is_the_applications(const llvm::Type& pointer) {
  const unsigned space = pointer.getPointerAddressSpace();
  return space == kGlobalSpace || space == kConstantSpace || space == kGenericSpace;
}

llvm::Align element_alignment(const llvm::DataLayout& layout, llvm::Type& type) {
  llvm::Type* const element = type.getScalarType();
  if (element->isAggregateType()) return llvm::Align(1);
  const std::uint64_t bytes = layout.getTypeStoreSize(element).getFixedValue();
  return llvm::Align(llvm::bit_floor(std::clamp<std::uint64_t>(bytes, 1, kMaxBytes)));
}

void lower(llvm::Instruction& instruction, const llvm::DataLayout& layout) {
  if (instruction.isAtomic()) return;
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    if (is_the_applications(*load->getPointerOperandType()))
      load->setAlignment(std::min(load->getAlign(), element_alignment(layout, *load->getType())));
  } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    if (is_the_applications(*store->getPointerOperandType()))
      store->setAlignment(std::min(store->getAlign(), element_alignment(layout, *store->getValueOperand()->getType())));
  }
}

}  // namespace

void trust_element_alignment(llvm::Module& module) {
  for (llvm::Function& function : module) {
    // What would raise them again.
    for (llvm::Argument& argument : function.args())
      if (argument.getType()->isPointerTy() && is_the_applications(*argument.getType()))
        argument.removeAttr(llvm::Attribute::Alignment);
    for (llvm::Instruction& instruction : llvm::instructions(function)) lower(instruction, module.getDataLayout());
  }
}

}  // namespace skmd::codegen

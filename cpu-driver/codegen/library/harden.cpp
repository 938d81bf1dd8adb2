// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/library/harden.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <vector>

namespace skmd::codegen {

namespace {

/// The last index of `address`, into a table, from which everything that is loaded is inside.
std::uint64_t last_index(const llvm::GetElementPtrInst& address, const llvm::GlobalVariable& table) {
  const llvm::DataLayout& layout = table.getDataLayout();
  const std::uint64_t bytes = layout.getTypeAllocSize(table.getValueType());
  std::uint64_t loaded = 1;
  for (const llvm::User* user : address.users())
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user))
      loaded = std::max<std::uint64_t>(loaded, layout.getTypeStoreSize(load->getType()));
  return loaded > bytes ? 0 : (bytes - loaded) / layout.getTypeAllocSize(address.getSourceElementType());
}

}  // namespace

void freeze_arguments(llvm::Function& function) {
  llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  for (llvm::Argument& argument : function.args()) {
    if (argument.use_empty() || argument.getType()->isPointerTy()) continue;
    auto* frozen = llvm::cast<llvm::Instruction>(builder.CreateFreeze(&argument));
    argument.replaceUsesWithIf(frozen, [&](const llvm::Use& use) { return use.getUser() != frozen; });
  }
}

void stay_inside_tables(llvm::Function& function) {
  std::vector<llvm::GetElementPtrInst*> addresses;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
        address != nullptr && address->getNumIndices() == 1 &&
        llvm::isa<llvm::GlobalVariable>(address->getPointerOperand()))
      addresses.push_back(address);
  for (llvm::GetElementPtrInst* address : addresses) {
    llvm::Value* index = address->getOperand(1);
    const std::uint64_t last = last_index(*address, *llvm::cast<llvm::GlobalVariable>(address->getPointerOperand()));
    if (llvm::computeKnownBits(index, function.getDataLayout()).getMaxValue().ule(last)) continue;
    llvm::IRBuilder<> builder(address);
    address->setOperand(
        1, builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, index, llvm::ConstantInt::get(index->getType(), last)));
  }
}

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/masks/slots.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace skmd::codegen {

llvm::AllocaInst* Slots::create(llvm::Value& first, const llvm::Twine& name) {
  llvm::BasicBlock& entry = function_.getEntryBlock();
  llvm::IRBuilder<> ir(&entry, entry.begin());
  llvm::AllocaInst* slot = ir.CreateAlloca(first.getType(), nullptr, name);
  ir.CreateStore(&first, slot);
  slots_.push_back(slot);
  return slot;
}

void Slots::demote_strays() {
  const llvm::DominatorTree tree(function_);
  std::vector<llvm::Instruction*> all;
  for (llvm::Instruction& instruction : llvm::instructions(function_)) all.push_back(&instruction);
  for (llvm::Instruction* value : all) {
    std::vector<llvm::Use*> strays;
    for (llvm::Use& use : value->uses())
      if (llvm::cast<llvm::Instruction>(use.getUser())->getParent() != value->getParent() &&
          !tree.dominates(value, use))
        strays.push_back(&use);
    if (strays.empty()) continue;
    llvm::AllocaInst* slot = create(*llvm::PoisonValue::get(value->getType()), "");
    llvm::IRBuilder<> ir(value->getParent(), std::next(value->getIterator()));
    ir.CreateStore(value, slot);
    for (llvm::Use* use : strays) {
      auto* user = llvm::cast<llvm::Instruction>(use->getUser());
      use->set(new llvm::LoadInst(value->getType(), slot, "", user->getIterator()));
    }
  }
}

void Slots::dissolve() {
  demote_strays();
  llvm::DominatorTree tree(function_);
  llvm::PromoteMemToReg(slots_, tree);
  slots_.clear();
}

}  // namespace skmd::codegen

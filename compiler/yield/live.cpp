// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/live.h"

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

namespace skmd::compiler {

using llvm::BasicBlock;
using llvm::Instruction;

Liveness::Liveness(llvm::Function& kernel) : kernel_(kernel) {
  for (BasicBlock& block : kernel)
    if (!block.isEntryBlock())
      for (Instruction& instruction : block)
        if (!instruction.getType()->isVoidTy()) follow(instruction);
}

// From every use backwards to the definition.
void Liveness::follow(Instruction& value) {
  llvm::SmallVector<BasicBlock*, 16> work;  // blocks at whose end the value is live
  const auto enter = [&](BasicBlock* block) {
    if (block == value.getParent() || !live_in_[block].insert(&value)) return;
    work.append(llvm::pred_begin(block), llvm::pred_end(block));
  };
  for (const llvm::Use& use : value.uses()) {
    auto* user = llvm::cast<Instruction>(use.getUser());
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user))
      work.push_back(phi->getIncomingBlock(use));
    else
      enter(user->getParent());
  }
  while (!work.empty()) {
    BasicBlock* block = work.pop_back_val();
    enter(block);
  }
}

llvm::SmallVector<Instruction*, 16> Liveness::values_at(const BasicBlock& block) const {
  const auto found = live_in_.find(&block);
  if (found == live_in_.end()) return {};
  return llvm::SmallVector<Instruction*, 16>(found->second.begin(), found->second.end());
}

llvm::SmallVector<llvm::AllocaInst*, 8> Liveness::variables_at(const BasicBlock& block) const {
  const auto behind = llvm::depth_first(&block);
  const llvm::SmallPtrSet<const BasicBlock*, 32> reached(llvm::from_range, behind);
  llvm::SmallVector<llvm::AllocaInst*, 8> found;
  for (Instruction& instruction : kernel_.getEntryBlock()) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (variable == nullptr) continue;
    llvm::SmallVector<const llvm::Value*, 16> work{variable};
    llvm::SmallPtrSet<const llvm::Value*, 16> seen;
    bool used = false;
    while (!work.empty() && !used) {
      for (const llvm::User* user : work.pop_back_val()->users()) {
        if (!seen.insert(user).second) continue;
        used = used || reached.contains(llvm::cast<Instruction>(user)->getParent());
        if (user->getType()->isPtrOrPtrVectorTy()) work.push_back(user);
      }
    }
    if (used) found.push_back(variable);
  }
  return found;
}

}  // namespace skmd::compiler

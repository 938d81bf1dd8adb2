// SPDX-License-Identifier: Apache-2.0
// Private variables: on the stack, or in the item's memory.
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "cpu-driver/codegen/item/context.h"
#include "cpu-driver/codegen/item/item_constants.h"

namespace skmd::codegen {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

namespace {

// What uses a private variable, also through addresses made from it.
struct Uses {
  llvm::SmallPtrSet<BasicBlock*, 8> blocks;
  bool everywhere = false;  // its address is in memory, from where any code may have it
};

Uses uses_of(llvm::AllocaInst& variable) {
  Uses uses;
  llvm::SmallPtrSet<Value*, 16> seen{&variable};
  llvm::SmallVector<Value*, 16> work{&variable};
  while (!work.empty()) {
    Value* address = work.pop_back_val();
    for (llvm::User* user : address->users()) {
      uses.blocks.insert(llvm::cast<Instruction>(user)->getParent());
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
      uses.everywhere = uses.everywhere || (store != nullptr && store->getValueOperand() == address);
      const bool is_address = !llvm::isa<llvm::LoadInst, llvm::CmpInst>(user) && !user->getType()->isVoidTy();
      if (is_address && seen.insert(user).second) work.push_back(user);
    }
  }
  return uses;
}

// In the item's memory from now on, which has no beginning and no end.
void move_variable(llvm::AllocaInst& variable, std::uint64_t size, ItemMemory& memory) {
  for (llvm::User* user : llvm::make_early_inc_range(variable.users()))
    if (auto* instruction = llvm::cast<Instruction>(user); instruction->isLifetimeStartOrEnd())
      instruction->eraseFromParent();
  const std::uint64_t bytes = llvm::alignTo(size, variable.getAlign());
  const std::uint64_t offset = memory.reserve(bytes, variable.getAlign());
  IRBuilder<> ir(&variable);
  variable.replaceAllUsesWith(memory.address(ir, offset, bytes));
  variable.eraseFromParent();
}

}  // namespace

domain::Status keep_variables(llvm::Function& item, llvm::ArrayRef<Barrier> barriers, const Reach& reach,
                              ItemMemory& memory) {
  std::uint64_t on_stack = 0;
  const llvm::DataLayout& layout = item.getDataLayout();
  std::vector<llvm::AllocaInst*> variables;
  for (Instruction& instruction : llvm::instructions(item))
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) variables.push_back(variable);
  for (llvm::AllocaInst* variable : variables) {
    const auto size = variable->getAllocationSize(layout);
    if (!size || size->isScalable() || !variable->isStaticAlloca())
      return domain::Error{0, "a private variable has no fixed size"};
    const Uses found = uses_of(*variable);
    unsigned regions = 0;
    bool again = false;
    for (std::size_t k = 0; k < reach.from.size(); ++k) {
      const auto uses = [&](BasicBlock* block) { return reach.from[k][reach.index.lookup(block)]; };
      if (!llvm::any_of(found.blocks, uses)) continue;
      ++regions;
      again = again || k != 0;
    }
    const bool kept = regions > 1 || (!barriers.empty() && (found.everywhere || (again && regions > 0)));
    const std::uint64_t bytes = size->getFixedValue();
    if (kept || bytes > tuning::kMaxOnStack || bytes > tuning::kMaxInAll - on_stack)
      move_variable(*variable, bytes, memory);
    else
      on_stack += bytes;
  }
  return {};
}

}  // namespace skmd::codegen

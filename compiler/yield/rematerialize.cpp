// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/rematerialize.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "compiler/client/stoppable.h"

namespace skmd::compiler {

namespace {

using llvm::Value;

// Not a function of its arguments alone: passes of ours would make one call of all.
Value* call_of(llvm::Instruction& before, const char* name, llvm::Type* type, llvm::ArrayRef<Value*> arguments) {
  llvm::SmallVector<llvm::Type*> types;
  for (const Value* argument : arguments) types.push_back(argument->getType());
  llvm::FunctionCallee callee =
      before.getModule()->getOrInsertFunction(name, llvm::FunctionType::get(type, types, false));
  auto& function = llvm::cast<llvm::Function>(*callee.getCallee());
  function.setDoesNotThrow();
  function.setOnlyAccessesInaccessibleMemOrArgMem();
  return llvm::IRBuilder<>(&before).CreateCall(callee, arguments);
}

void compute_by(Value* value, const char* name, llvm::ArrayRef<Value*> arguments) {
  const auto* defined = llvm::dyn_cast_or_null<llvm::Instruction>(value);
  if (defined == nullptr) return;
  llvm::MapVector<llvm::BasicBlock*, llvm::SmallPtrSet<llvm::User*, 8>> users;
  for (llvm::User* user : value->users()) {
    auto* instruction = llvm::cast<llvm::Instruction>(user);
    if (instruction->getParent() == defined->getParent() || llvm::isa<llvm::PHINode>(instruction)) continue;
    users[instruction->getParent()].insert(user);
  }
  for (const auto& of_block : users) {
    const auto& here = of_block.second;
    llvm::Instruction& first =
        *llvm::find_if(*of_block.first, [&](llvm::Instruction& instruction) { return here.contains(&instruction); });
    Value* again = call_of(first, name, value->getType(), arguments);
    for (llvm::User* user : here) user->replaceUsesOfWith(value, again);
  }
}

}  // namespace

void rematerialize(const GroupValues& values) {
  compute_by(values.state, kStateHere, {values.states, values.control});
  compute_by(values.stages, kStagesHere, {values.control});
  compute_by(values.linear, kLinearHere, {});
  compute_by(values.items, kItemsHere, {});
}

}  // namespace skmd::compiler

// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/dead_reads.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "compiler/analysis/kernel_view.h"
#include "compiler/ir/address_spaces.h"

namespace skmd::compiler {

namespace {

using llvm::Instruction;

constexpr const char* kHold = "skmd.hold";

// Holds any value as something outside of the program's memory would.
llvm::FunctionCallee holder(llvm::Module& module) {
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), true);
  llvm::FunctionCallee callee = module.getOrInsertFunction(kHold, type);
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  function->addFnAttr(llvm::Attribute::WillReturn);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  return callee;
}

bool is_hold(const Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call != nullptr && call->getCalledFunction() != nullptr && call->getCalledFunction()->getName() == kHold;
}

llvm::SmallVector<llvm::CallInst*, 16> holds_in(llvm::Function& kernel) {
  llvm::SmallVector<llvm::CallInst*, 16> holds;
  for (Instruction& instruction : llvm::instructions(kernel))
    if (is_hold(instruction)) holds.push_back(llvm::cast<llvm::CallInst>(&instruction));
  return holds;
}

// A load from a buffer, or a builtin that only reads; what also writes is never removed.
bool only_reads(const Instruction& instruction, bool local) {
  if (instruction.getType()->isVoidTy() || instruction.mayHaveSideEffects() || !instruction.mayReadFromMemory())
    return false;
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  if (load == nullptr || may_reach_buffer(*load->getPointerOperand())) return true;
  return local && load->getPointerAddressSpace() == kLocalSpace;
}

using Set = llvm::DenseSet<const Instruction*>;

const llvm::Value* stored_to(const Instruction& instruction) {
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return store == nullptr || !store->isSimple() ? nullptr : llvm::getUnderlyingObject(store->getPointerOperand());
}

using Stores = llvm::DenseMap<const llvm::Value*, llvm::SmallVector<const Instruction*, 4>>;

// Stores that passes may remove, by what they go to: to variables, and to what the same block stores to again.
Stores passing_stores(llvm::Function& kernel) {
  Stores stores;
  for (llvm::BasicBlock& block : kernel) {
    llvm::DenseSet<const llvm::Value*> later;
    for (const Instruction& instruction : llvm::reverse(block)) {
      const llvm::Value* object = stored_to(instruction);
      if (object == nullptr) continue;
      const bool again = !later.insert(object).second;
      if (again || llvm::isa<llvm::AllocaInst>(object)) stores[object].push_back(&instruction);
    }
  }
  return stores;
}

// All values that an effect or the control flow of the kernel depends on.
Set needed_in(llvm::Function& kernel) {
  Set needed;
  Set passing;
  const Stores stores = passing_stores(kernel);
  for (const auto& [object, all] : stores) passing.insert(all.begin(), all.end());
  llvm::SmallVector<const Instruction*, 64> open;
  for (Instruction& instruction : llvm::instructions(kernel))
    if ((instruction.mayHaveSideEffects() || instruction.isTerminator()) && !is_hold(instruction) &&
        !passing.contains(&instruction) && !instruction.isLifetimeStartOrEnd())
      open.push_back(&instruction);
  while (!open.empty()) {
    const Instruction* instruction = open.pop_back_val();
    if (!needed.insert(instruction).second) continue;
    // A variable that is looked at.
    if (llvm::isa<llvm::AllocaInst>(instruction)) open.append(stores.lookup(instruction));
    for (const llvm::Use& operand : instruction->operands())
      if (const auto* from = llvm::dyn_cast<Instruction>(operand)) open.push_back(from);
  }
  return needed;
}

// Whether a value that is not needed goes into an address (a load uses nothing else) or into a division: where it
// should not be, it kills the process.
bool must_be_itself(const Instruction& value) {
  Set seen;
  llvm::SmallVector<const Instruction*, 16> open{&value};
  while (!open.empty()) {
    const Instruction* instruction = open.pop_back_val();
    if (!seen.insert(instruction).second) continue;
    if (instruction != &value && instruction->mayReadFromMemory() && !is_hold(*instruction)) return true;
    for (const llvm::Use& use : instruction->uses()) {
      const auto* to = llvm::cast<Instruction>(use.getUser());
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(to);
      if (store != nullptr && (use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex() ||
                               llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(store->getPointerOperand()))))
        return true;
      if (to->isIntDivRem()) return true;
      open.push_back(to);
    }
  }
  return false;
}

}  // namespace

DeadReads::DeadReads(llvm::Function& kernel, bool local) : kernel_(kernel) {
  const llvm::FunctionCallee hold = holder(*kernel.getParent());
  llvm::SmallVector<Instruction*, 32> reads;
  for (Instruction& instruction : llvm::instructions(kernel))
    if (only_reads(instruction, local)) reads.push_back(&instruction);
  for (Instruction* read : reads) llvm::IRBuilder<>(read->getNextNode()).CreateCall(hold, {read});
}

void DeadReads::settle() {
  const Set needed = needed_in(kernel_);
  for (llvm::CallInst* hold : holds_in(kernel_)) {
    const auto* value = llvm::dyn_cast<Instruction>(hold->getArgOperand(0));
    if (value == nullptr || needed.contains(value) || !must_be_itself(*value)) hold->eraseFromParent();
  }
}

void DeadReads::release() {
  for (llvm::CallInst* hold : holds_in(kernel_)) hold->eraseFromParent();
}

}  // namespace skmd::compiler

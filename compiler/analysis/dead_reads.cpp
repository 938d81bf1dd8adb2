// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/dead_reads.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "compiler/analysis/kernel_view.h"

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
bool only_reads(const Instruction& instruction) {
  if (instruction.getType()->isVoidTy() || instruction.mayHaveSideEffects() || !instruction.mayReadFromMemory())
    return false;
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  return load == nullptr || may_reach_buffer(*load->getPointerOperand());
}

using Set = llvm::DenseSet<const Instruction*>;

// Whatever an effect or the way through the kernel comes of.
Set needed_in(llvm::Function& kernel) {
  Set needed;
  llvm::SmallVector<const Instruction*, 64> open;
  for (Instruction& instruction : llvm::instructions(kernel))
    if ((instruction.mayHaveSideEffects() || instruction.isTerminator()) && !is_hold(instruction))
      open.push_back(&instruction);
  while (!open.empty()) {
    const Instruction* instruction = open.pop_back_val();
    if (!needed.insert(instruction).second) continue;
    for (const llvm::Use& operand : instruction->operands())
      if (const auto* from = llvm::dyn_cast<Instruction>(operand)) open.push_back(from);
  }
  return needed;
}

// Whether another read comes of a value: a load uses nothing but its address.
bool decides_a_read(const Instruction& value) {
  Set seen;
  llvm::SmallVector<const Instruction*, 16> open{&value};
  while (!open.empty()) {
    const Instruction* instruction = open.pop_back_val();
    if (!seen.insert(instruction).second) continue;
    if (instruction != &value && instruction->mayReadFromMemory() && !is_hold(*instruction)) return true;
    for (const llvm::User* user : instruction->users())
      if (const auto* to = llvm::dyn_cast<Instruction>(user)) open.push_back(to);
  }
  return false;
}

}  // namespace

DeadReads::DeadReads(llvm::Function& kernel) : kernel_(kernel) {
  const llvm::FunctionCallee hold = holder(*kernel.getParent());
  llvm::SmallVector<Instruction*, 32> reads;
  for (Instruction& instruction : llvm::instructions(kernel))
    if (only_reads(instruction)) reads.push_back(&instruction);
  for (Instruction* read : reads) llvm::IRBuilder<>(read->getNextNode()).CreateCall(hold, {read});
}

void DeadReads::settle() {
  const Set needed = needed_in(kernel_);
  for (llvm::CallInst* hold : holds_in(kernel_)) {
    const auto* value = llvm::dyn_cast<Instruction>(hold->getArgOperand(0));
    if (value == nullptr || needed.contains(value) || !decides_a_read(*value)) hold->eraseFromParent();
  }
}

void DeadReads::release() {
  for (llvm::CallInst* hold : holds_in(kernel_)) hold->eraseFromParent();
}

}  // namespace skmd::compiler

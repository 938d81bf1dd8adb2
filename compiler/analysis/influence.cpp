// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/influence.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/ir/builtin.h"

namespace skmd::compiler {

namespace {

bool is_float(const llvm::Value* value) { return value->getType()->isFPOrFPVectorTy(); }

// The object that `pointer` is in, where that is one object; null else.
const llvm::Value* object_of(const llvm::Value* pointer) {
  const llvm::Value* object = llvm::getUnderlyingObject(pointer, 0);
  const bool whole = llvm::isa<llvm::AllocaInst, llvm::GlobalVariable, llvm::Argument>(object);
  return whole ? object : nullptr;
}

const llvm::Value* condition_of(const llvm::BasicBlock* block) {
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator())) {
    return branch->isConditional() ? branch->getCondition() : nullptr;
  }
  const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(block->getTerminator());
  return choice == nullptr ? nullptr : choice->getCondition();
}

}  // namespace

Influences::Influences(const KernelView& view, const ControlDependence& control) : view_(view), control_(control) {
  while (propagate()) {
  }
}

unsigned Influences::of(const llvm::Value* value) const { return values_.lookup(value); }
unsigned Influences::on(const llvm::BasicBlock* block) const { return blocks_.lookup(block); }

// One round; true if anything was learnt. Bits are only ever added, so this ends.
bool Influences::propagate() {
  bool changed = false;
  for (llvm::BasicBlock& block : view_.function) {
    unsigned reason = blocks_.lookup(&block);
    for (const Dependence& dependence : control_.of(&block)) {
      const llvm::Value* condition = condition_of(dependence.block);
      reason |= blocks_.lookup(dependence.block) | (condition == nullptr ? 0 : of(condition));
    }
    changed |= reason != blocks_.lookup(&block);
    blocks_[&block] = reason;
    for (llvm::Instruction& instruction : block) {
      const unsigned before = of(&instruction);
      const unsigned after = before | this->instruction(instruction);
      if (after != before) values_[&instruction] = after;
      changed |= after != before;
      changed |= note_effects(instruction, after | reason);
    }
  }
  return changed;
}

// What `instruction` may write into private and local objects descends from all that it takes, and from what made it
// run.
bool Influences::note_effects(llvm::Instruction& instruction, unsigned influence) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!instruction.mayWriteToMemory() || (intrinsic != nullptr && !llvm::isa<llvm::MemIntrinsic>(intrinsic))) {
    return false;
  }
  bool changed = false;
  for (const llvm::Value* operand : instruction.operands()) influence |= of(operand);
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    return note_store(store->getPointerOperand(), influence);
  }
  for (const llvm::Value* operand : instruction.operands()) {
    if (operand->getType()->isPointerTy()) changed |= note_store(operand, influence);
  }
  return changed;
}

bool Influences::note_store(const llvm::Value* pointer, unsigned influence) {
  if (llvm::isa<llvm::Function>(pointer)) return false;
  unsigned& known = objects_[object_of(pointer)];
  const bool more = (known | influence) != known;
  known |= influence;
  return more;
}

unsigned Influences::instruction(llvm::Instruction& instruction) {
  if (auto* merge = llvm::dyn_cast<llvm::PHINode>(&instruction)) return phi(*merge);
  unsigned result = 0;
  bool reads_float = false;
  for (const llvm::Value* operand : instruction.operands()) {
    result |= of(operand);
    reads_float |= is_float(operand);
  }
  const llvm::Type* scalar = instruction.getType()->getScalarType();
  if (reads_float && (scalar->isIntegerTy() || scalar->isPointerTy())) result |= kFromFloat;
  if (llvm::isa<llvm::PtrToIntInst>(instruction)) result |= kFromPointer;
  return result | memory(instruction);
}

// What comes with bytes read. Arguments passed by value count as scalars.
unsigned Influences::memory(llvm::Instruction& instruction) {
  if (!instruction.mayReadFromMemory()) return 0;
  unsigned result = 0;
  bool has_pointer = false;
  for (const llvm::Value* operand : instruction.operands()) {
    if (operand->getType()->isTargetExtTy()) result |= kFromMemory;
    if (!operand->getType()->isPointerTy() || llvm::isa<llvm::Function>(operand)) continue;
    has_pointer = true;
    const llvm::Value* object = object_of(operand);
    const auto* variable = llvm::dyn_cast_or_null<llvm::GlobalVariable>(object);
    if (variable != nullptr && variable->isConstant()) continue;
    if (may_reach_buffer(*operand)) result |= kFromMemory;
    result |= objects_.lookup(object) | objects_.lookup(nullptr);
    if (object != nullptr) continue;
    for (const auto& [other, influence] : objects_) result |= influence;
  }
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const bool opaque = call != nullptr && !has_pointer && !llvm::isa<llvm::IntrinsicInst>(call);
  return opaque && !is_silent(builtin_of(*call).name) ? result | kFromMemory : result;
}

unsigned Influences::phi(llvm::PHINode& phi) {
  unsigned result = 0;
  for (const llvm::Value* value : phi.incoming_values()) result |= of(value);
  const llvm::Loop* loop = view_.loops.getLoopFor(phi.getParent());
  // How far an induction has come is the same on every device; whether it comes so far is another matter.
  if (loop != nullptr && loop->getHeader() == phi.getParent()) return result | pace(*loop);
  const bool constant = phi.hasConstantValue() != nullptr && phi.getNumIncomingValues() > 1;
  if (constant) return result;
  for (llvm::BasicBlock* from : phi.blocks()) result |= exit_choice(phi.getParent(), from);
  if (phi.getNumIncomingValues() == 1) return result;
  const auto* node = view_.dominators.getNode(phi.getParent());
  if (node == nullptr || node->getIDom() == nullptr) return result;
  const llvm::BasicBlock* top = node->getIDom()->getBlock();
  for (llvm::BasicBlock* from : phi.blocks()) {
    // The last branch itself may choose between this block and another way.
    if (const llvm::Value* condition = condition_of(from)) result |= of(condition);
    result |= conditions_above(from, [&](const Dependence& dependence) {
      const bool next = dependence.repeats && loop != nullptr && loop->contains(dependence.block);
      return !next && view_.dominators.dominates(top, dependence.block);
    });
  }
  return result;
}

unsigned Influences::pace(const llvm::Loop& loop) {
  llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  for (const llvm::BasicBlock* block : exiting) {
    const llvm::Value* condition = condition_of(block);
    if (condition != nullptr && (of(condition) & kFromFloat) != 0) return kCountsByFloat;
  }
  return 0;
}

// What decides in which iteration, and where, the loops around `from` are left for `join`.
unsigned Influences::exit_choice(llvm::BasicBlock* join, llvm::BasicBlock* from) {
  unsigned result = 0;
  for (const llvm::Loop* loop = view_.loops.getLoopFor(from); loop != nullptr && !loop->contains(join);
       loop = loop->getParentLoop()) {
    llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
    loop->getExitingBlocks(exiting);
    for (llvm::BasicBlock* block : exiting) {
      if (const llvm::Value* condition = condition_of(block)) result |= of(condition);
      result |= conditions_above(block, [&](const Dependence& dependence) { return loop->contains(dependence.block); });
    }
  }
  return result;
}

unsigned Influences::conditions_above(llvm::BasicBlock* block, llvm::function_ref<bool(const Dependence&)> counts) {
  unsigned result = 0;
  llvm::SmallVector<llvm::BasicBlock*, 8> pending{block};
  llvm::SmallPtrSet<llvm::BasicBlock*, 8> seen{block};
  while (!pending.empty()) {
    for (const Dependence& dependence : control_.of(pending.pop_back_val())) {
      if (!counts(dependence)) continue;
      if (const llvm::Value* condition = condition_of(dependence.block)) result |= of(condition);
      if (seen.insert(dependence.block).second) pending.push_back(dependence.block);
    }
  }
  return result;
}

}  // namespace skmd::compiler

// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/masks/divergence.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "cpu-driver/codegen/item_function.h"

namespace skmd::codegen {

namespace {

// Global, constant and local memory at a place that all lanes share: a lane that wrote it meanwhile would be a race.
bool shared_memory(const llvm::Value* pointer) {
  const unsigned space = pointer->getType()->getPointerAddressSpace();
  if (space >= 1 && space <= 3) return true;
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(pointer));
  return variable != nullptr && variable->isConstant();
}

// Differs between lanes even if its operands are uniform.
bool own_for_each_lane(const llvm::Instruction& instruction) {
  if (llvm::isa<llvm::AllocaInst>(instruction) || instruction.isAtomic() || instruction.isVolatile()) return true;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return !shared_memory(load->getPointerOperand());
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call != nullptr && !call->doesNotAccessMemory();
}

using Set = llvm::SmallVector<unsigned, 2>;

void unite(Set& into, llvm::ArrayRef<unsigned> more) {
  for (const unsigned one : more) {
    auto* place = llvm::lower_bound(into, one);
    if (place == into.end() || *place != one) into.insert(place, one);
  }
}

}  // namespace

Divergence::Divergence(llvm::Function& function, llvm::LoopInfo& loops, Levels& levels)
    : loops_(loops), levels_(levels) {
  seed(function);
  // Once is enough where nothing that differs comes round a loop.
  do {
    propagate();
    changed_ = false;
    defer(levels.of(static_cast<const llvm::Loop*>(nullptr)));
  } while (changed_);
}

void Divergence::seed(llvm::Function& function) {
  if (const llvm::Argument* lane = argument_with(function, kLane)) mark(lane);
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (own_for_each_lane(instruction)) mark(&instruction);
}

void Divergence::mark(const llvm::Value* value) {
  if (!varying_.insert(value).second) return;
  pending_.push_back(value);
  changed_ = true;
}

void Divergence::propagate() {
  while (!pending_.empty()) {
    const llvm::Value* value = pending_.back();
    pending_.pop_back();
    for (const llvm::User* user : value->users())
      if (llvm::isa<llvm::Instruction>(user)) mark(user);
  }
}

bool Divergence::splits(const llvm::BasicBlock* block) const {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  return branch != nullptr && branch->isConditional() && varying(branch->getCondition());
}

bool Divergence::splits(const Node& node) const {
  return node.loop != nullptr ? levels_.of(node.loop).divergent : splits(node.block);
}

// What is deferred at a node is known once all before it have been seen; so is which of its phis differ.
void Divergence::defer(Level& level) {
  for (Node& node : level.nodes) node.deferred.clear();
  const auto go = [&](const Set& places) {
    if (places.empty() || places.front() == level.end()) return;
    unite(level.nodes[places.front()].deferred, llvm::ArrayRef(places).drop_front());
  };
  for (Node& node : level.nodes) {
    if (node.loop != nullptr)
      defer(levels_.of(node.loop));
    else
      mark_joints(*node.block);
    const bool both = splits(node);
    if (both || node.next.empty()) {
      Set places = node.deferred;
      unite(places, node.next);
      go(places);
    } else {
      for (const unsigned next : node.next) {
        Set places = node.deferred;
        unite(places, next);
        go(places);
      }
    }
    const bool leaves = llvm::is_contained(node.next, level.end());
    if (level.loop == nullptr || level.divergent || !leaves || (!both && node.deferred.empty())) continue;
    level.divergent = true;
    changed_ = true;
  }
}

void Divergence::mark_joints(const llvm::BasicBlock& block) {
  for (const llvm::PHINode& phi : block.phis())
    if (!varying(&phi) && llvm::any_of(phi.blocks(), [&](const auto* from) { return merges(from, &block); }))
      mark(&phi);
  propagate();
}

bool Divergence::merges(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const {
  const llvm::Loop* loop = loops_.getLoopFor(from);
  unsigned node = levels_.node(from);
  for (; loop != nullptr && !loop->contains(to); loop = loop->getParentLoop()) {
    if (levels_.of(loop).divergent) return true;
    node = levels_.node(loop);
  }
  if (loop != nullptr && loop->getHeader() == to) return false;
  const Level& level = levels_.of(loop);
  return llvm::is_contained(level.nodes[node].deferred, levels_.target(level, to));
}

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/masks/waiting.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

namespace skmd::codegen {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

// Its result tells what others have done, and asking again may be all that the loop does.
bool listens(const Instruction& instruction) {
  if (instruction.use_empty()) return false;
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    const bool sums =
        update->getOperation() == llvm::AtomicRMWInst::Add || update->getOperation() == llvm::AtomicRMWInst::Sub;
    const auto* by = llvm::dyn_cast<llvm::ConstantInt>(update->getValOperand());
    return !sums || by == nullptr || by->isZero();
  }
  return llvm::isa<llvm::AtomicCmpXchgInst>(instruction) ||
         (llvm::isa<llvm::LoadInst>(instruction) && (instruction.isAtomic() || instruction.isVolatile()));
}

// What decides when `loop` ends, as far as it is computed in the loop.
class Reasons {
 public:
  Reasons(const llvm::Loop& loop, const llvm::DominatorTree& dominators) : loop_(loop), dominators_(dominators) {}

  bool listen() {
    llvm::SmallVector<BasicBlock*, 4> exiting;
    loop_.getExitingBlocks(exiting);
    for (BasicBlock* block : exiting) {
      add_condition(*block);
      add_ways_past(*block);
    }
    for (unsigned i = 0; i < reasons_.size(); ++i) {
      const Instruction& reason = *reasons_[i];
      if (listens(reason)) return true;
      if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&reason)) {
        const unsigned space = load->getPointerAddressSpace();
        if (space == 0 || space == 4) return true;  // private memory: what went in is not followed
      }
      for (const Value* operand : reason.operands()) add(operand);
      const auto* phi = llvm::dyn_cast<llvm::PHINode>(&reason);
      if (phi != nullptr && phi->getParent() != loop_.getHeader()) add_ways_to(*phi->getParent());
    }
    return false;
  }

 private:
  void add(const Value* value) {
    const auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction != nullptr && loop_.contains(instruction)) reasons_.insert(instruction);
  }

  void add_condition(const BasicBlock& block) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (branch != nullptr && branch->isConditional()) add(branch->getCondition());
  }

  // The branches that may lead past `exit` in some turn.
  void add_ways_past(const BasicBlock& exit) {
    if (dominators_.dominates(&exit, loop_.getLoopLatch())) return;
    for (const BasicBlock* block : loop_.blocks())
      if (!dominators_.dominates(&exit, block)) add_condition(*block);
  }

  // The branches that choose the way to `joint`.
  void add_ways_to(const BasicBlock& joint) {
    if (!joints_.insert(&joint).second) return;
    const BasicBlock* start = dominators_.getNode(&joint)->getIDom()->getBlock();
    for (const BasicBlock* block : loop_.blocks())
      if (dominators_.dominates(start, block) && !dominators_.dominates(&joint, block)) add_condition(*block);
  }

  const llvm::Loop& loop_;
  const llvm::DominatorTree& dominators_;
  llvm::SetVector<const Instruction*> reasons_;
  llvm::DenseSet<const BasicBlock*> joints_;
};

bool has_listener(const llvm::Loop& loop) {
  return llvm::any_of(loop.blocks(), [](const BasicBlock* block) {
    return llvm::any_of(*block, [](auto& one) { return listens(one); });
  });
}

}  // namespace

const llvm::Loop* waits_for_others(llvm::Function& function, const llvm::LoopInfo& loops) {
  llvm::SmallVector<llvm::Loop*, 4> suspects;
  for (llvm::Loop* loop : loops.getLoopsInPreorder())
    if (has_listener(*loop)) suspects.push_back(loop);
  if (suspects.empty()) return nullptr;
  const llvm::DominatorTree dominators(function);
  for (const llvm::Loop* loop : suspects)
    if (Reasons(*loop, dominators).listen()) return loop;
  return nullptr;
}

}  // namespace skmd::codegen

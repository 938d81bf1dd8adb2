// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/masks/linearise.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "cpu-driver/codegen/item_function.h"
#include "cpu-driver/codegen/masks/effects.h"
#include "cpu-driver/codegen/masks/guards.h"
#include "cpu-driver/codegen/masks/markers.h"
#include "cpu-driver/codegen/masks/mask_slots.h"
#include "cpu-driver/codegen/masks/outcome.h"
#include "cpu-driver/codegen/masks/slots.h"

namespace skmd::codegen {

namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Value;

struct PhiInput {
  llvm::AllocaInst* slot;
  llvm::TrackingVH<Value> value;  // follows what instructions become
};

// What is known of a block before anything changes.
struct BlockPlan {
  BasicBlock* block;
  std::vector<llvm::Instruction*> instructions;  // without phis, variables and the terminator
  bool splits;
  Value* mask = nullptr;
};

class Lineariser {
 public:
  Lineariser(llvm::Function& function, llvm::LoopInfo& loops, Levels& levels, const Divergence& divergence)
      : function_(function), loops_(loops), levels_(levels), divergence_(divergence), slots_(function) {}

  void run(Value& live, llvm::ArrayRef<llvm::ConstantInt*> outcomes) {
    plan();
    demote_phis();
    MaskSlots masks(function_, levels_, slots_, live);
    masks_ = &masks;
    for (Level& level : levels_.all()) create_entries(level);
    for (BlockPlan& plan : plans_) take_mask(plan);
    for (const BlockPlan& plan : plans_) mask_effects(plan.instructions, *plan.mask, plan.mask == &live, divergence_);
    for (const BlockPlan& plan : plans_) rewire(plan, outcomes);
    for (Level& level : levels_.all())
      if (level.divergent) close(level);
    // Long rows of blocks that always follow each other make the way back from slots to values slow.
    for (BasicBlock& block : llvm::make_early_inc_range(llvm::drop_begin(function_)))
      llvm::MergeBlockIntoPredecessor(&block);
    slots_.dissolve();
  }

 private:
  void plan() {
    for (BasicBlock& block : function_) {
      BlockPlan& plan = plans_.emplace_back(BlockPlan{&block, {}, divergence_.splits(&block)});
      for (llvm::Instruction& instruction : block)
        if (!llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction) && !instruction.isTerminator())
          plan.instructions.push_back(&instruction);
    }
  }

  void demote_phis() {
    std::vector<std::pair<llvm::PHINode*, llvm::AllocaInst*>> phis;
    for (const BlockPlan& plan : plans_) {
      IRBuilder<> ir(plan.block, plan.block->getFirstInsertionPt());
      for (llvm::PHINode& phi : plan.block->phis()) {
        phis.emplace_back(&phi, slots_.create(*llvm::PoisonValue::get(phi.getType()), ""));
        llvm::LoadInst* value = ir.CreateLoad(phi.getType(), phis.back().second);
        value->takeName(&phi);
        phi.replaceAllUsesWith(value);
      }
    }
    for (const auto& [phi, slot] : phis) {
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        if (!llvm::isa<llvm::PoisonValue>(phi->getIncomingValue(i)))
          inputs_[{phi->getIncomingBlock(i), phi->getParent()}].push_back({slot, phi->getIncomingValue(i)});
      phi->eraseFromParent();
    }
  }

  // Where jumps to each node of `level` arrive: at the node, or before it, where it is asked whether any lane comes.
  void create_entries(const Level& level) {
    std::vector<BasicBlock*>& entries = entries_[&level];
    std::vector<bool> inherited;
    for (unsigned i = 0; i < level.end(); ++i) inherited.push_back(masks_->inherited(level, i));
    guarded_[&level] = choose_guards(level, inherited, function_.hasFnAttribute(kFewQuestions));
    for (unsigned i = 0; i < level.end(); ++i) {
      BasicBlock* block = level.nodes[i].block;
      entries.push_back(guarded_[&level][i] ? create_block("asked", block) : block);
    }
    entries.push_back(level.divergent ? create_block("again", nullptr) : nullptr);
  }

  BasicBlock* create_block(const llvm::Twine& name, BasicBlock* before) {
    return BasicBlock::Create(function_.getContext(), name, &function_, before);
  }

  void take_mask(BlockPlan& plan) {
    const Level& level = levels_.of(plan.block);
    const unsigned node = levels_.node(plan.block);
    if (!guarded_[&level][node]) {
      IRBuilder<> ir(plan.block, plan.block->getFirstInsertionPt());
      plan.mask = masks_->at(ir, level, node);
      return;
    }
    IRBuilder<> ir(entries_[&level][node]);
    plan.mask = masks_->at(ir, level, node);
    ir.CreateCondBr(ask_any(ir, *plan.mask), plan.block, entries_[&level][level.nodes[node].deferred.front()]);
  }

  void rewire(const BlockPlan& plan, llvm::ArrayRef<llvm::ConstantInt*> outcomes) {
    llvm::Instruction* end = plan.block->getTerminator();
    const Level& level = levels_.of(plan.block);
    const Node& node = level.nodes[levels_.node(plan.block)];
    IRBuilder<> ir(end);
    if (auto* leave = llvm::dyn_cast<llvm::ReturnInst>(end)) return agree(*leave, outcomes, *plan.mask);
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(end);
    if (branch == nullptr) {  // unreachable
      if (node.deferred.empty()) return;
      ir.CreateBr(entries_[&level][node.deferred.front()]);
    } else if (branch->isUnconditional()) {
      pass(ir, plan.block, branch->getSuccessor(0), *plan.mask);
      ir.CreateBr(follow(plan.block, branch->getSuccessor(0)));
    } else if (!plan.splits) {
      return keep(*branch, *plan.mask, !node.deferred.empty());
    } else {
      Value* condition = branch->getCondition();
      // Not `and`: in lanes that are not here the condition may be poison.
      Value* first = ir.CreateSelect(plan.mask, condition, ir.getFalse());
      Value* second = ir.CreateSelect(plan.mask, ir.CreateNot(condition), ir.getFalse());
      pass(ir, plan.block, branch->getSuccessor(0), *first);
      pass(ir, plan.block, branch->getSuccessor(1), *second);
      unsigned next = node.next.front();
      for (const unsigned other : node.next) next = std::min(next, other);
      if (!node.deferred.empty()) next = std::min(next, node.deferred.front());
      ir.CreateBr(entries_[&level][next]);
    }
    end->eraseFromParent();
  }

  // A uniform branch stays. If no lane may run it, its direction is arbitrary.
  void keep(llvm::BranchInst& branch, Value& mask, bool maybe_empty) {
    if (maybe_empty) branch.setCondition(IRBuilder<>(&branch).CreateFreeze(branch.getCondition()));
    BasicBlock* from = branch.getParent();
    for (unsigned i = 0; i < 2; ++i) {
      BasicBlock* to = branch.getSuccessor(i);
      BasicBlock* edge = create_block("", from->getNextNode());
      IRBuilder<> ir(edge);
      ir.SetCurrentDebugLocation(branch.getDebugLoc());
      pass(ir, from, to, mask);
      ir.CreateBr(follow(from, to));
      branch.setSuccessor(i, edge);
    }
  }

  // Lanes `mask` go from `from` to `to`, with what they bring.
  void pass(IRBuilder<>& ir, const BasicBlock* from, const BasicBlock* to, Value& mask) {
    const bool more = divergence_.merges(from, to);
    for (const PhiInput& input : inputs_.lookup({from, to})) {
      Value* value = input.value;
      if (more) value = ir.CreateSelect(&mask, value, ir.CreateLoad(value->getType(), input.slot));
      ir.CreateStore(value, input.slot);
    }
    const llvm::Loop* loop = loops_.getLoopFor(to);
    if (loop == nullptr || loop->getHeader() != to)
      masks_->send(ir, levels_.of(loop), levels_.node(to), mask, more);
    else if (!loop->contains(from))
      masks_->send(ir, levels_.of(loop->getParentLoop()), levels_.node(loop), mask, more);
    else if (levels_.of(loop).divergent)
      masks_->send(ir, levels_.of(loop), levels_.of(loop).end(), mask, true);
  }

  // What is run next after `from`, from which lanes go to `to` alone.
  BasicBlock* follow(const BasicBlock* from, BasicBlock* to) {
    const llvm::Loop* loop = loops_.getLoopFor(from);
    unsigned node = levels_.node(from);
    for (;; loop = loop->getParentLoop()) {
      const Level& level = levels_.of(loop);
      unsigned next = levels_.target(level, to);
      if (next != level.end() || level.divergent) {
        if (const auto& deferred = level.nodes[node].deferred; !deferred.empty())
          next = std::min(next, deferred.front());
        return entries_[&level][next];
      }
      if (loop->getHeader() == to) return to;
      node = levels_.node(loop);
    }
  }

  // The end of a divergent loop: once more while a lane wants to, then to all places that lanes have left to.
  void close(const Level& level) {
    const Level& outer = levels_.of(level.loop->getParentLoop());
    const Node& node = outer.nodes[levels_.node(level.loop)];
    BasicBlock* left = create_block("left", nullptr);
    IRBuilder<> ir(entries_[&level].back());
    Value* mask = masks_->at(ir, level, level.end());
    ir.CreateStore(mask, masks_->again(level));
    ir.CreateCondBr(ask_any(ir, *mask), level.loop->getHeader(), left);
    ir.SetInsertPoint(left);
    unsigned next = node.deferred.empty() ? ~0U : node.deferred.front();
    for (const unsigned other : node.next) next = std::min(next, other);
    if (next == ~0U)
      ir.CreateUnreachable();
    else
      ir.CreateBr(entries_[&outer][next]);
  }

  llvm::Function& function_;
  llvm::LoopInfo& loops_;
  Levels& levels_;
  const Divergence& divergence_;
  Slots slots_;
  MaskSlots* masks_ = nullptr;
  std::vector<BlockPlan> plans_;
  llvm::DenseMap<const Level*, std::vector<BasicBlock*>> entries_;
  llvm::DenseMap<const Level*, std::vector<bool>> guarded_;
  llvm::DenseMap<std::pair<const BasicBlock*, const BasicBlock*>, std::vector<PhiInput>> inputs_;
};

}  // namespace

void linearise(llvm::Function& function, llvm::LoopInfo& loops, Levels& levels, const Divergence& divergence,
               Value& live, llvm::ArrayRef<llvm::ConstantInt*> outcomes) {
  Lineariser(function, loops, levels, divergence).run(live, outcomes);
}

}  // namespace skmd::codegen

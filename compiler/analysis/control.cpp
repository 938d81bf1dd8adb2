// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/control.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>

#include "compiler/analysis/analysis_constants.h"

namespace skmd::compiler {

using domain::Guard;
using domain::NodeId;

namespace {

llvm::BranchInst* conditional(llvm::BasicBlock* block) {
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  const bool decides =
      branch != nullptr && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1);
  return decides ? branch : nullptr;
}

void add(std::vector<Guard>& guards, NodeId node, bool expected) {
  const Guard guard{node, expected};
  if (!llvm::is_contained(guards, guard) && guards.size() < tuning::kMaxGuards) guards.push_back(guard);
}

void split(llvm::Value* condition, bool expected, std::vector<Condition>& parts) {
  using namespace llvm::PatternMatch;
  llvm::Value* a = nullptr;
  llvm::Value* b = nullptr;
  const bool room = parts.size() < tuning::kMaxGuards;
  const bool both = expected ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
                             : match(condition, m_LogicalOr(m_Value(a), m_Value(b)));
  if (both && room) {
    split(a, expected, parts);
    split(b, expected, parts);
  } else if (match(condition, m_Not(m_Value(a))) && room) {
    split(a, !expected, parts);
  } else if (room) {
    parts.push_back({condition, expected});
  }
}

// Walks from a block outwards, one deciding branch at a time, as long as there is exactly one.
class Chain {
 public:
  Chain(const ControlDependence& control, Expressions& expressions)
      : control_(control), expressions_(expressions), view_(expressions.view()) {}

  // Appends the branches' conditions to `guards`; true if they and exact loops are all that decides.
  bool collect(llvm::BasicBlock* block, std::vector<Guard>& guards) {
    const llvm::Loop* loop = view_.loops.getLoopFor(block);
    for (unsigned steps = 0; steps < tuning::kMaxGuards; ++steps) {
      const Dependence* only = nullptr;
      for (const Dependence& dependence : control_.of(block)) {
        if (about_next_round(dependence, block)) continue;
        if (only != nullptr) return false;
        only = &dependence;
      }
      // The block runs whenever the loops around it that do not contain the branch are entered.
      while (loop != nullptr && (only == nullptr || !loop->contains(only->block))) {
        if (!expressions_.is_exact(loop)) return false;
        loop = loop->getParentLoop();
      }
      if (only == nullptr) return true;
      if (view_.loops.getLoopFor(only->block) != loop || !guard(*only, guards)) return false;
      block = only->block;
    }
    return false;
  }

 private:
  // Whether the branch decides only whether a loop around `block` goes round once more: what that loop's count says.
  [[nodiscard]] bool about_next_round(const Dependence& dependence, llvm::BasicBlock* block) const {
    if (view_.dominators.dominates(block, dependence.block)) return true;
    const auto* header = dependence.block->getTerminator()->getSuccessor(dependence.successor);
    const llvm::Loop* loop = view_.loops.getLoopFor(header);
    return dependence.repeats && loop != nullptr && loop->getHeader() == header && loop->contains(block);
  }

  bool guard(const Dependence& dependence, std::vector<Guard>& guards) {
    llvm::BranchInst* branch = conditional(dependence.block);
    if (branch == nullptr) return false;
    std::vector<Condition> parts;
    split(branch->getCondition(), dependence.successor == 0, parts);
    if (parts.size() >= tuning::kMaxGuards) return false;
    for (const Condition& part : parts) {
      const NodeId node = expressions_.of(part.value);
      if (guards.size() >= tuning::kMaxGuards || !expressions_.nodes().determined(node)) return false;
      add(guards, node, part.expected);
    }
    return true;
  }

  const ControlDependence& control_;
  Expressions& expressions_;
  const KernelView& view_;
};

void dominating_guards(llvm::BasicBlock* block, Expressions& expressions, std::vector<Guard>& guards) {
  for (const Condition& condition : dominating_conditions(block, expressions.view())) {
    const NodeId node = expressions.of(condition.value);
    if (!expressions.nodes().is_unknown(node)) add(guards, node, condition.expected);
  }
}

}  // namespace

std::vector<Condition> dominating_conditions(const llvm::BasicBlock* block, const KernelView& view) {
  std::vector<Condition> conditions;
  for (auto* node = view.dominators.getNode(block)->getIDom(); node != nullptr; node = node->getIDom()) {
    llvm::BranchInst* branch = conditional(node->getBlock());
    const llvm::Loop* loop = view.loops.getLoopFor(node->getBlock());
    if (branch == nullptr || (loop != nullptr && !loop->contains(block))) continue;
    for (unsigned successor = 0; successor < 2; ++successor) {
      const llvm::BasicBlockEdge edge(node->getBlock(), branch->getSuccessor(successor));
      if (!view.dominators.dominates(edge, block)) continue;
      std::vector<Condition> parts;
      split(branch->getCondition(), successor == 0, parts);
      conditions.insert(conditions.end(), parts.begin(), parts.end());
    }
  }
  return conditions;
}

ControlDependence::ControlDependence(const KernelView& view) {
  const llvm::PostDominatorTree& tree = view.post_dominators;
  for (llvm::BasicBlock& block : view.function) {
    if (!view.dominators.isReachableFromEntry(&block)) continue;
    const llvm::Instruction* terminator = block.getTerminator();
    if (terminator->getNumSuccessors() < 2) continue;
    const auto* own = tree.getNode(&block);
    const auto* stop = own == nullptr ? nullptr : own->getIDom();
    for (unsigned i = 0; i < terminator->getNumSuccessors(); ++i) {
      llvm::BasicBlock* target = terminator->getSuccessor(i);
      const bool repeats = view.dominators.dominates(target, &block);
      for (const auto* node = tree.getNode(target); node != nullptr && node != stop; node = node->getIDom()) {
        // The virtual exit has no block.
        if (node->getBlock() != nullptr) dependences_[node->getBlock()].push_back({&block, i, repeats});
      }
    }
  }
}

llvm::ArrayRef<Dependence> ControlDependence::of(llvm::BasicBlock* block) const {
  const auto found = dependences_.find(block);
  return found == dependences_.end() ? llvm::ArrayRef<Dependence>() : llvm::ArrayRef<Dependence>(found->second);
}

Circumstances circumstances_of(llvm::BasicBlock* block, const ControlDependence& control, Expressions& expressions) {
  Circumstances result;
  for (const llvm::Loop* loop = expressions.view().loops.getLoopFor(block); loop != nullptr;
       loop = loop->getParentLoop()) {
    result.loops.insert(result.loops.begin(), expressions.index_of(loop));
  }
  result.complete = Chain(control, expressions).collect(block, result.guards);
  dominating_guards(block, expressions, result.guards);
  return result;
}

}  // namespace skmd::compiler

// SPDX-License-Identifier: Apache-2.0
// How often loops go round that scalar evolution gives up on. One kind has a step that only the launch knows:
// for (i = a; i < b; i += s). Scalar evolution has to be right for any s; a node can ask for its sign. The other kind
// has a counter that a way out leaves as it is: while (i < n) { if (found) break; ++i; }
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

#include "compiler/analysis/expressions.h"

namespace skmd::compiler {

using domain::kNoNode;
using domain::NodeId;
using domain::Op;
using domain::Predicate;

namespace {

constexpr unsigned kWide = 64;                        // bits of a node, at most
constexpr std::int64_t kFar = std::int64_t{1} << 62;  // sums of three such numbers still compare rightly as they are

// The test that keeps a loop going: `induction` before `bound`.
struct Test {
  const llvm::SCEVAddRecExpr* induction = nullptr;
  const llvm::SCEV* bound = nullptr;
  bool is_signed = false;
  bool inclusive = false;
  bool downwards = false;
  bool never_wraps = false;  // the counter: overflow is the program's error
};

bool understood(llvm::CmpInst::Predicate predicate, Test& test) {
  if (!llvm::CmpInst::isRelational(predicate)) return false;
  test.is_signed = llvm::CmpInst::isSigned(predicate);
  test.inclusive = llvm::CmpInst::isNonStrictPredicate(predicate);
  test.downwards = llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isGE(predicate);
  return true;
}

bool find_test(llvm::ScalarEvolution& evolution, const llvm::Loop& loop, llvm::BasicBlock* exiting, Test& test) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(exiting->getTerminator());
  if (branch == nullptr || !branch->isConditional()) return false;
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (compare == nullptr || !compare->getOperand(0)->getType()->isIntegerTy()) return false;
  llvm::CmpInst::Predicate predicate = compare->getPredicate();
  if (!loop.contains(branch->getSuccessor(0))) predicate = llvm::CmpInst::getInversePredicate(predicate);
  const llvm::SCEV* left = evolution.getSCEV(compare->getOperand(0));
  const llvm::SCEV* right = evolution.getSCEV(compare->getOperand(1));
  if (evolution.isLoopInvariant(left, &loop)) {
    std::swap(left, right);
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  }
  test.induction = llvm::dyn_cast<llvm::SCEVAddRecExpr>(left);
  test.bound = right;
  if (test.induction == nullptr || test.induction->getLoop() != &loop || !test.induction->isAffine()) return false;
  if (!evolution.isLoopInvariant(right, &loop) || !understood(predicate, test)) return false;
  test.never_wraps =
      test.is_signed ? test.induction->hasNoSignedWrap() : test.induction->hasNoUnsignedWrap() && !test.downwards;
  return true;
}

// A counter that moves by `step` in every round that another one follows.
struct Counter {
  llvm::PHINode* phi = nullptr;
  const llvm::APInt* step = nullptr;
  bool no_signed_wrap = true, no_unsigned_wrap = true;  // of all its additions
};

bool moves(Counter& counter, llvm::Value* next) {
  using namespace llvm::PatternMatch;
  const llvm::APInt* step = nullptr;
  if (!match(next, m_Add(m_Specific(counter.phi), m_APInt(step))) || step->isZero()) return false;
  if (counter.step != nullptr && *counter.step != *step) return false;
  const auto* addition = llvm::cast<llvm::OverflowingBinaryOperator>(next);
  counter.step = step;
  counter.no_signed_wrap = counter.no_signed_wrap && addition->hasNoSignedWrap();
  counter.no_unsigned_wrap = counter.no_unsigned_wrap && addition->hasNoUnsignedWrap();
  return true;
}

// The condition by which a block goes to `target`, and its value then; nothing if it goes there anyway.
std::optional<std::pair<llvm::Value*, bool>> condition_to(const llvm::BasicBlock* block,
                                                          const llvm::BasicBlock* target) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  if (branch == nullptr || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
    return std::nullopt;
  return std::pair(branch->getCondition(), branch->getSuccessor(0) == target);
}

// Ways through the body join before the latch: some have moved the counter. The others must be those that the latch's
// own branch sends out of the loop. Nothing stands between them and the latch that could compute the condition anew.
bool moves_or_leaves(Counter& counter, const llvm::PHINode& joined, const llvm::BasicBlock* latch,
                     const llvm::Value* condition, bool goes_on) {
  const llvm::BasicBlock* join = joined.getParent();
  if (join != latch && latch->getSinglePredecessor() != join) return false;
  for (unsigned i = 0; i < joined.getNumIncomingValues(); ++i) {
    if (moves(counter, joined.getIncomingValue(i))) continue;
    const auto here = condition_to(joined.getIncomingBlock(i), join);
    if (!here || here->first != condition || here->second == goes_on) return false;
  }
  return true;
}

std::optional<Counter> counter_of(const llvm::Loop& loop, const llvm::LoopInfo& loops, llvm::PHINode& phi) {
  llvm::BasicBlock* latch = loop.getLoopLatch();
  if (latch == nullptr || !phi.getType()->isIntegerTy() || !loop.isLoopExiting(latch)) return std::nullopt;
  const auto on = condition_to(latch, loop.getHeader());
  const auto* condition = on ? llvm::dyn_cast<llvm::Instruction>(on->first) : nullptr;
  if (condition == nullptr || loops.getLoopFor(condition->getParent()) != &loop) return std::nullopt;
  llvm::Value* next = phi.getIncomingValueForBlock(latch);
  Counter counter{&phi};
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(next)) {
    const bool same = select->getCondition() == condition;
    if (!same || !moves(counter, on->second ? select->getTrueValue() : select->getFalseValue())) return std::nullopt;
  } else {
    auto* joined = llvm::dyn_cast<llvm::PHINode>(next);
    if (joined == nullptr || joined->getParent() == loop.getHeader()) return std::nullopt;
    if (!moves_or_leaves(counter, *joined, latch, condition, on->second)) return std::nullopt;
  }
  return counter.step != nullptr ? std::optional(counter) : std::nullopt;
}

// The arithmetic, in 64 bits: ceil((bound - start) / step) where the step leads to the bound, else as often as can be.
class Count {
 public:
  Count(NodeTable& nodes, const Test& test, unsigned bits) : nodes_(nodes), test_(test), bits_(bits) {}

  NodeId of(NodeId start, NodeId bound, NodeId step) {
    const Op widen = test_.is_signed ? Op::sext : Op::zext;
    start = nodes_.cast(widen, start, kWide);
    bound = nodes_.cast(widen, bound, kWide);
    step = nodes_.cast(Op::sext, step, kWide);
    NodeId valid = nodes_.compare(Predicate::slt, number(0), test_.downwards ? minus(number(0), step) : step);
    if (bits_ == kWide) {
      for (const NodeId value : {start, bound, step}) valid = both(valid, is_near(value));
    }
    if (!test_.never_wraps) valid = both(valid, ends_in_range(bound, step));
    const NodeId pace = test_.downwards ? minus(number(0), step) : step;
    const NodeId distance = plus(test_.downwards ? minus(start, bound) : minus(bound, start), number(test_.inclusive));
    const NodeId rounds = nodes_.binary(Op::udiv, plus(distance, minus(pace, number(1))), pace);
    const NodeId some = nodes_.compare(Predicate::slt, number(0), distance);
    return nodes_.select(valid, nodes_.select(some, rounds, number(0)), number(-1));
  }

 private:
  NodeId number(std::int64_t value) { return nodes_.constant(value, kWide); }
  NodeId plus(NodeId a, NodeId b) { return nodes_.binary(Op::add, a, b); }
  NodeId minus(NodeId a, NodeId b) { return nodes_.binary(Op::sub, a, b); }
  NodeId both(NodeId a, NodeId b) { return nodes_.binary(Op::bit_and, a, b); }

  NodeId is_near(NodeId value) {
    const NodeId below = nodes_.compare(Predicate::slt, value, number(kFar));
    return both(below, nodes_.compare(Predicate::slt, number(-kFar), value));
  }

  // The first value beyond the bound is at most a step away from it, and still of the induction's type.
  NodeId ends_in_range(NodeId bound, NodeId step) {
    const NodeId last = plus(bound, step);
    if (bits_ == kWide) return is_near(last);
    const std::int64_t span = std::int64_t{1} << bits_;
    const std::int64_t low = test_.is_signed ? -(span / 2) : 0;
    const NodeId above = nodes_.compare(Predicate::sle, number(low), last);
    return both(above, nodes_.compare(Predicate::slt, last, number(low + span)));
  }

  NodeTable& nodes_;
  const Test& test_;
  unsigned bits_;
};

}  // namespace

NodeId Expressions::counted(const llvm::Loop* loop, bool& exact) {
  llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
  loop->getExitingBlocks(exiting);
  exact = exiting.size() == 1;
  for (llvm::BasicBlock* block : exiting) {
    Test test;
    const llvm::BasicBlock* latch = loop->getLoopLatch();
    // A test that is not made in every round, or in a loop further in, does not count rounds.
    if (latch == nullptr || !view_.dominators.dominates(block, latch) || view_.loops.getLoopFor(block) != loop)
      continue;
    if (!find_test(view_.evolution, *loop, block, test)) continue;
    const unsigned bits = test.bound->getType()->getIntegerBitWidth();
    const bool known = llvm::isa<llvm::SCEVConstant>(test.induction->getStepRecurrence(view_.evolution));
    if (known || (bits > 32 && bits != kWide)) continue;
    const llvm::Loop* parent = loop->getParentLoop();
    const NodeId start = of(test.induction->getStart(), parent);
    const NodeId bound = of(test.bound, parent);
    const NodeId step = of(test.induction->getStepRecurrence(view_.evolution), parent);
    if (nodes_.is_unknown(start) || nodes_.is_unknown(bound) || nodes_.is_unknown(step)) continue;
    return Count(nodes_, test, bits).of(start, bound, step);
  }
  return kNoNode;
}

NodeId Expressions::limited(const llvm::Loop* loop) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(loop->getHeader()->getTerminator());
  if (branch == nullptr || !branch->isConditional() || !loop->isLoopExiting(loop->getHeader())) return kNoNode;
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  const llvm::BasicBlock* entry = loop->getLoopPredecessor();
  if (compare == nullptr || entry == nullptr) return kNoNode;
  llvm::CmpInst::Predicate predicate = compare->getPredicate();
  if (!loop->contains(branch->getSuccessor(0))) predicate = llvm::CmpInst::getInversePredicate(predicate);
  llvm::Value *tested = compare->getOperand(0), *bound = compare->getOperand(1);
  if (loop->isLoopInvariant(tested)) {
    std::swap(tested, bound);
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  }
  auto* phi = llvm::dyn_cast<llvm::PHINode>(tested);
  if (phi == nullptr || phi->getParent() != loop->getHeader() || !loop->isLoopInvariant(bound)) return kNoNode;
  const std::optional<Counter> counter = counter_of(*loop, view_.loops, *phi);
  Test test;
  const unsigned bits = phi->getType()->getIntegerBitWidth();
  if (!counter || !understood(predicate, test) || (bits > 32 && bits != kWide)) return kNoNode;
  test.never_wraps = test.is_signed ? counter->no_signed_wrap : counter->no_unsigned_wrap && !test.downwards;
  const NodeId start = of(phi->getIncomingValueForBlock(entry));
  const NodeId limit = of(bound);
  if (nodes_.is_unknown(start) || nodes_.is_unknown(limit)) return kNoNode;
  return Count(nodes_, test, bits).of(start, limit, nodes_.constant(counter->step->getSExtValue(), bits));
}

}  // namespace skmd::compiler

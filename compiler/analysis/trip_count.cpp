// SPDX-License-Identifier: Apache-2.0
// How often a loop goes round whose step only the launch knows: for (i = a; i < b; i += s). Scalar evolution has to be
// right for any s, or gives up; a node can ask for its sign.
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Instructions.h>

#include "compiler/analysis/expressions.h"

namespace skmd::compiler {

using domain::kNoNode;
using domain::NodeId;
using domain::Op;
using domain::Predicate;

namespace {

constexpr unsigned kWide = 64;
constexpr std::int64_t kFar = std::int64_t{1} << 62;  // sums of three such numbers still compare rightly as they are

// The test that keeps a loop going: `induction` before `bound`.
struct Test {
  const llvm::SCEVAddRecExpr* induction = nullptr;
  const llvm::SCEV* bound = nullptr;
  bool is_signed = false;
  bool inclusive = false;
  bool downwards = false;
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
  return test.induction != nullptr && test.induction->getLoop() == &loop && test.induction->isAffine() &&
         evolution.isLoopInvariant(right, &loop) && understood(predicate, test);
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
    if (!never_wraps()) valid = both(valid, ends_in_range(bound, step));
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

  // Overflow of an induction that must not overflow is the program's error.
  [[nodiscard]] bool never_wraps() const {
    return test_.is_signed ? test_.induction->hasNoSignedWrap()
                           : test_.induction->hasNoUnsignedWrap() && !test_.downwards;
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

}  // namespace skmd::compiler

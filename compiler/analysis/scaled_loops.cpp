// SPDX-License-Identifier: Apache-2.0
// Loops whose counter is halved or doubled in every pass: for (s = n / 2; s > 0; s >>= 1), for (s = 1; s < n; s *= 2).
// Scalar evolution knows them by the width of their type at best. Here it is told how far they have to go, as a ratio.
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

#include "compiler/analysis/expressions.h"

namespace skmd::compiler {

using domain::kNoNode;
using domain::NodeId;
using domain::Op;
using llvm::CmpInst;

namespace {

constexpr unsigned kWide = 64;  // bits of a node, at most

struct Scaling {
  llvm::Value* start = nullptr;
  unsigned doublings = 0;
  bool grows = false;
  bool tests_next = false;  // the test looks at the value of the next pass
};

// The value of a counter, or the value that it is going to have, is what the loop's end is decided by.
std::optional<Scaling> scaling_of(const llvm::Loop& loop, llvm::Value* tested) {
  using namespace llvm::PatternMatch;
  const llvm::BasicBlock* latch = loop.getLoopLatch();
  const llvm::BasicBlock* entry = loop.getLoopPredecessor();
  if (latch == nullptr || entry == nullptr) return std::nullopt;
  for (llvm::PHINode& counter : loop.getHeader()->phis()) {
    llvm::Value* next = counter.getIncomingValueForBlock(latch);
    if (tested != &counter && tested != next) continue;
    Scaling scaling;
    scaling.start = counter.getIncomingValueForBlock(entry);
    scaling.tests_next = tested == next;
    const llvm::APInt* by = nullptr;
    if (match(next, m_Shl(m_Specific(&counter), m_APInt(by))) ||
        match(next, m_Shr(m_Specific(&counter), m_APInt(by)))) {
      scaling.doublings = static_cast<unsigned>(by->getLimitedValue(kWide));
    } else if (match(next, m_Mul(m_Specific(&counter), m_APInt(by))) ||
               match(next, m_IDiv(m_Specific(&counter), m_APInt(by)))) {
      scaling.doublings = by->isPowerOf2() ? by->logBase2() : 0;
    }
    const auto opcode = llvm::isa<llvm::BinaryOperator>(next) ? llvm::cast<llvm::BinaryOperator>(next)->getOpcode()
                                                              : llvm::Instruction::Add;
    scaling.grows = opcode == llvm::Instruction::Shl || opcode == llvm::Instruction::Mul;
    if (scaling.doublings >= 1 && scaling.doublings < kWide) return scaling;
  }
  return std::nullopt;
}

// How far the counter goes: the least value that goes on against the start, or the start against the greatest one.
NodeId ratio_of(NodeTable& nodes, const Scaling& scaling, CmpInst::Predicate predicate, NodeId start, NodeId bound) {
  const bool inclusive = CmpInst::isNonStrictPredicate(predicate);
  const NodeId one = nodes.constant(1, nodes.bits(start));
  if (scaling.grows) {
    const bool fits =
        predicate == CmpInst::ICMP_NE || llvm::ICmpInst::isLT(predicate) || llvm::ICmpInst::isLE(predicate);
    if (!fits) return kNoNode;
    const NodeId greatest = inclusive ? bound : nodes.binary(Op::sub, bound, one);
    return nodes.binary(Op::udiv, greatest, start);
  }
  const bool fits = predicate == CmpInst::ICMP_NE || llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isGE(predicate);
  if (!fits) return kNoNode;
  return nodes.binary(Op::udiv, start, inclusive ? bound : nodes.binary(Op::add, bound, one));
}

}  // namespace

NodeId Expressions::scaled(const llvm::Loop* loop, unsigned& doublings) {
  llvm::BasicBlock* exiting = loop->getExitingBlock();  // null if there are several: then others may end it earlier
  const auto* branch = exiting == nullptr ? nullptr : llvm::dyn_cast<llvm::BranchInst>(exiting->getTerminator());
  if (branch == nullptr || !branch->isConditional()) return kNoNode;
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (compare == nullptr || !compare->getOperand(0)->getType()->isIntegerTy()) return kNoNode;
  CmpInst::Predicate predicate = compare->getPredicate();
  if (!loop->contains(branch->getSuccessor(0))) predicate = CmpInst::getInversePredicate(predicate);
  llvm::Value* tested = compare->getOperand(0);
  llvm::Value* bound = compare->getOperand(1);
  if (loop->isLoopInvariant(tested)) {
    std::swap(tested, bound);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  const std::optional<Scaling> scaling = scaling_of(*loop, tested);
  if (!scaling || !loop->isLoopInvariant(bound)) return kNoNode;
  const NodeId start = of(scaling->start);
  const NodeId limit = of(bound);
  if (nodes_.is_unknown(start) || nodes_.is_unknown(limit)) return kNoNode;
  NodeId ratio = ratio_of(nodes_, *scaling, predicate, start, limit);
  if (ratio == kNoNode || nodes_.is_unknown(ratio)) return kNoNode;
  ratio = nodes_.cast(Op::zext, ratio, kWide);
  doublings = scaling->doublings;
  // A test of this pass's value lets one pass more through.
  if (scaling->tests_next) return ratio;
  return nodes_.binary(Op::mul, ratio,
                       nodes_.constant(static_cast<std::int64_t>(std::uint64_t{1} << doublings), kWide));
}

std::optional<Shrinking> Expressions::shrinking(llvm::Value* condition, bool expected) {
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (compare == nullptr || !compare->getOperand(0)->getType()->isIntegerTy()) return std::nullopt;
  llvm::Value *x = compare->getOperand(0), *counter = compare->getOperand(1);
  CmpInst::Predicate predicate = expected ? compare->getPredicate() : compare->getInversePredicate();
  if (llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isGE(predicate)) {
    std::swap(x, counter);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  if (!llvm::ICmpInst::isLT(predicate) && !llvm::ICmpInst::isLE(predicate)) return std::nullopt;
  const unsigned bits = x->getType()->getIntegerBitWidth();
  if (bits > kWide) return std::nullopt;
  const auto* widened = llvm::dyn_cast<llvm::ZExtInst>(counter);
  if (widened != nullptr) counter = widened->getOperand(0);
  for (const llvm::Loop* loop = view_.loops.getLoopFor(compare->getParent()); loop != nullptr;
       loop = loop->getParentLoop()) {
    const std::optional<Scaling> scaling = scaling_of(*loop, counter);
    if (!scaling || scaling->grows || !loop->isLoopInvariant(x)) continue;
    NodeId first = of(scaling->start);
    if (scaling->tests_next)
      first = nodes_.binary(Op::lshr, first, nodes_.constant(scaling->doublings, nodes_.bits(first)));
    if (widened != nullptr) first = nodes_.cast(Op::zext, first, bits);
    const NodeId node = nodes_.compare(predicate_of(predicate), of(x), first);
    if (!nodes_.determined(node)) return std::nullopt;
    return Shrinking{index_of(loop), scaling->doublings, {node, true}};
  }
  return std::nullopt;
}

}  // namespace skmd::compiler

// SPDX-License-Identifier: Apache-2.0
// The part of Expressions that speaks LLVM's scalar evolution.
#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include "compiler/analysis/expressions.h"

namespace skmd::compiler {

using domain::kNoNode;
using domain::NodeId;
using domain::Op;

namespace {

constexpr unsigned kMaxBits = 64;  // of a node: values are kept in 64

// Whether `loop` is around `scope`, so that its current iteration means something there.
bool encloses(const llvm::Loop* loop, const llvm::Loop* scope) {
  return loop == nullptr || (scope != nullptr && loop->contains(scope));
}

}  // namespace

NodeId Expressions::of(const llvm::SCEV* scev, const llvm::Loop* scope) {
  if (const auto found = known_scevs_.find({scev, scope}); found != known_scevs_.end()) return found->second;
  const NodeId node = translated(scev, scope);
  known_scevs_[{scev, scope}] = node;
  return node;
}

NodeId Expressions::translated(const llvm::SCEV* scev, const llvm::Loop* scope) {
  llvm::Type* type = llvm::isa<llvm::SCEVCouldNotCompute>(scev) ? nullptr : scev->getType();
  if (type == nullptr || !type->isIntegerTy()) return nodes_.unknown(kMaxBits);
  const unsigned bits = type->getIntegerBitWidth();
  if (bits > kMaxBits) return nodes_.unknown(kMaxBits);
  const auto narrower = [&](Op op) {
    const llvm::SCEV* inner = llvm::cast<llvm::SCEVCastExpr>(scev)->getOperand();
    if (inner->getType()->getIntegerBitWidth() > kMaxBits) return nodes_.unknown(bits);
    return nodes_.cast(op, of(inner, scope), bits);
  };
  switch (scev->getSCEVType()) {
    case llvm::scConstant:
      return nodes_.constant(llvm::cast<llvm::SCEVConstant>(scev)->getAPInt().getSExtValue(), bits);
    case llvm::scTruncate:
      return narrower(Op::trunc);
    case llvm::scZeroExtend:
      return narrower(Op::zext);
    case llvm::scSignExtend:
      return narrower(Op::sext);
    case llvm::scAddExpr:
      return nary(scev, Op::add, scope);
    case llvm::scMulExpr:
      return nary(scev, Op::mul, scope);
    case llvm::scUMaxExpr:
      return nary(scev, Op::umax, scope);
    case llvm::scSMaxExpr:
      return nary(scev, Op::smax, scope);
    case llvm::scUMinExpr:
      return nary(scev, Op::umin, scope);
    case llvm::scSMinExpr:
      return nary(scev, Op::smin, scope);
    // In sequence only poison differs: later operands do not matter once one is zero.
    case llvm::scSequentialUMinExpr:
      return nary(scev, Op::umin, scope);
    case llvm::scUDivExpr: {
      const auto* division = llvm::cast<llvm::SCEVUDivExpr>(scev);
      const NodeId a = of(division->getLHS(), scope);
      return nodes_.binary(Op::udiv, a, of(division->getRHS(), scope));
    }
    case llvm::scAddRecExpr:
      return recurrence(llvm::cast<llvm::SCEVAddRecExpr>(scev), scope);
    case llvm::scUnknown: {
      llvm::Value* value = llvm::cast<llvm::SCEVUnknown>(scev)->getValue();
      const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
      const llvm::Loop* home = instruction == nullptr ? nullptr : view_.loops.getLoopFor(instruction->getParent());
      return encloses(home, scope) ? of(value) : nodes_.unknown(bits);
    }
    default:
      return nodes_.unknown(bits);
  }
}

// Scalar evolution puts constants first; people and later folding like them last.
NodeId Expressions::nary(const llvm::SCEV* scev, Op op, const llvm::Loop* scope) {
  const auto operands = llvm::cast<llvm::SCEVNAryExpr>(scev)->operands();
  NodeId node = of(operands.back(), scope);
  for (std::size_t i = operands.size() - 1; i-- > 0;) node = nodes_.binary(op, node, of(operands[i], scope));
  return node;
}

NodeId Expressions::recurrence(const llvm::SCEVAddRecExpr* scev, const llvm::Loop* scope) {
  const unsigned bits = scev->getType()->getIntegerBitWidth();
  const llvm::Loop* loop = scev->getLoop();
  if (!encloses(loop, scope)) {
    const llvm::SCEV* after = view_.evolution.getSCEVAtScope(scev, scope);
    return after == scev ? nodes_.unknown(bits) : of(after, scope);
  }
  if (!scev->isAffine()) return nodes_.unknown(bits);
  const NodeId start = of(scev->getStart(), scope);
  const NodeId step = of(scev->getStepRecurrence(view_.evolution), scope);
  return nodes_.binary(Op::add, nodes_.binary(Op::mul, nodes_.iteration(index_of(loop), bits), step), start);
}

unsigned Expressions::index_of(const llvm::Loop* loop) {
  if (const auto found = loop_index_.find(loop); found != loop_index_.end()) return found->second;
  const llvm::Loop* parent = loop->getParentLoop();
  if (parent != nullptr) index_of(parent);
  const auto index = static_cast<unsigned>(loops_.size());
  loop_index_[loop] = index;
  loops_.push_back({});
  // Where the step is a variable, LLVM's own count is right but beyond what footprints can follow.
  bool exact = false;
  NodeId backedges = counted(loop, exact);
  if (backedges == kNoNode) {
    const llvm::SCEV* count = view_.evolution.getBackedgeTakenCount(loop);
    exact = !llvm::isa<llvm::SCEVCouldNotCompute>(count);
    if (!exact) count = view_.evolution.getSymbolicMaxBackedgeTakenCount(loop);
    backedges = llvm::isa<llvm::SCEVCouldNotCompute>(count) ? limited(loop) : of(count, parent);
  }
  if (backedges != kNoNode && !nodes_.is_unknown(backedges)) {
    loops_[index].backedges = nodes_.cast(Op::zext, backedges, kMaxBits);
    loops_[index].exact = exact && nodes_.determined(backedges);
  }
  if (loops_[index].exact) return index;
  unsigned doublings = 0;
  loops_[index].ratio = scaled(loop, doublings);
  loops_[index].doublings = static_cast<std::uint8_t>(doublings);
  return index;
}

unsigned Expressions::add_loop(NodeId backedges) {
  loops_.emplace_back().backedges = backedges;
  return static_cast<unsigned>(loops_.size()) - 1;
}

}  // namespace skmd::compiler

// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/trap_loops.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include "compiler/yield/yield_constants.h"

namespace skmd::compiler {

namespace {

using llvm::BasicBlock;
using llvm::Loop;
using llvm::SCEV;

/// How often a block of a loop is run.
struct Rounds {
  const SCEV* last = nullptr;   // i64: the number of its last iteration, from 0
  const SCEV* guard = nullptr;  // i64: 0 if it is not run at all; null: it is
};

class Mover {
 public:
  Mover(llvm::ScalarEvolution& evolution, const llvm::DominatorTree& dominators, Loop& loop)
      : evolution_(evolution), dominators_(dominators), loop_(loop) {}

  /// Changes `test`, which is of `block`, into one to be made in front of the loop. Returns false, and changes nothing,
  /// where the test has to be made inside.
  bool move(TrapTest& test, const BasicBlock& block) {
    Rounds rounds;
    if (test.always || !find_rounds(block, rounds)) return false;
    TrapTest moved = test;
    moved.offsets.clear();
    if (!all_invariant(test.guards)) return false;
    if (test.divisor != nullptr) {
      if (!loop_.isLoopInvariant(test.divisor)) return false;
    } else {
      if (test.objects.size() != 1 || test.offset == nullptr) return false;
      for (const SCEV* offset : first_offsets(test))
        if (!add_ends(*offset, rounds, moved)) return false;
    }
    for (const auto& [value, bits] : test.narrow)
      if (!evolution_.isLoopInvariant(value, &loop_)) return false;
    if (rounds.guard != nullptr) moved.guards.push_back(rounds.guard);
    if (moved.offsets.size() > tuning::kMaxTrapEnds || moved.guards.size() > tuning::kMaxTrapEnds) return false;
    test = std::move(moved);
    return true;
  }

 private:
  static llvm::SmallVector<const SCEV*, 4> first_offsets(const TrapTest& test) {
    if (test.hoisted()) return test.offsets;
    return {test.offset};
  }

  bool all_invariant(llvm::ArrayRef<const SCEV*> values) {
    return llvm::all_of(values, [&](const SCEV* value) { return evolution_.isLoopInvariant(value, &loop_); });
  }

  bool find_rounds(const BasicBlock& block, Rounds& rounds) {
    const BasicBlock *latch = loop_.getLoopLatch(), *exit = loop_.getExitingBlock();
    if (loop_.getLoopPreheader() == nullptr || latch == nullptr || exit == nullptr) return false;
    if (!dominators_.dominates(&block, latch)) return false;
    const SCEV* count = evolution_.getBackedgeTakenCount(&loop_);
    if (llvm::isa<llvm::SCEVCouldNotCompute>(count) || evolution_.getTypeSizeInBits(count->getType()) > 64)
      return false;
    if (evolution_.getUnsignedRangeMax(count).getActiveBits() > 32) return false;
    llvm::Type* number = llvm::Type::getInt64Ty(block.getContext());
    count = evolution_.getNoopOrZeroExtend(count, number);
    rounds.last = count;
    if (exit == latch || dominators_.dominates(&block, exit)) return true;
    if (!dominators_.dominates(exit, &block)) return false;
    // The iteration that ends the loop ends in front of the block.
    rounds.last = evolution_.getMinusSCEV(count, evolution_.getOne(number));
    if (!evolution_.isKnownNonZero(count)) rounds.guard = count;
    return true;
  }

  // An offset that goes by equal steps lies between its first and last one.
  bool add_ends(const SCEV& offset, const Rounds& rounds, TrapTest& moved) {
    if (evolution_.isLoopInvariant(&offset, &loop_)) {
      moved.offsets.push_back(&offset);
      return true;
    }
    const auto* steps = llvm::dyn_cast<llvm::SCEVAddRecExpr>(straightened(offset, rounds, moved));
    if (steps == nullptr || steps->getLoop() != &loop_ || !steps->isAffine()) return false;
    const SCEV *start = steps->getStart(), *step = steps->getStepRecurrence(evolution_);
    if (!keeps_product_narrow(*step, rounds, moved)) return false;
    moved.offsets.push_back(start);
    moved.offsets.push_back(evolution_.getAddExpr(start, evolution_.getMulExpr(step, rounds.last)));
    return true;
  }

  // So that the way to the last offset does not wrap around.
  bool keeps_product_narrow(const SCEV& step, const Rounds& rounds, TrapTest& moved) {
    const unsigned bits = evolution_.getSignedRange(&step).getMinSignedBits();
    if (bits > tuning::kTrapStepBits) return false;
    if (evolution_.getUnsignedRangeMax(rounds.last).getActiveBits() + bits <= tuning::kTrapProductBits) return true;
    moved.narrow.push_back({rounds.last, tuning::kTrapProductBits - bits});
    return true;
  }

  // Numbers of 32 bits without sign may wrap around as they are counted, which `narrow` leaves out: then they are
  // counted as ones of 64 bits.
  const SCEV* straightened(const SCEV& offset, const Rounds& rounds, TrapTest& moved) {
    if (llvm::isa<llvm::SCEVAddRecExpr>(offset)) return &offset;
    if (const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(&offset)) return of_operands(*sum, rounds, moved);
    if (const auto* product = llvm::dyn_cast<llvm::SCEVMulExpr>(&offset)) return of_operands(*product, rounds, moved);
    const auto* wide = llvm::dyn_cast<llvm::SCEVZeroExtendExpr>(&offset);
    if (wide == nullptr) return &offset;
    const auto* steps = llvm::dyn_cast<llvm::SCEVAddRecExpr>(wide->getOperand());
    if (steps == nullptr || steps->getLoop() != &loop_ || !steps->isAffine()) return &offset;
    const unsigned bits = static_cast<unsigned>(evolution_.getTypeSizeInBits(steps->getType()));
    if (bits > 32) return &offset;
    llvm::Type* number = offset.getType();
    const SCEV* start = evolution_.getZeroExtendExpr(steps->getStart(), number);
    const SCEV* step = evolution_.getSignExtendExpr(steps->getStepRecurrence(evolution_), number);
    moved.narrow.push_back({evolution_.getAddExpr(start, evolution_.getMulExpr(step, rounds.last)), bits});
    return evolution_.getAddRecExpr(start, step, &loop_, SCEV::FlagAnyWrap);
  }

  const SCEV* of_operands(const llvm::SCEVNAryExpr& terms, const Rounds& rounds, TrapTest& moved) {
    llvm::SmallVector<const SCEV*, 4> operands;
    for (const SCEV* operand : terms.operands())
      operands.push_back(evolution_.isLoopInvariant(operand, &loop_) ? operand : straightened(*operand, rounds, moved));
    return llvm::isa<llvm::SCEVAddExpr>(terms) ? evolution_.getAddExpr(operands) : evolution_.getMulExpr(operands);
  }

  llvm::ScalarEvolution& evolution_;
  const llvm::DominatorTree& dominators_;
  Loop& loop_;
};

}  // namespace

llvm::Instruction* take_out_of_loops(TrapTest& test, llvm::Instruction& at, llvm::ScalarEvolution& evolution,
                                     const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators) {
  llvm::Instruction* place = &at;
  for (Loop* loop = loops.getLoopFor(at.getParent()); loop != nullptr; loop = loop->getParentLoop()) {
    if (!Mover(evolution, dominators, *loop).move(test, *place->getParent())) break;
    place = loop->getLoopPreheader()->getTerminator();
  }
  return place;
}

}  // namespace skmd::compiler

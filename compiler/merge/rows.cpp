// SPDX-License-Identifier: Apache-2.0
#include "compiler/merge/rows.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <vector>

#include "compiler/merge/merge_constants.h"
#include "compiler/merge/stored.h"

namespace skmd::compiler {

namespace {

struct Row {
  Stored each;
  const llvm::SCEV* start = nullptr;
};

class Joiner {
 public:
  Joiner(llvm::Loop& loop, llvm::ScalarEvolution& evolution, llvm::DominatorTree& dominators)
      : loop_(loop), evolution_(evolution), dominators_(dominators), predicated_(evolution, loop) {}

  bool join() {
    if (!has_shape() || !collect()) return false;
    const llvm::SCEV* again = predicated_.getBackedgeTakenCount();
    if (llvm::isa<llvm::SCEVCouldNotCompute>(again) || again->getType()->getScalarSizeInBits() > 64) return false;
    llvm::BasicBlock* before = loop_.getLoopPreheader();
    llvm::Instruction* end = before->getTerminator();
    llvm::SCEVExpander expander(evolution_, "row");
    if (!expander.isSafeToExpandAt(again, end)) return false;
    for (const Row& row : rows_)
      if (!expander.isSafeToExpandAt(row.start, end)) return false;

    llvm::IRBuilder<> ir(end);
    llvm::Value* wraps = expander.expandCodeForPredicate(&predicated_.getPredicate(), end);
    llvm::Value* times = ir.CreateZExt(expander.expandCodeFor(again, nullptr, end), ir.getInt64Ty());
    times = ir.CreateAdd(times, ir.getInt64(1));
    // One more than the largest number is none.
    llvm::Value* is_row = ir.CreateICmpUGE(times, ir.getInt64(tuning::kLeastTimes));
    is_row = ir.CreateAnd(is_row, ir.CreateNot(wraps));
    std::vector<llvm::Value*> starts;
    for (const Row& row : rows_) starts.push_back(expander.expandCodeFor(row.start, ir.getInt64Ty(), end));

    llvm::BasicBlock* whole = llvm::BasicBlock::Create(before->getContext(), "row", before->getParent());
    llvm::IRBuilder<> joined(whole);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      Stored all = rows_[i].each;
      all.offset = starts[i];
      all.count = joined.CreateMul(all.count, times);
      tell_stored(joined, all);
    }
    joined.CreateBr(loop_.getExitBlock());
    ir.CreateCondBr(is_row, whole, loop_.getHeader());
    end->eraseFromParent();
    return true;
  }

 private:
  // Exits at its latch only, and no value of the loop is used after it.
  [[nodiscard]] bool has_shape() const {
    const llvm::BasicBlock* latch = loop_.getLoopLatch();
    const llvm::BasicBlock* exit = loop_.getExitBlock();
    return loop_.isInnermost() && loop_.getLoopPreheader() != nullptr && latch != nullptr && exit != nullptr &&
           loop_.getExitingBlock() == latch && exit->phis().empty();
  }

  bool collect() {
    for (llvm::BasicBlock* block : loop_.blocks()) {
      for (llvm::Instruction& instruction : *block) {
        if (!is_stored(instruction)) {
          if (instruction.mayHaveSideEffects()) return false;
          continue;
        }
        if (!dominators_.dominates(block, loop_.getLoopLatch()) || !add(llvm::cast<llvm::CallInst>(instruction)))
          return false;
      }
    }
    return !rows_.empty();
  }

  bool add(const llvm::CallInst& call) {
    Row row{stored_of(call), nullptr};
    const auto* count = llvm::dyn_cast<llvm::ConstantInt>(row.each.count);
    const llvm::SCEVAddRecExpr* places = predicated_.getAsAddRec(row.each.offset);
    if (count == nullptr || places == nullptr || !places->isAffine() || places->getLoop() != &loop_) return false;
    const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(places->getStepRecurrence(evolution_));
    if (step == nullptr || step->getAPInt() != row.each.width * count->getZExtValue()) return false;
    row.start = places->getStart();
    rows_.push_back(row);
    return true;
  }

  llvm::Loop& loop_;
  llvm::ScalarEvolution& evolution_;
  llvm::DominatorTree& dominators_;
  llvm::PredicatedScalarEvolution predicated_;
  std::vector<Row> rows_;
};

}  // namespace

void join_rows(llvm::Function& span, llvm::FunctionAnalysisManager& analyses) {
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
  const auto join_one = [&] {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::LoopSimplifyPass());
    passes.addPass(llvm::LCSSAPass());
    passes.run(span, analyses);
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(span);
    auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(span);
    for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(span).getLoopsInPreorder())
      if (seen.insert(loop->getHeader()).second && Joiner(*loop, evolution, dominators).join()) return true;
    return false;
  };
  // What is known about loops and dominators ends with each change.
  while (join_one()) analyses.invalidate(span, llvm::PreservedAnalyses::none());
}

}  // namespace skmd::compiler

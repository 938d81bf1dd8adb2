// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/loops/prefetch.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <cstdint>
#include <map>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/item/item.h"
#include "cpu-driver/codegen/loops/loops_constants.h"

namespace skmd::codegen {

namespace {

using llvm::Value;

constexpr std::uint64_t kPage = 4096;  // bytes, beyond which processors do not foresee

bool is_far(const llvm::SCEV* step) {
  const auto* known = llvm::dyn_cast<llvm::SCEVConstant>(step);
  return known == nullptr || known->getAPInt().abs().uge(kPage);
}

class Prefetcher {
 public:
  Prefetcher(llvm::Function& group, llvm::FunctionAnalysisManager& analyses)
      : loops_(analyses.getResult<llvm::LoopAnalysis>(group)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(group)),
        expander_(evolution_, "ahead") {}

  bool add(llvm::LoadInst& load) {
    const llvm::Loop* loop = loops_.getLoopFor(load.getParent());
    llvm::BasicBlock* before = is_of_item(loop) ? loop->getLoopPreheader() : nullptr;
    if (before == nullptr) return false;
    const auto* place = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(load.getPointerOperand()));
    if (place == nullptr || place->getLoop() != loop || !place->isAffine()) return false;
    const llvm::SCEV* step = place->getStepRecurrence(evolution_);
    llvm::Instruction* at = before->getTerminator();
    if (!is_far(step) || !expander_.isSafeToExpandAt(step, at) || ++loads_[loop] > tuning::kMaxPrefetchedLoads)
      return false;
    llvm::IRBuilder<> ir(&load);
    Value* one = expander_.expandCodeFor(step, ir.getInt64Ty(), at);
    Value* distance = llvm::IRBuilder<>(at).CreateMul(one, ir.getInt64(tuning::kTurnsAhead));
    Value* ahead = ir.CreatePtrAdd(load.getPointerOperand(), distance);
    // llvm.prefetch: rw, locality, cache type.
    constexpr unsigned kToRead = 0;
    constexpr unsigned kToAllCaches = 3;
    constexpr unsigned kData = 1;
    ir.CreateIntrinsic(llvm::Intrinsic::prefetch, {ahead->getType()},
                       {ahead, ir.getInt32(kToRead), ir.getInt32(kToAllCaches), ir.getInt32(kData)});
    return true;
  }

 private:
  const llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  llvm::SCEVExpander expander_;
  std::map<const llvm::Loop*, unsigned> loads_;
};

}  // namespace

unsigned prefetch_strided(llvm::Function& group, llvm::FunctionAnalysisManager& analyses) {
  llvm::SmallVector<llvm::LoadInst*, 16> loads;
  for (llvm::Instruction& instruction : llvm::instructions(group)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load != nullptr && load->isSimple() && load->getType()->isVectorTy() &&
        load->getPointerAddressSpace() == kGlobalSpace &&
        group.getDataLayout().getTypeStoreSize(load->getType()) >= tuning::kLine)
      loads.push_back(load);
  }
  if (loads.empty()) return 0;
  unsigned made = 0;
  {
    Prefetcher prefetcher(group, analyses);
    for (llvm::LoadInst* load : loads) made += prefetcher.add(*load) ? 1 : 0;
  }
  if (made != 0) analyses.invalidate(group, llvm::PreservedAnalyses::none());
  return made;
}

}  // namespace skmd::codegen

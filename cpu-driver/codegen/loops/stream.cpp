// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/loops/stream.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/item/item.h"
#include "cpu-driver/codegen/loops/loops_constants.h"
#include "cpu-driver/span_code.h"

namespace skmd::codegen {

namespace {

using llvm::Value;

// What a pointer is taken from: the load of a kernel's argument, as far as it can be seen.
const Value* source_of(const Value* pointer) { return llvm::getUnderlyingObject(pointer, 0); }

llvm::SmallPtrSet<const Value*, 8> sources_read(llvm::Function& group) {
  llvm::SmallPtrSet<const Value*, 8> found;
  for (const llvm::Instruction& instruction : llvm::instructions(group)) {
    if (!instruction.mayReadFromMemory()) continue;
    for (const Value* operand : instruction.operand_values())
      if (operand->getType()->isPtrOrPtrVectorTy()) found.insert(source_of(operand));
  }
  return found;
}

std::uint64_t bytes_of(const llvm::StoreInst& store) {
  return store.getDataLayout().getTypeStoreSize(store.getValueOperand()->getType());
}

/// Which stores fill lines, alone or with those of the loop's next turns.
class Lines {
 public:
  Lines(llvm::Function& group, Isa isa, llvm::FunctionAnalysisManager& analyses)
      : isa_(isa),
        loops_(analyses.getResult<llvm::LoopAnalysis>(group)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(group)) {}

  bool are_filled_by(llvm::StoreInst& store) const {
    const llvm::Loop* loop = loops_.getLoopFor(store.getParent());
    // What does not move is written again at once.
    if (!store.isSimple() || !store.getValueOperand()->getType()->isVectorTy() ||
        store.getPointerAddressSpace() != kGlobalSpace || loop == nullptr ||
        loop->isLoopInvariant(store.getPointerOperand()))
      return false;
    return isa_ >= Isa::avx512 ? bytes_of(store) == tuning::kLine : goes_on(store, *loop);
  }

 private:
  /// A part of a line waits in a buffer for the rest, which has to come before buffers run out.
  bool goes_on(llvm::StoreInst& store, const llvm::Loop& loop) const {
    const std::uint64_t bytes = bytes_of(store);
    const auto* place = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(store.getPointerOperand()));
    if (place == nullptr || place->getLoop() != &loop || !loop.isInnermost()) return false;
    const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(place->getStepRecurrence(evolution_));
    return step != nullptr && step->getAPInt() == bytes && bytes % (4 * lanes(isa_)) == 0 &&
           (tuning::kLine % bytes == 0 || bytes % tuning::kLine == 0);
  }

  const Isa isa_;
  const llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
};

/// How many items the launch has.
llvm::Instruction* count_items(llvm::Function& group) {
  llvm::IRBuilder<> ir(&*group.getEntryBlock().getFirstInsertionPt());
  llvm::Value* items = nullptr;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t at = offsetof(cpu::SpanFrame, global_size) + d * sizeof(std::uint64_t);
    Value* size = ir.CreateLoad(ir.getInt64Ty(), ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), group.getArg(0), at));
    items = items == nullptr ? size : ir.CreateMul(items, size);
  }
  return llvm::cast<llvm::Instruction>(items);
}

/// Tells launches with more results than tuning::kStreamedBytes. Items that store in a loop of theirs, as those of a
/// grid that strides over a larger range do, have as many results as the loop has turns, if that can be told before it.
class Largeness {
 public:
  Largeness(llvm::Function& group, llvm::FunctionAnalysisManager& analyses)
      : loops_(analyses.getResult<llvm::LoopAnalysis>(group)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(group)),
        expander_(evolution_, "results"),
        items_(count_items(group)) {}

  /// Whether the results that `store` makes are so many.
  Value* of(const llvm::StoreInst& store) {
    const std::uint64_t bytes = store.getValueOperand()->getType()->getScalarSizeInBits() / 8;
    const llvm::Loop* loop = loops_.getLoopFor(store.getParent());
    const llvm::SCEV* turns = turns_of(loop, store);
    llvm::Instruction* before = turns != nullptr ? loop->getLoopPreheader()->getTerminator() : items_->getNextNode();
    llvm::IRBuilder<> ir(before);
    Value* results = items_;
    if (turns != nullptr) {
      Value* more = expander_.expandCodeFor(turns, ir.getInt64Ty(), before);
      ir.SetInsertPoint(before);
      results = ir.CreateMul(results, ir.CreateAdd(more, ir.getInt64(1)));
    }
    return ir.CreateICmpUGE(results, ir.getInt64(tuning::kStreamedBytes / bytes));
  }

 private:
  /// How often the back edge of the item's loop around the store is taken; null: no loop, or not known.
  const llvm::SCEV* turns_of(const llvm::Loop* loop, const llvm::StoreInst& store) {
    constexpr std::uint64_t kMax = std::uint64_t{1} << 30;  // times the items: no overflow
    if (!is_of_item(loop) || loop->getLoopPreheader() == nullptr) return nullptr;
    // The same place again and again is one result.
    const llvm::SCEV* place = evolution_.getSCEV(const_cast<Value*>(store.getPointerOperand()));
    const llvm::SCEV* turns = evolution_.getBackedgeTakenCount(loop);
    if (llvm::isa<llvm::SCEVCouldNotCompute>(turns) || !evolution_.hasComputableLoopEvolution(place, loop))
      return nullptr;
    llvm::Type* i64 = llvm::Type::getInt64Ty(store.getContext());
    if (evolution_.getTypeSizeInBits(turns->getType()) > 64) return nullptr;
    turns = evolution_.getUMinExpr(evolution_.getNoopOrZeroExtend(turns, i64), evolution_.getConstant(i64, kMax));
    return expander_.isSafeToExpandAt(turns, loop->getLoopPreheader()->getTerminator()) ? turns : nullptr;
  }

  const llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  llvm::SCEVExpander expander_;
  llvm::Instruction* items_;
};

void stream(llvm::StoreInst& store, Value* large) {
  llvm::IRBuilder<> ir(&store);
  Value* place = ir.CreatePtrToInt(store.getPointerOperand(), ir.getInt64Ty());
  const std::uint64_t unit = std::min(tuning::kLine, bytes_of(store));
  Value* aligned = ir.CreateICmpEQ(ir.CreateAnd(place, unit - 1), ir.getInt64(0));
  llvm::Instruction* past = nullptr;
  llvm::Instruction* through = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(ir.CreateAnd(large, aligned), &store, &past, &through);
  auto* copy = llvm::cast<llvm::StoreInst>(store.clone());
  copy->insertBefore(past->getIterator());
  copy->setAlignment(llvm::Align(unit));
  llvm::Metadata* one = llvm::ConstantAsMetadata::get(ir.getInt32(1));
  copy->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(store.getContext(), one));
  store.moveBefore(through->getIterator());
}

}  // namespace

unsigned stream_stores(llvm::Function& group, Isa isa, llvm::FunctionAnalysisManager& analyses) {
  const Lines lines(group, isa, analyses);
  const auto read = sources_read(group);
  llvm::SmallVector<llvm::StoreInst*, 4> stores;
  for (llvm::Instruction& instruction : llvm::instructions(group)) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (store != nullptr && lines.are_filled_by(*store) && !read.contains(source_of(store->getPointerOperand())))
      stores.push_back(store);
  }
  if (stores.empty() || (isa < Isa::avx512 && stores.size() > tuning::kMaxParts)) return 0;
  // All are asked about before any is split: that changes the loops.
  std::vector<Value*> large;
  {
    Largeness largeness(group, analyses);
    for (const llvm::StoreInst* store : stores) large.push_back(largeness.of(*store));
  }
  for (std::size_t i = 0; i < stores.size(); ++i) stream(*stores[i], large[i]);
  analyses.invalidate(group, llvm::PreservedAnalyses::none());
  for (llvm::BasicBlock& block : group)
    if (llvm::isa<llvm::ReturnInst>(block.getTerminator()))
      llvm::IRBuilder<>(block.getTerminator()).CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {});
  return static_cast<unsigned>(stores.size());
}

}  // namespace skmd::codegen

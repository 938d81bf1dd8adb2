// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/pipeline/marks.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>

#include "cpu-driver/codegen/pipeline/item.h"

namespace skmd::codegen {

namespace {

using llvm::BasicBlock;
using llvm::Value;

// Each costs as much where nothing is stored.
constexpr std::size_t kMostStores = 2;

/// A block that only stores, between a branch and where the branch goes without it.
struct Guarded {
  llvm::BranchInst* branch = nullptr;
  BasicBlock* block = nullptr;
  BasicBlock* join = nullptr;
  bool if_true = true;
  llvm::SmallVector<llvm::StoreInst*, 2> stores;
};

bool has_lane_type(const Value& value) {
  const llvm::Type* type = value.getType();
  return type->isIntegerTy(32) || type->isIntegerTy(64) || type->isFloatTy() || type->isDoubleTy();
}

/// Fills `found.stores`. False: something else than stores and what may run anyway.
bool only_stores(Guarded& found) {
  for (llvm::Instruction& instruction : *found.block) {
    if (instruction.isTerminator()) break;
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      if (!store->isSimple() || store->getPointerAddressSpace() != kGlobalSpace ||
          !has_lane_type(*store->getValueOperand()))
        return false;
      found.stores.push_back(store);
    } else if (instruction.mayReadOrWriteMemory() || !llvm::isSafeToSpeculativelyExecute(&instruction)) {
      return false;
    }
  }
  return !found.stores.empty() && found.stores.size() <= kMostStores;
}

bool is_guarded(BasicBlock& block, Guarded& found) {
  found.branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (found.branch == nullptr || !found.branch->isConditional()) return false;
  for (const unsigned side : {0u, 1u}) {
    found.block = found.branch->getSuccessor(side);
    found.join = found.branch->getSuccessor(1 - side);
    found.if_true = side == 0;
    found.stores.clear();
    if (found.block->getSinglePredecessor() == &block && found.block->getSingleSuccessor() == found.join &&
        found.block != found.join && found.join->phis().empty() && only_stores(found))
      return true;
  }
  return false;
}

bool is_loaded(const llvm::Loop& loop, const Value* place) {
  return llvm::any_of(loop.blocks(), [&](const BasicBlock* block) {
    return llvm::any_of(*block, [&](const llvm::Instruction& instruction) {
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      return load != nullptr && load->getPointerOperand() == place;
    });
  });
}

/// The load of `place` that the branch looks at: directly, so that the branch has to wait for it.
const llvm::LoadInst* looked_at(const Guarded& guarded, const Value* place) {
  const auto* compare = llvm::dyn_cast<llvm::CmpInst>(guarded.branch->getCondition());
  if (compare == nullptr) return nullptr;
  for (const Value* operand : compare->operand_values()) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(operand);
    if (load != nullptr && load->getPointerOperand() == place && load->getParent() == guarded.branch->getParent())
      return load;
  }
  return nullptr;
}

/// A place that memory tells is read and marked; all others stay the same in the loop, and nobody reads them there: a
/// load would wait for a masked store.
bool is_mark(const Guarded& guarded, const llvm::Loop& loop) {
  unsigned marks = 0;
  for (const llvm::StoreInst* store : guarded.stores) {
    const Value* place = store->getPointerOperand();
    if (loop.isLoopInvariant(place)) {
      if (is_loaded(loop, place)) return false;
    } else if (looked_at(guarded, place) != nullptr) {
      ++marks;
    } else {
      return false;  // its page may never have been touched: masking that out is slow
    }
  }
  return marks == 1;
}

void mask(const Guarded& guarded) {
  llvm::IRBuilder<> ir(guarded.branch);
  Value* condition = guarded.branch->getCondition();
  if (!guarded.if_true) condition = ir.CreateNot(condition);
  while (!guarded.block->front().isTerminator()) {
    llvm::Instruction& first = guarded.block->front();
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&first);
    if (store == nullptr) {
      first.moveBefore(guarded.branch->getIterator());
      first.dropUBImplyingAttrsAndMetadata();
      continue;
    }
    ir.SetInsertPoint(guarded.branch);
    Value* value = store->getValueOperand();
    const unsigned lanes = value->getType()->getScalarSizeInBits() == 64 ? 2 : 4;
    Value* none = llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(lanes), ir.getFalse());
    Value* values = llvm::PoisonValue::get(llvm::FixedVectorType::get(value->getType(), lanes));
    ir.CreateMaskedStore(ir.CreateInsertElement(values, value, std::uint64_t{0}), store->getPointerOperand(),
                         store->getAlign(), ir.CreateInsertElement(none, condition, std::uint64_t{0}));
    store->eraseFromParent();
  }
  ir.SetInsertPoint(guarded.branch);
  ir.CreateBr(guarded.join);
  guarded.branch->eraseFromParent();
  llvm::DeleteDeadBlock(guarded.block);
}

}  // namespace

unsigned mask_marks(llvm::Function& item) {
  const llvm::DominatorTree dominators(item);
  const llvm::LoopInfo loops(dominators);
  llvm::SmallVector<Guarded, 2> found;
  for (BasicBlock& block : item) {
    const llvm::Loop* loop = loops.getLoopFor(&block);
    if (loop == nullptr || !loop->isInnermost()) continue;
    Guarded guarded;
    if (is_guarded(block, guarded) && loop->contains(guarded.block) && loop->contains(guarded.join) &&
        is_mark(guarded, *loop))
      found.push_back(guarded);
  }
  for (const Guarded& guarded : found) mask(guarded);
  return static_cast<unsigned>(found.size());
}

}  // namespace skmd::codegen

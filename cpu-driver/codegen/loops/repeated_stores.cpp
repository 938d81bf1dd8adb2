// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/loops/repeated_stores.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/item/item.h"

namespace skmd::codegen {

namespace {

using llvm::Value;

bool is_ordered(const llvm::Instruction& instruction) { return instruction.isAtomic() || instruction.isVolatile(); }

// One number, that a register holds.
bool is_plain(const llvm::StoreInst& store) {
  const llvm::Type* type = store.getValueOperand()->getType();
  const bool number = type->isFloatTy() || type->isDoubleTy() ||
                      (type->isIntegerTy() && llvm::isPowerOf2_32(type->getIntegerBitWidth()) &&
                       type->getIntegerBitWidth() >= 8 && type->getIntegerBitWidth() <= 64);
  return number && store.getPointerAddressSpace() == kGlobalSpace &&
         !store.hasMetadata(llvm::LLVMContext::MD_nontemporal);
}

bool is_repeated(const llvm::StoreInst& store, const llvm::LoopInfo& loops) {
  const llvm::Loop* loop = loops.getLoopFor(store.getParent());
  if (loop == nullptr) return false;
  const llvm::Loop* all = loop->getOutermostLoop();
  return all->isLoopInvariant(store.getPointerOperand()) && all->isLoopInvariant(store.getValueOperand());
}

// Something else comes to the same place: what is there is soon another.
bool is_the_only_value(const llvm::StoreInst& store) {
  return llvm::all_of(store.getPointerOperand()->users(), [&](const llvm::User* user) {
    const auto* other = llvm::dyn_cast<llvm::StoreInst>(user);
    return other == nullptr || other->getPointerOperand() != store.getPointerOperand() ||
           other->getValueOperand() == store.getValueOperand();
  });
}

void look_first(llvm::StoreInst& store) {
  llvm::IRBuilder<> ir(&store);
  // Undefined values may be stored; a branch on one is undefined behaviour.
  Value* value = store.getValueOperand();
  if (!llvm::isGuaranteedNotToBeUndefOrPoison(value)) value = ir.CreateFreeze(value);
  store.setOperand(0, value);
  llvm::Type* bits = ir.getIntNTy(value->getType()->getScalarSizeInBits());
  Value* there = ir.CreateFreeze(ir.CreateAlignedLoad(bits, store.getPointerOperand(), store.getAlign(), "there"));
  Value* differs = ir.CreateICmpNE(there, ir.CreateBitCast(value, bits));
  llvm::MDNode* rarely = llvm::MDBuilder(store.getContext()).createUnlikelyBranchWeights();
  llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(differs, store.getIterator(), false, rarely);
  store.moveBefore(end->getIterator());
}

}  // namespace

unsigned skip_repeated_stores(llvm::Function& group, llvm::FunctionAnalysisManager& analyses) {
  if (llvm::any_of(llvm::instructions(group), is_ordered)) return 0;
  llvm::SmallVector<llvm::StoreInst*, 4> found;
  const llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(group);
  for (llvm::Instruction& instruction : llvm::instructions(group)) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (store != nullptr && is_plain(*store) && is_repeated(*store, loops) && is_the_only_value(*store))
      found.push_back(store);
  }
  for (llvm::StoreInst* store : found) look_first(*store);
  if (!found.empty()) analyses.invalidate(group, llvm::PreservedAnalyses::none());
  return static_cast<unsigned>(found.size());
}

}  // namespace skmd::codegen

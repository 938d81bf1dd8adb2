// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/loops/full_lanes.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "cpu-driver/codegen/loops/item_loops.h"
#include "cpu-driver/codegen/loops/loops_constants.h"

namespace skmd::codegen {

namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Value;
namespace match = llvm::PatternMatch;

/// Lanes that are below something: which says so, and below what. Of an item alone, the one lane.
struct Below {
  llvm::ICmpInst* mask;
  NumberedLanes lanes;
  Value* limit;  // loop-invariant
  bool is_signed;
  bool or_equal;
};

std::optional<Below> below(llvm::ICmpInst& mask, const CountedLoop& loop) {
  if (!mask.getOperand(0)->getType()->isIntOrIntVectorTy() || &mask == loop.end->getCondition()) return std::nullopt;
  llvm::CmpInst::Predicate predicate = mask.getPredicate();
  Value* one = mask.getOperand(0);
  Value* other = mask.getOperand(1);
  if (llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isGE(predicate)) {
    std::swap(one, other);
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  }
  if (!llvm::ICmpInst::isLT(predicate) && !llvm::ICmpInst::isLE(predicate)) return std::nullopt;
  const bool is_vector = mask.getType()->isVectorTy();
  Value* limit = is_vector ? llvm::getSplatValue(other) : other;
  const auto lanes = is_vector ? numbered_lanes(*one, loop) : numbered_item(*one, loop);
  if (limit == nullptr || !lanes || !loop.loop.isLoopInvariant(limit)) return std::nullopt;
  return Below{&mask, *lanes, limit, llvm::CmpInst::isSigned(predicate), llvm::ICmpInst::isLE(predicate)};
}

// How many x from 0 on have all their lanes below the limit; 0 where numbers might wrap.
Value* full_items(IRBuilder<>& ir, const Below& below, std::uint64_t step) {
  llvm::Type* i64 = ir.getInt64Ty();
  const auto min = [&](Value* a, Value* b) { return ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b); };
  const auto less = [&](Value* a, Value* b) { return ir.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, a, b); };
  // Where nothing asks for it, it may be anything.
  Value* limit = ir.CreateFreeze(below.limit);
  const std::int64_t more = below.or_equal ? 1 : 0;
  Value* most = ir.getInt64(kMaxItems);
  if (below.is_signed) {
    limit = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, ir.CreateSExt(limit, i64),
                                     ir.getInt64(static_cast<std::uint64_t>(-more)));
    limit = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, limit, most);
  } else {
    limit = min(ir.CreateZExt(limit, i64), most);
  }
  limit = min(ir.CreateAdd(limit, ir.getInt64(static_cast<std::uint64_t>(more))), most);
  if (Value* first = below.lanes.first) {
    first = ir.CreateZExt(ir.CreateFreeze(first), i64);
    Value* fits = ir.CreateICmpULT(first, most);
    limit = ir.CreateSelect(fits, less(limit, first), ir.getInt64(0));
  }
  return below.lanes.last < step ? limit : less(limit, ir.getInt64(below.lanes.last - (step - 1)));
}

class Splitter {
 public:
  Splitter(llvm::Loop& loop, const CountedLoop& counted, llvm::ArrayRef<Below> masks, llvm::LoopInfo& loops,
           llvm::DominatorTree& dominators)
      : loop_(loop), counted_(counted), masks_(masks), loops_(loops), dominators_(dominators) {}

  void run() {
    llvm::formLCSSARecursively(loop_, dominators_, &loops_, nullptr);
    BasicBlock* before = loop_.getLoopPreheader();
    BasicBlock* rest = llvm::SplitEdge(before, loop_.getHeader(), &dominators_, &loops_);
    IRBuilder<> ir(before->getTerminator());
    Value* full = counted_.count;
    for (const Below& mask : masks_)
      full = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, full, full_items(ir, mask, counted_.step));
    full = ir.CreateAnd(full, ~(counted_.step - 1), "full");
    make_copy(before, rest);
    auto* first = llvm::cast<BasicBlock>(map_[rest]);
    ir.CreateCondBr(ir.CreateICmpNE(full, ir.getInt64(0)), first, rest);
    before->getTerminator()->eraseFromParent();
    BasicBlock* between = end_copy(full, rest);
    go_on(before, rest, between, full);
  }

 private:
  void make_copy(BasicBlock* before, BasicBlock* rest) {
    llvm::SmallVector<BasicBlock*, 16> blocks;
    llvm::cloneLoopWithPreheader(rest, before, &loop_, map_, ".full", &loops_, &dominators_, blocks);
    llvm::remapInstructionsInBlocks(blocks, map_);
    for (const Below& mask : masks_) {
      auto* copy = llvm::cast<llvm::Instruction>(map_[mask.mask]);
      copy->replaceAllUsesWith(llvm::Constant::getAllOnesValue(copy->getType()));
      copy->eraseFromParent();
    }
    for (BasicBlock* block : blocks)
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block)) keep_all_bits(instruction);
  }

  // Counters below kMaxItems, multiples of the step, have no other bits.
  void keep_all_bits(llvm::Instruction& instruction) {
    Value* whole = kept_whole(instruction, map_[counted_.x]);
    if (whole == nullptr) return;
    instruction.replaceAllUsesWith(whole);
    instruction.eraseFromParent();
  }

  // What `instruction` keeps all bits of: x, or x shifted.
  Value* kept_whole(llvm::Instruction& instruction, Value* x) const {
    if (instruction.getType() != x->getType()) return nullptr;
    if (match::match(&instruction, match::m_ZExtOrSExt(match::m_Trunc(match::m_Specific(x)))))
      return llvm::cast<llvm::CastInst>(instruction).getSrcTy()->getScalarSizeInBits() >= 32 ? x : nullptr;
    const llvm::APInt* kept = nullptr;
    Value* part = nullptr;
    if (!match::match(&instruction, match::m_And(match::m_Value(part), match::m_APInt(kept)))) return nullptr;
    std::uint64_t shift = 0;
    if (part != x && !match::match(part, match::m_Shl(match::m_Specific(x), match::m_ConstantInt(shift))))
      return nullptr;
    const std::uint64_t bits = (kMaxItems - 1) & ~(counted_.step - 1);
    return shift <= 16 && (kept->getZExtValue() >> shift & bits) == bits ? part : nullptr;
  }

  Value* copied(Value* value) {
    const auto found = map_.find(value);
    return found == map_.end() ? value : static_cast<Value*>(found->second);
  }

  // From the copy's last turn to the rest, or to the end if there is none.
  BasicBlock* end_copy(Value* full, BasicBlock* rest) {
    const unsigned ends = counted_.end->getSuccessor(0) == loop_.getHeader() ? 1 : 0;
    BasicBlock* exit = counted_.end->getSuccessor(ends);
    auto* between = BasicBlock::Create(exit->getContext(), "between", exit->getParent(), rest);
    IRBuilder<> ir(between);
    ir.CreateCondBr(ir.CreateICmpULT(full, counted_.count), rest, exit);
    auto* end = llvm::cast<llvm::BranchInst>(map_[counted_.end]);
    ir.SetInsertPoint(end);
    Value* next = copied(counted_.next);
    auto* before = llvm::dyn_cast<llvm::Instruction>(end->getCondition());
    end->setCondition(ends == 1 ? ir.CreateICmpULT(next, full) : ir.CreateICmpEQ(next, full));
    // It looks like a mask, and the copy like a loop to split.
    if (before != nullptr && before->use_empty()) before->eraseFromParent();
    end->setSuccessor(ends, between);
    for (llvm::PHINode& phi : exit->phis())
      phi.addIncoming(copied(phi.getIncomingValueForBlock(counted_.latch)), between);
    return between;
  }

  // The loop that there was begins with what the copy has left.
  void go_on(BasicBlock* before, BasicBlock* rest, BasicBlock* between, Value* full) {
    IRBuilder<> ir(rest, rest->begin());
    for (llvm::PHINode& phi : loop_.getHeader()->phis()) {
      llvm::PHINode* start = ir.CreatePHI(phi.getType(), 2);
      start->addIncoming(phi.getIncomingValueForBlock(rest), before);
      start->addIncoming(&phi == counted_.x ? full : copied(phi.getIncomingValueForBlock(counted_.latch)), between);
      phi.setIncomingValueForBlock(rest, start);
    }
  }

  llvm::Loop& loop_;
  const CountedLoop& counted_;
  llvm::ArrayRef<Below> masks_;
  llvm::LoopInfo& loops_;
  llvm::DominatorTree& dominators_;
  llvm::ValueToValueMapTy map_;
};

// From 0 on, to a count that the next x is compared with.
bool is_plain(const CountedLoop& counted) {
  const auto& end = *llvm::cast<llvm::ICmpInst>(counted.end->getCondition());
  const auto* start = llvm::dyn_cast<llvm::ConstantInt>(counted.start);
  return start != nullptr && start->isZero() && llvm::isPowerOf2_64(counted.step) &&
         end.getOperand(0) == counted.next &&
         (end.getPredicate() == llvm::CmpInst::ICMP_ULT || end.getPredicate() == llvm::CmpInst::ICMP_EQ);
}

bool split(llvm::Loop& loop, llvm::LoopInfo& loops, llvm::DominatorTree& dominators) {
  const auto counted = counted_loop(loop);
  if (!counted || !is_plain(*counted)) return false;
  llvm::SmallVector<Below, 2> masks;
  std::size_t instructions = 0;
  for (BasicBlock* block : loop.blocks()) {
    instructions += block->size();
    for (llvm::Instruction& instruction : *block)
      if (auto* mask = llvm::dyn_cast<llvm::ICmpInst>(&instruction); mask != nullptr && !mask->use_empty())
        if (const auto found = below(*mask, *counted)) masks.push_back(*found);
  }
  if (masks.empty() || instructions > (counted->step == 1 ? tuning::kMaxFullOfOneItem : tuning::kMaxFullInstructions))
    return false;
  Splitter(loop, *counted, masks, loops, dominators).run();
  return true;
}

}  // namespace

bool split_full_lanes(llvm::Function& function) {
  llvm::SmallPtrSet<const BasicBlock*, 16> seen;
  // Anew after each change, since there are few of them.
  for (bool changed = false, any = false;; any = any || changed) {
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    changed = false;
    for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
      if (!seen.insert(loop->getHeader()).second) continue;
      changed = split(*loop, loops, dominators);
      if (!changed) continue;
      break;
    }
    if (!changed) return any;
  }
}

}  // namespace skmd::codegen

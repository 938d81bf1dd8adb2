// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/loops/item_loops.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/KnownBits.h>

#include <algorithm>

namespace skmd::codegen {

namespace {

using llvm::BasicBlock;
using llvm::Value;
namespace match = llvm::PatternMatch;

// The other part of a sum with `part`; null if `value` is none.
Value* rest_of_sum(Value* value, const Value* part) {
  Value* rest = nullptr;
  return match::match(value, match::m_c_Add(match::m_Specific(part), match::m_Value(rest))) ||
                 match::match(value, match::m_c_DisjointOr(match::m_Specific(part), match::m_Value(rest)))
             ? rest
             : nullptr;
}

// Freezing a counter on which its loop's end depends changes nothing: it is no poison.
Value* without_freeze(Value* value) {
  auto* frozen = llvm::dyn_cast<llvm::FreezeInst>(value);
  return frozen == nullptr ? value : frozen->getOperand(0);
}

// Whether `number | lane` is `number + lane`, for lanes up to the last.
bool is_disjoint(const llvm::BinaryOperator& either, const Value& number, std::uint64_t last) {
  if (llvm::cast<llvm::PossiblyDisjointInst>(either).isDisjoint()) return true;
  const llvm::KnownBits known = llvm::computeKnownBits(&number, either.getDataLayout());
  return last < std::uint64_t{1} << std::min(known.countMinTrailingZeros(), 32U);
}

bool is_part_of(const Value* value, const llvm::PHINode* x) {
  return value == x || match::match(value, match::m_Trunc(match::m_Specific(x)));
}

// What is added to x, or to its lower bits, in the number of the first lane.
bool find_first(Value* number, const CountedLoop& loop, Value*& first) {
  if (auto* part = llvm::dyn_cast<llvm::TruncInst>(number)) number = part->getOperand(0);
  if (number == loop.x) return true;
  auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(number);
  if (sum == nullptr) return false;
  for (Value* part : sum->operands()) {
    if (!is_part_of(part, loop.x)) continue;
    first = rest_of_sum(sum, part);
    return first != nullptr && loop.loop.isLoopInvariant(first);
  }
  return false;
}

}  // namespace

std::optional<CountedLoop> counted_loop(const llvm::Loop& loop) {
  BasicBlock* latch = loop.getLoopLatch();
  auto* end = latch == nullptr ? nullptr : llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator());
  auto* compare =
      end == nullptr || !end->isConditional() ? nullptr : llvm::dyn_cast<llvm::ICmpInst>(end->getCondition());
  if (compare == nullptr || loop.getExitingBlock() != latch || loop.getLoopPreheader() == nullptr) return std::nullopt;
  const llvm::CmpInst::Predicate predicate = compare->getPredicate();
  const bool equal = predicate == llvm::CmpInst::ICMP_EQ;
  if (!equal && predicate != llvm::CmpInst::ICMP_ULT && predicate != llvm::CmpInst::ICMP_SLT) return std::nullopt;
  if (end->getSuccessor(equal ? 1 : 0) != loop.getHeader() || !loop.isLoopInvariant(compare->getOperand(1)))
    return std::nullopt;
  for (llvm::PHINode& phi : loop.getHeader()->phis()) {
    Value* next = phi.getIncomingValueForBlock(latch);
    const llvm::APInt* step = nullptr;
    if (!match::match(next, match::m_Add(match::m_Specific(&phi), match::m_APInt(step))) || step->isZero() ||
        step->ugt(kMaxLanes) || !phi.getType()->isIntegerTy(64))
      continue;
    if (equal && (!step->isOne() || compare->getOperand(0) != next)) continue;
    if (compare->getOperand(0) == next || compare->getOperand(0) == &phi)
      return CountedLoop{loop,
                         latch,
                         end,
                         &phi,
                         next,
                         phi.getIncomingValueForBlock(loop.getLoopPreheader()),
                         compare->getOperand(1),
                         step->getZExtValue()};
  }
  return std::nullopt;
}

std::optional<NumberedLanes> numbered_lanes(Value& lanes, const CountedLoop& loop) {
  auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(&lanes);
  if (sum == nullptr || (sum->getOpcode() != llvm::Instruction::Add && sum->getOpcode() != llvm::Instruction::Or))
    return std::nullopt;
  auto* type = llvm::dyn_cast<llvm::FixedVectorType>(sum->getType());
  const auto* constants = llvm::dyn_cast<llvm::Constant>(sum->getOperand(1));
  Value* vector = without_freeze(sum->getOperand(0));
  Value* number = llvm::getSplatValue(vector);
  if (type == nullptr || type->getScalarSizeInBits() < 32 || constants == nullptr || number == nullptr)
    return std::nullopt;
  const bool is_frozen = vector != sum->getOperand(0) || without_freeze(number) != number;
  number = without_freeze(number);
  NumberedLanes found;
  if (!find_first(number, loop, found.first) || (is_frozen && found.first != nullptr)) return std::nullopt;
  for (unsigned at = 0; at < type->getNumElements(); ++at) {
    const auto* lane = llvm::dyn_cast_or_null<llvm::ConstantInt>(constants->getAggregateElement(at));
    if (lane == nullptr || lane->getValue().ugt(kMaxLanes)) return std::nullopt;
    found.last = std::max(found.last, lane->getZExtValue());
  }
  if (sum->getOpcode() == llvm::Instruction::Or && !is_disjoint(*sum, *number, found.last)) return std::nullopt;
  return found;
}

std::optional<NumberedLanes> numbered_item(Value& number, const CountedLoop& loop) {
  NumberedLanes found;
  if (loop.step != 1 || number.getType()->isVectorTy() || number.getType()->getScalarSizeInBits() < 32 ||
      !find_first(&number, loop, found.first))
    return std::nullopt;
  return found;
}

}  // namespace skmd::codegen

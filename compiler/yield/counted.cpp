// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/counted.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/PatternMatch.h>

#include <cstdint>
#include <cstdlib>

#include "compiler/ir/builtin.h"
#include "compiler/yield/yield_constants.h"

namespace skmd::compiler {

namespace {

using llvm::CmpInst;

/// Whether `header` does nothing that counts: where a strip ends, it runs once more for the same iteration.
bool may_repeat(const llvm::BasicBlock& header) {
  return llvm::none_of(header, [](const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call != nullptr && is_geometry(builtin_of(*call).name)) return false;
    return instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects() ||
           (call != nullptr && call->isConvergent());
  });
}

using Computed = llvm::SmallPtrSet<const llvm::Value*, 8>;

/// Whether `value` is the same in each iteration: computed in front of the loop, or by the header from such values, by
/// at most tuning::kMaxRecomputed instructions. `computed`: those found so far.
bool stays(const llvm::Value& value, const llvm::Loop& loop, Computed& computed) {
  if (loop.isLoopInvariant(&value) || computed.contains(&value)) return true;
  const auto& instruction = llvm::cast<llvm::Instruction>(value);
  if (instruction.getParent() != loop.getHeader() || llvm::isa<llvm::PHINode>(instruction)) return false;
  computed.insert(&value);
  return computed.size() <= tuning::kMaxRecomputed &&
         llvm::all_of(instruction.operands(), [&](const llvm::Use& use) { return stays(*use, loop, computed); });
}

/// The phi of `header` that `value` is, or is made of by more bits; null: none.
llvm::PHINode* counter_in(llvm::Value* value, const llvm::BasicBlock& header) {
  if (llvm::isa<llvm::ZExtInst, llvm::SExtInst>(value)) value = llvm::cast<llvm::CastInst>(value)->getOperand(0);
  auto* phi = llvm::dyn_cast<llvm::PHINode>(value);
  return phi != nullptr && phi->getParent() == &header ? phi : nullptr;
}

/// What `counter` grows by in each iteration; 0: by no constant.
std::int64_t step_of(const llvm::PHINode& counter, const llvm::BasicBlock& latch) {
  using namespace llvm::PatternMatch;
  const llvm::APInt* step = nullptr;
  const llvm::Value* next = counter.getIncomingValueForBlock(&latch);
  if (match(next, m_c_Add(m_Specific(&counter), m_APInt(step))) && step->getSignificantBits() <= 32)
    return step->getSExtValue();
  return 0;
}

/// Whether a counter that changes by `step` comes to where the predicate no longer holds, without passing its type's
/// ends before.
bool leads_there(CmpInst::Predicate predicate, std::int64_t step) {
  switch (predicate) {
    case CmpInst::ICMP_NE:
      return step == 1 || step == -1;
    case CmpInst::ICMP_SLT:
    case CmpInst::ICMP_SLE:
    case CmpInst::ICMP_ULT:
    case CmpInst::ICMP_ULE:
      return step > 0;
    case CmpInst::ICMP_SGT:
    case CmpInst::ICMP_SGE:
    case CmpInst::ICMP_UGT:
    case CmpInst::ICMP_UGE:
      return step < 0;
    default:
      return false;
  }
}

}  // namespace

CountedLoop counted_loop(const llvm::Loop& loop, std::uint64_t strip) {
  llvm::BasicBlock* header = loop.getHeader();
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(header->getTerminator());
  if (loop.getExitingBlock() != header || branch == nullptr || !branch->isConditional()) return {};
  auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (compare == nullptr || !may_repeat(*header)) return {};
  CountedLoop counted;
  counted.goes_on = loop.contains(branch->getSuccessor(0)) ? 0 : 1;
  counted.predicate = counted.goes_on == 0 ? compare->getPredicate() : compare->getInversePredicate();
  unsigned side = 0;
  if (counter_in(compare->getOperand(1), *header) != nullptr) {
    side = 1;
    counted.predicate = CmpInst::getSwappedPredicate(counted.predicate);
  }
  counted.compared = compare->getOperand(side);
  counted.bound = compare->getOperand(1 - side);
  llvm::PHINode* counter = counter_in(counted.compared, *header);
  Computed computed;
  if (counter == nullptr || !stays(*counted.bound, loop, computed)) return {};
  // A strip's bound is computed in the wider type. It may lie beyond what the counter can hold, which would never equal
  // it.
  if (counted.predicate == CmpInst::ICMP_NE && counted.compared != counter) return {};
  counted.step = step_of(*counter, *loop.getLoopLatch());
  const auto* type = llvm::dyn_cast<llvm::IntegerType>(counter->getType());
  const std::uint64_t steps = strip * static_cast<std::uint64_t>(std::abs(counted.step));  // a strip's, in 64 bits
  if (type == nullptr || type->getBitWidth() < 32 || !leads_there(counted.predicate, counted.step) ||
      steps > static_cast<std::uint64_t>(INT32_MAX))
    return {};
  counted.counter = counter;
  return counted;
}

}  // namespace skmd::compiler

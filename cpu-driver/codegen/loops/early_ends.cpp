// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/loops/early_ends.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

#include <optional>

#include "cpu-driver/codegen/loops/item_loops.h"

namespace skmd::codegen {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

using Predicate = llvm::CmpInst::Predicate;

// x or its lower bits, in each lane with constants of the lanes added.
bool counts_lanes(Value& value, const CountedLoop& loop) {
  const auto lanes = numbered_lanes(value, loop);
  return lanes && lanes->first == nullptr;
}

// The same where lanes are something else, and items go one by one.
bool counts_items(Value& value, const CountedLoop& loop) {
  const auto* part = llvm::dyn_cast<llvm::TruncInst>(&value);
  return (part == nullptr ? &value : part->getOperand(0)) == loop.x && value.getType()->getScalarSizeInBits() >= 32;
}

bool is_below(Predicate predicate) {
  return predicate == llvm::CmpInst::ICMP_ULT || predicate == llvm::CmpInst::ICMP_SLT ||
         predicate == llvm::CmpInst::ICMP_ULE || predicate == llvm::CmpInst::ICMP_SLE;
}

// Lanes whose numbers are below something that stays: where none is, none is later on.
bool ends_for_good(const Value& mask, const CountedLoop& loop) {
  const auto* frozen = llvm::dyn_cast<llvm::FreezeInst>(&mask);
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(frozen != nullptr ? frozen->getOperand(0) : &mask);
  if (compare == nullptr) return false;
  Value* one = compare->getOperand(0);
  Value* other = compare->getOperand(1);
  Predicate predicate = compare->getPredicate();
  if (counts_lanes(*other, loop)) {
    std::swap(one, other);
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  }
  const Value* limit = llvm::getSplatValue(other);
  return is_below(predicate) && counts_lanes(*one, loop) && limit != nullptr && loop.loop.isLoopInvariant(limit);
}

// Which successor of a branch is for no lane, where none is for any later on.
std::optional<unsigned> none_of_lanes(const llvm::ICmpInst& compare, const CountedLoop& loop) {
  const auto* bits = llvm::dyn_cast<llvm::BitCastInst>(compare.getOperand(0));
  const auto* none = llvm::dyn_cast<llvm::ConstantInt>(compare.getOperand(1));
  if (bits == nullptr || none == nullptr || !none->isZero() || !compare.isEquality() ||
      !bits->getOperand(0)->getType()->isIntOrIntVectorTy(1) || !ends_for_good(*bits->getOperand(0), loop))
    return std::nullopt;
  return compare.getPredicate() == llvm::CmpInst::ICMP_EQ ? 0 : 1;
}

// The same for a branch on the item's own number.
std::optional<unsigned> none_of_items(const llvm::ICmpInst& compare, const CountedLoop& loop) {
  Value* one = compare.getOperand(0);
  Value* other = compare.getOperand(1);
  Predicate predicate = compare.getPredicate();
  if (counts_items(*other, loop)) {
    std::swap(one, other);
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  }
  if (!counts_items(*one, loop) || !loop.loop.isLoopInvariant(other)) return std::nullopt;
  if (is_below(predicate)) return 1;
  return is_below(llvm::CmpInst::getInversePredicate(predicate)) ? std::optional<unsigned>(0) : std::nullopt;
}

bool does_nothing(const BasicBlock& block) {
  return llvm::none_of(block,
                       [](const Instruction& each) { return each.mayHaveSideEffects() || each.mayReadFromMemory(); });
}

/// Where a turn goes on from a block that finds no lane left: each turn the same way.
struct Way {
  BasicBlock* from = nullptr;
  BasicBlock* first = nullptr;
  llvm::SmallPtrSet<const BasicBlock*, 8> blocks;  // first, the latch, and all that may be in between
};

// Nothing where more is done than to end the turn.
std::optional<Way> way_without(BasicBlock& block, const CountedLoop& loop) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (branch == nullptr || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
    return std::nullopt;
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (compare == nullptr) return std::nullopt;
  std::optional<unsigned> none = none_of_lanes(*compare, loop);
  if (!none) none = none_of_items(*compare, loop);
  if (!none) return std::nullopt;
  Way way{&block, branch->getSuccessor(*none), {}};
  llvm::SmallVector<BasicBlock*, 8> open{way.first};
  while (!open.empty()) {
    BasicBlock* at = open.pop_back_val();
    if (!way.blocks.insert(at).second) continue;
    if (at == loop.loop.getHeader() || !loop.loop.contains(at) || !does_nothing(*at)) return std::nullopt;
    if (at == loop.latch) continue;
    const auto* on = llvm::dyn_cast<llvm::BranchInst>(at->getTerminator());
    if (on == nullptr || (on->isConditional() && !loop.loop.isLoopInvariant(on->getCondition()))) return std::nullopt;
    open.append(llvm::succ_begin(at), llvm::succ_end(at));
  }
  return way;
}

// Whether each turn that comes to `block` comes there the same way, and does nothing on it.
bool comes_as_before(BasicBlock& block, const CountedLoop& loop) {
  llvm::SmallPtrSet<BasicBlock*, 8> seen{&block};
  llvm::SmallVector<BasicBlock*, 8> open{&block};
  while (!open.empty()) {
    BasicBlock* at = open.pop_back_val();
    if (!does_nothing(*at)) return false;
    if (at == loop.loop.getHeader()) continue;
    for (BasicBlock* before : llvm::predecessors(at)) {
      if (!seen.insert(before).second) continue;
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
      if (branch == nullptr || (branch->isConditional() && !loop.loop.isLoopInvariant(branch->getCondition())))
        return false;
      open.push_back(before);
    }
  }
  return true;
}

/// What stays as it is after one turn that goes `way`, however many follow.
class Stays {
 public:
  Stays(const CountedLoop& loop, const Way& way) : loop_(loop), way_(way) {}

  bool all() const {
    for (const BasicBlock* block : loop_.loop.blocks())
      for (const Instruction& instruction : *block)
        for (const llvm::User* user : instruction.users())
          if (!loop_.loop.contains(llvm::cast<Instruction>(user)) && !handed_on(instruction)) return false;
    return true;
  }

 private:
  // What no turn changes, or a phi's value for the next turn, of that or of what it had in this one.
  bool handed_on(const Instruction& value) const {
    return settled(value, nullptr) || llvm::any_of(loop_.loop.getHeader()->phis(), [&](const llvm::PHINode& phi) {
             return phi.getIncomingValueForBlock(loop_.latch) == &value && settled(value, &phi);
           });
  }

  bool settled(const Value& value, const llvm::PHINode* phi, unsigned depth = 0) const {
    if (&value == phi || loop_.loop.isLoopInvariant(&value)) return true;
    if (depth > 8) return false;
    if (const auto* joint = llvm::dyn_cast<llvm::PHINode>(&value)) {
      if (!way_.blocks.contains(joint->getParent())) return false;
      for (unsigned at = 0; at < joint->getNumIncomingValues(); ++at) {
        const BasicBlock* before = joint->getIncomingBlock(at);
        const bool on_the_way = joint->getParent() == way_.first ? before == way_.from : way_.blocks.contains(before);
        if (on_the_way && !settled(*joint->getIncomingValue(at), phi, depth + 1)) return false;
      }
      return true;
    }
    const auto* choice = llvm::dyn_cast<llvm::SelectInst>(&value);
    return choice != nullptr && loop_.loop.isLoopInvariant(choice->getCondition()) &&
           settled(*choice->getTrueValue(), phi, depth + 1) && settled(*choice->getFalseValue(), phi, depth + 1);
  }

  const CountedLoop& loop_;
  const Way& way_;
};

bool end_early(const CountedLoop& loop) {
  // For each block behind a branch that no lane goes on from, where that is.
  llvm::SmallMapVector<BasicBlock*, llvm::SmallPtrSet<BasicBlock*, 2>, 2> last;
  for (BasicBlock* block : loop.loop.blocks()) {
    const std::optional<Way> way = way_without(*block, loop);
    if (way && comes_as_before(*block, loop) && Stays(loop, *way).all()) last[way->first].insert(block);
  }
  if (last.empty()) return false;
  llvm::IRBuilder<> builder(loop.loop.getLoopPreheader()->getTerminator());
  const auto is_far = [&](Value* place) {
    return builder.CreateICmpUGT(place, llvm::ConstantInt::get(place->getType(), kMaxItems), "far");
  };
  Value* far = is_far(loop.count);
  Value* begins_far = is_far(loop.start);
  if (!llvm::PatternMatch::match(begins_far, llvm::PatternMatch::m_Zero())) far = builder.CreateOr(far, begins_far);
  llvm::SSAUpdater more;
  more.Initialize(builder.getInt1Ty(), "more");
  more.AddAvailableValue(loop.loop.getHeader(), builder.getTrue());
  llvm::SmallVector<llvm::PHINode*, 2> joints;
  for (const auto& [block, from] : last) {
    builder.SetInsertPoint(block, block->begin());
    joints.push_back(builder.CreatePHI(builder.getInt1Ty(), 2, "more"));
    more.AddAvailableValue(block, joints.back());
  }
  for (llvm::PHINode* joint : joints)
    for (BasicBlock* before : llvm::predecessors(joint->getParent()))
      joint->addIncoming(last[joint->getParent()].contains(before) ? far : more.GetValueAtEndOfBlock(before), before);
  builder.SetInsertPoint(loop.end);
  Value* goes_on = more.GetValueAtEndOfBlock(loop.latch);
  Value* condition = loop.end->getCondition();
  loop.end->setCondition(loop.end->getSuccessor(0) == loop.loop.getHeader()
                             ? builder.CreateAnd(condition, goes_on)
                             : builder.CreateOr(condition, builder.CreateNot(goes_on)));
  return true;
}

}  // namespace

bool end_item_loops_early(llvm::Function& /*function*/, const llvm::LoopInfo& loops) {
  bool changed = false;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder())
    if (const std::optional<CountedLoop> found = counted_loop(*loop)) changed = end_early(*found) || changed;
  return changed;
}

}  // namespace skmd::codegen

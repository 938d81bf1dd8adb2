// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/groups/lane_groups.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/IteratedDominanceFrontier.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "cpu-driver/codegen/groups/groups_constants.h"
#include "cpu-driver/codegen/groups/interleaved_regions.h"
#include "cpu-driver/codegen/item/item.h"
#include "cpu-driver/codegen/item/simplify.h"
#include "cpu-driver/codegen/item/uniformity.h"
#include "cpu-driver/codegen/library/library.h"
#include "cpu-driver/codegen/masks/masks.h"
#include "cpu-driver/codegen/vector/widen.h"

namespace skmd::codegen {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;

// Whether `instruction` is one that other groups could see the order of.
bool is_ordered(const Instruction& instruction) {
  if (instruction.isAtomic() || instruction.isVolatile()) return true;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call != nullptr && !call->doesNotAccessMemory() && !llvm::isa<llvm::MemIntrinsic, llvm::AssumeInst>(call);
}

// Whether all items of all groups come to `block`, or none does.
bool is_common(BasicBlock& block, const GroupUniformity& uniformity, llvm::PostDominatorTree& ends) {
  llvm::SmallPtrSet<BasicBlock*, 1> here{&block};
  llvm::ReverseIDFCalculator deciders(ends);
  deciders.setDefiningBlocks(here);
  llvm::SmallVector<BasicBlock*, 8> blocks;
  deciders.calculate(blocks);
  return llvm::all_of(blocks,
                      [&](const BasicBlock* each) { return uniformity.is_uniform_branch(*each->getTerminator()); });
}

// Whether items of all groups go on to the same region with the same group values.
bool decides_alike(llvm::Function& region, unsigned arguments) {
  const GroupUniformity uniformity(region, arguments, Among::neighbouring_groups);
  llvm::PostDominatorTree ends(region);
  return llvm::all_of(llvm::instructions(region), [&](const Instruction& instruction) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    const auto* told = store == nullptr ? nullptr : llvm::dyn_cast<llvm::Argument>(store->getPointerOperand());
    if (told == nullptr || told->getArgNo() < arguments + kItemValues) return true;
    return uniformity.is_uniform(*store->getValueOperand()) &&
           is_common(const_cast<BasicBlock&>(*store->getParent()), uniformity, ends);
  });
}

llvm::BitVector reached_from(const Regions& regions, std::size_t start) {
  llvm::BitVector seen(static_cast<unsigned>(regions.regions.size()));
  llvm::SmallVector<std::size_t, 8> open{start};
  while (!open.empty())
    for (const unsigned next : regions.regions[open.pop_back_val()].next)
      if (next != kEnd && !seen.test(next)) {
        seen.set(next);
        open.push_back(next);
      }
  return seen;
}

/// Which regions run with groups as lanes.
class Choice {
 public:
  Choice(const Regions& regions, const llvm::BitVector& able) : regions_(regions), chosen_(able) {
    for (std::size_t k = 0; k < regions.regions.size(); ++k) reached_.push_back(reached_from(regions, k));
    keep_whole_loops();
    keep_neighbours();
  }

  [[nodiscard]] bool operator[](std::size_t region) const { return chosen_.test(static_cast<unsigned>(region)); }
  [[nodiscard]] bool in_loop(std::size_t region) const { return reached_[region].test(static_cast<unsigned>(region)); }

 private:
  // Each turn of a loop through one of each kind would transpose.
  void keep_whole_loops() {
    const llvm::BitVector able = chosen_;
    for (unsigned k = 0; k < able.size(); ++k)
      for (unsigned other = 0; other < able.size(); ++other)
        if (!able.test(other) && reached_[k].test(other) && reached_[other].test(k)) chosen_.reset(k);
  }

  // What runs once does so beside a loop.
  void keep_neighbours() {
    llvm::BitVector kept(chosen_.size());
    for (const unsigned k : chosen_.set_bits())
      if (in_loop(k)) kept.set(k);
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned k = 0; k < kept.size(); ++k) {
        for (const unsigned next : regions_.regions[k].next) {
          if (next == kEnd || kept.test(k) == kept.test(next)) continue;
          const unsigned open = kept.test(k) ? next : k;
          if (!chosen_.test(open)) continue;
          kept.set(open);
          changed = true;
        }
      }
    }
    chosen_ = kept;
  }

  const Regions& regions_;
  llvm::BitVector chosen_;
  std::vector<llvm::BitVector> reached_;
};

// Null: lanes cannot go through it together.
llvm::Function* vectors_of(llvm::Function& item, unsigned groups, Isa isa, llvm::FunctionAnalysisManager& analyses) {
  auto masked = make_masked(item, analyses);
  if (!masked) {
    drop_function(&item, analyses);
    return nullptr;
  }
  WidenOptions options;
  options.isa = isa;
  options.width = groups;
  options.vector_form = vector_form;
  auto vectors = widen(**masked, options, analyses);
  drop_function(*masked, analyses);
  return vectors ? *vectors : nullptr;
}

bool may_run_side_by_side(const Regions& regions, unsigned arguments) {
  if (regions.regions.size() < 2 || regions.item_bytes != 0) return false;
  return llvm::all_of(regions.regions, [&](const BarrierRegion& region) {
    return llvm::none_of(llvm::instructions(*region.function), is_ordered) &&
           decides_alike(*region.function, arguments);
  });
}

// Whether vectors of items suit the local memory of these regions badly.
bool pays(const GroupCode& code, const Choice& choice) {
  for (std::size_t k = 0; k < code.regions.size(); ++k)
    if (choice[k] && choice.in_loop(k) && code.regions[k].apart != 0) return true;
  return false;
}

}  // namespace

LaneGroups make_lane_groups(const Regions& regions, const GroupCode& code, unsigned arguments, Isa isa,
                            llvm::FunctionAnalysisManager& analyses, std::vector<std::string>& remarks) {
  LaneGroups made;
  if (code.padding < tuning::kFewestLanes || !may_run_side_by_side(regions, arguments)) return made;
  const auto count = static_cast<unsigned>(regions.regions.size());
  for (const unsigned element : {4u, 8u}) {
    llvm::BitVector able(count);
    for (unsigned k = 0; k < count; ++k)
      if (can_interleave(*regions.regions[k].function, arguments, element)) able.set(k);
    const Choice choice(regions, able);
    if (!pays(code, choice)) continue;
    made.element = element;
    made.lanes = lanes(isa) * 4 / element;
    made.regions.assign(count, nullptr);
    for (unsigned k = 0; k < count; ++k) {
      if (!choice[k]) continue;
      llvm::Function* interleaved =
          make_interleaved(*regions.regions[k].function, arguments, tuning::kGroupsAtOnce, element);
      made.regions[k] = vectors_of(*interleaved, tuning::kGroupsAtOnce, isa, analyses);
      if (made.regions[k] == nullptr) return drop_lane_groups(made, analyses), LaneGroups{};
    }
    made.groups = tuning::kGroupsAtOnce;
    for (unsigned k = 0; k < count; ++k)
      if (made.regions[k] != nullptr)
        remarks.push_back("region " + std::to_string(k) + ": " + std::to_string(tuning::kGroupsAtOnce) +
                          " groups as lanes");
    return made;
  }
  return made;
}

void drop_lane_groups(LaneGroups& lanes, llvm::FunctionAnalysisManager& analyses) {
  for (llvm::Function* region : lanes.regions) drop_function(region, analyses);
  lanes = {};
}

}  // namespace skmd::codegen

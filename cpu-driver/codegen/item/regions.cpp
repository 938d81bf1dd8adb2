// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/item/regions.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>

#include "cpu-driver/codegen/item/context.h"
#include "cpu-driver/codegen/item/item.h"
#include "cpu-driver/codegen/item/item_constants.h"
#include "cpu-driver/codegen/item/own_builtins.h"
#include "cpu-driver/codegen/item/uniformity.h"
#include "cpu-driver/codegen/item_function.h"

namespace skmd::codegen {

namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Value;

std::vector<Barrier> isolate_barriers(llvm::Function& item) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(item)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call != nullptr && call->getCalledFunction() != nullptr && call->getCalledFunction()->getName() == kBarrier)
      calls.push_back(call);
  }
  std::vector<Barrier> barriers;
  for (llvm::CallInst* call : calls) {
    BasicBlock* here = call->getParent();
    BasicBlock* own = here->splitBasicBlock(call, "barrier");
    BasicBlock* after = own->splitBasicBlock(call->getNextNode(), "again");
    BasicBlock* computed = after->splitBasicBlock(after->begin(), "computed");
    computed->splitBasicBlock(computed->begin(), "region");
    barriers.push_back({call, after, computed});
  }
  return barriers;
}

// Makes the regions. `mixed`: items may end in a region in which others go on.
class Cutter {
 public:
  Cutter(llvm::Function& item, unsigned arguments, std::vector<Barrier> barriers, std::vector<GroupValue> values,
         bool mixed, std::uint64_t live_offset, const ItemMemory& memory)
      : item_(item),
        arguments_(arguments),
        barriers_(std::move(barriers)),
        values_(std::move(values)),
        mixed_(mixed),
        live_offset_(live_offset),
        memory_(memory) {
    for (const Barrier& barrier : barriers_) barrier_blocks_.insert(barrier.call->getParent());
  }

  BarrierRegion make(unsigned number) {
    const Blocks blocks = reached_in(number);
    llvm::ValueToValueMapTy map;
    BarrierRegion region{declare(number, map), {}};
    copy(blocks, number, *region.function, map);
    std::vector<std::pair<llvm::CallInst*, unsigned>> ends;
    for (unsigned i = 0; i < barriers_.size(); ++i)
      if (blocks.contains(barriers_[i].call->getParent()))
        ends.emplace_back(llvm::cast<llvm::CallInst>(map[barriers_[i].call]), i + 1);
    finish(region, ends, number);
    give_group_values(*region.function);
    return region;
  }

 private:
  using Blocks = llvm::SmallPtrSet<const BasicBlock*, 32>;

  [[nodiscard]] const BasicBlock* start_of(unsigned number) const {
    return number == 0 ? &item_.getEntryBlock() : barriers_[number - 1].after;
  }

  // The region's blocks, with those of the barriers at which it ends.
  [[nodiscard]] Blocks reached_in(unsigned number) const {
    Blocks seen;
    llvm::SmallVector<const BasicBlock*, 32> work{start_of(number)};
    seen.insert(work.front());
    while (!work.empty()) {
      const BasicBlock* block = work.pop_back_val();
      if (barrier_blocks_.contains(block)) continue;
      for (const BasicBlock* next : llvm::successors(block))
        if (seen.insert(next).second) work.push_back(next);
    }
    return seen;
  }

  llvm::Function* declare(unsigned number, llvm::ValueToValueMapTy& map) {
    llvm::SmallVector<llvm::Type*, 48> types(item_.getFunctionType()->params());
    llvm::Type* pointer = llvm::PointerType::get(item_.getContext(), 0);
    types.push_back(pointer);
    for (const GroupValue& value : values_) types.push_back(value.type);
    types.append(values_.size(), pointer);
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(item_.getContext()), types, false);
    llvm::Function* made = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                                  item_.getName() + "." + llvm::Twine(number), *item_.getParent());
    for (llvm::Argument& argument : item_.args()) {
      map[&argument] = made->getArg(argument.getArgNo());
      made->getArg(argument.getArgNo())->setName(argument.getName());
    }
    llvm::CloneFunctionAttributesInto(made, &item_, map, false);
    made->getArg(next())->setName("next");
    return made;
  }

  // Copies what the region has: a kernel with many barriers is many times as large as a region.
  void copy(const Blocks& blocks, unsigned number, llvm::Function& made, llvm::ValueToValueMapTy& map) {
    BasicBlock* entry = number == 0 ? nullptr : BasicBlock::Create(made.getContext(), "entry", &made);
    llvm::SmallVector<BasicBlock*, 32> copies;
    for (const BasicBlock& block : item_) {
      if (!blocks.contains(&block)) continue;
      BasicBlock* own = llvm::CloneBasicBlock(&block, map, "", &made);
      map[&block] = own;
      if (barrier_blocks_.contains(&block)) {  // where this region's code ends
        own->getTerminator()->eraseFromParent();
        llvm::ReturnInst::Create(made.getContext(), own);
      }
      copies.push_back(own);
    }
    // Private variables that later regions use are in the item's memory, not in the entry (keep_variables()).
    if (entry != nullptr) llvm::BranchInst::Create(llvm::cast<BasicBlock>(map[start_of(number)]), entry);
    llvm::remapInstructionsInBlocks(copies, map);
    for (BasicBlock& block : item_)
      if (!blocks.contains(&block))
        for (const BasicBlock* reached : llvm::successors(&block))
          if (blocks.contains(reached)) leave_out(block, *llvm::cast<BasicBlock>(map[reached]));
  }

  // No item comes to `reached` from `other`, which is in no copy.
  static void leave_out(const BasicBlock& other, BasicBlock& reached) {
    for (llvm::PHINode& phi : llvm::make_early_inc_range(reached.phis())) {
      phi.removeIncomingValueIf([&](unsigned i) { return phi.getIncomingBlock(i) == &other; }, false);
      if (Value* value = phi.hasConstantValue()) {
        phi.replaceAllUsesWith(value);
        phi.eraseFromParent();
      }
    }
  }

  // Stores for each item the region in which it continues, and keeps items that have ended from continuing.
  void finish(BarrierRegion& region, llvm::ArrayRef<std::pair<llvm::CallInst*, unsigned>> ends, unsigned number) {
    for (const auto& [call, target] : ends) region.next.push_back(target);
    llvm::SmallVector<llvm::ReturnInst*, 8> returns;
    for (BasicBlock& block : *region.function)
      if (auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
          end != nullptr && llvm::none_of(ends, [&](const auto& other) { return other.first->getParent() == &block; }))
        returns.push_back(end);
    if (!returns.empty()) region.next.push_back(kEnd);
    for (const auto& [call, target] : ends) {
      IRBuilder<> ir(call);
      if (region.next.size() > 1) ir.CreateStore(ir.getInt32(target), region.function->getArg(next()));
      if (mixed_ && number == 0) ir.CreateStore(ir.getInt8(1), memory_.address(ir, live_offset_, 1));
      call->eraseFromParent();
    }
    if (!mixed_) return;
    for (llvm::ReturnInst* end : returns) {
      IRBuilder<> ir(end);
      ir.CreateStore(ir.getInt8(0), memory_.address(ir, live_offset_, 1));
    }
    if (number != 0) skip_ended(*region.function);
  }

  void skip_ended(llvm::Function& made) {
    BasicBlock* entry = &made.getEntryBlock();
    llvm::Instruction* first = entry->getTerminator();
    BasicBlock* rest = entry->splitBasicBlock(first, "alive");
    auto* ended = BasicBlock::Create(made.getContext(), "ended", &made);
    IRBuilder<>(ended).CreateRetVoid();
    entry->getTerminator()->eraseFromParent();
    IRBuilder<> ir(entry);
    Value* live = ir.CreateLoad(ir.getInt8Ty(), memory_.address(ir, live_offset_, 1));
    ir.CreateCondBr(ir.CreateICmpNE(live, ir.getInt8(0)), rest, ended);
  }

  void give_group_values(llvm::Function& made) {
    for (unsigned i = 0; i < values_.size(); ++i) {
      llvm::Argument* in = made.getArg(next() + 1 + i);
      llvm::Argument* out = made.getArg(next() + 1 + static_cast<unsigned>(values_.size()) + i);
      in->setName("in");
      out->setName("out");
      llvm::SmallVector<llvm::CallInst*, 4> outs;
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(made))) {
        auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        if (call == nullptr) continue;
        if (call->getCalledFunction() == values_[i].in) {
          call->replaceAllUsesWith(in);
          call->eraseFromParent();
        } else if (call->getCalledFunction() == values_[i].out) {
          outs.push_back(call);
        }
      }
      for (llvm::CallInst* call : outs) give_out(*call, *in, *out);
    }
  }

  // `out` has the value already that a region only hands on. To store it again, vectors of items would choose between
  // it and itself, by their masks.
  static void give_out(llvm::CallInst& call, const llvm::Argument& in, llvm::Argument& out) {
    llvm::SmallPtrSet<const Value*, 1> unchanged;
    unchanged.insert(&in);
    Value* value = call.getArgOperand(0);
    if (!is_one_of(unchanged, value)) IRBuilder<>(&call).CreateStore(value, &out);
    call.eraseFromParent();
  }

  [[nodiscard]] unsigned next() const { return arguments_ + kItemValues; }

  llvm::Function& item_;
  unsigned arguments_;
  std::vector<Barrier> barriers_;
  Blocks barrier_blocks_;
  std::vector<GroupValue> values_;
  bool mixed_;
  std::uint64_t live_offset_;
  const ItemMemory& memory_;
};

// A variable without a value is given one. UniformityInfo takes a phi of one value and undefined ones for that value in
// all items, also where items come by different ways; the group would then keep what the last of them had.
void define_phis(llvm::Function& item) {
  for (BasicBlock& block : item)
    for (llvm::PHINode& phi : block.phis())
      for (llvm::Use& value : phi.incoming_values())
        if (llvm::isa<llvm::UndefValue>(value)) value.set(llvm::Constant::getNullValue(phi.getType()));
}

// What a loop leaves behind of a value that ids and arguments give is that value, which is computed again behind
// barriers; a phi would be kept in the item's memory.
void drop_copies(llvm::Function& item) {
  for (BasicBlock& block : item)
    for (llvm::PHINode& phi : llvm::make_early_inc_range(block.phis())) {
      Value* value = phi.hasConstantValue();
      if (value == nullptr || !is_computed_again(*value)) continue;
      phi.replaceAllUsesWith(value);
      phi.eraseFromParent();
    }
}

// The blocks from which one of `targets` is reached without crossing a barrier.
llvm::SmallPtrSet<const BasicBlock*, 32> before(llvm::ArrayRef<const BasicBlock*> targets,
                                                const llvm::SmallPtrSetImpl<const BasicBlock*>& barriers) {
  llvm::SmallPtrSet<const BasicBlock*, 32> seen(llvm::from_range, targets);
  llvm::SmallVector<const BasicBlock*, 32> work(targets);
  while (!work.empty())
    for (const BasicBlock* block : llvm::predecessors(work.pop_back_val()))
      if (!barriers.contains(block) && seen.insert(block).second) work.push_back(block);
  return seen;
}

// Whether items may end where others of the group come to a barrier: whether they part before.
bool ends_are_mixed(llvm::Function& item, llvm::ArrayRef<Barrier> barriers, const GroupUniformity& uniformity) {
  llvm::SmallVector<const BasicBlock*, 8> ends;
  llvm::SmallVector<const BasicBlock*, 8> cuts;
  for (const BasicBlock& block : item)
    if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) ends.push_back(&block);
  for (const Barrier& barrier : barriers) cuts.push_back(barrier.call->getParent());
  const llvm::SmallPtrSet<const BasicBlock*, 8> crossed(llvm::from_range, cuts);
  const auto to_ends = before(ends, crossed);
  const auto to_barriers = before(cuts, crossed);
  return llvm::any_of(item, [&](const BasicBlock& block) {
    return to_ends.contains(&block) && to_barriers.contains(&block) &&
           !uniformity.is_uniform_branch(*block.getTerminator());
  });
}

}  // namespace

domain::Result<Regions> cut_at_barriers(llvm::Function& item, unsigned arguments,
                                        llvm::FunctionAnalysisManager& analyses) {
  std::vector<Barrier> barriers = isolate_barriers(item);
  if (barriers.size() > tuning::kMaxBarriers) return domain::Error{0, "it has too many barriers"};
  if (!barriers.empty()) {
    define_phis(item);
    drop_copies(item);
  }
  analyses.invalidate(item, llvm::PreservedAnalyses::none());
  // Of the code as it is now: what is added from here on is not asked about.
  const GroupUniformity uniformity(item, arguments);
  const bool mixed = !barriers.empty() && ends_are_mixed(item, barriers, uniformity);
  ItemMemory memory(arguments);
  const Reach reach = reach_of(item, barriers);
  if (domain::Status status = keep_variables(item, barriers, reach, memory); !status) return status.error();
  auto values = keep_values(item, barriers, memory, uniformity);
  if (!values) return values.error();
  const std::uint64_t live = mixed ? memory.reserve(1, llvm::Align(1)) : 0;
  Regions regions;
  for (const GroupValue& value : *values) regions.group_values.push_back(value.type);
  const auto count = static_cast<unsigned>(barriers.size()) + 1;
  Cutter cutter(item, arguments, std::move(barriers), *values, mixed, live, memory);
  for (unsigned k = 0; k < count; ++k) regions.regions.push_back(cutter.make(k));
  regions.item_bytes = memory.bytes();
  analyses.clear(item, item.getName());
  item.eraseFromParent();
  for (const GroupValue& value : *values) {
    value.in->eraseFromParent();
    value.out->eraseFromParent();
  }
  return regions;
}

}  // namespace skmd::codegen

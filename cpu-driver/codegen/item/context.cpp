// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/item/context.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

#include "cpu-driver/codegen/item/item.h"
#include "cpu-driver/codegen/item/item_constants.h"
#include "cpu-driver/codegen/vector/lane_code.h"

namespace skmd::codegen {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

bool is_cheap(const Instruction& instruction) {
  return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::CmpInst, llvm::SelectInst, llvm::GetElementPtrInst>(
      instruction);
}

// Counts down what may still be computed. Loads are never computed again: another item may have written meanwhile.
bool is_recomputable(const Value& value, unsigned& budget) {
  const auto* instruction = llvm::dyn_cast<Instruction>(&value);
  if (instruction == nullptr) return llvm::isa<llvm::Argument, llvm::Constant>(value);
  if (budget == 0 || !is_cheap(*instruction)) return false;
  --budget;
  return llvm::all_of(instruction->operands(), [&](const llvm::Use& use) { return is_recomputable(*use, budget); });
}

/// Values of the group that others are computed from.
using Leaves = llvm::SmallSetVector<Instruction*, 4>;

// Likewise, also of what the group keeps once. Where a value lives, what it was computed from is as it was: else there
// would be a way past the value's definition to its use.
bool is_recomputable(Value& value, const GroupUniformity& uniformity, unsigned& budget, Leaves& leaves) {
  unsigned alone = budget;
  if (is_recomputable(value, alone)) {
    budget = alone;
    return true;
  }
  auto* instruction = llvm::dyn_cast<Instruction>(&value);
  if (instruction == nullptr || llvm::isa<llvm::AllocaInst>(instruction) || budget == 0) return false;
  if (uniformity.is_uniform(*instruction)) {
    leaves.insert(instruction);
    return !instruction->getType()->isTokenTy() && leaves.size() <= tuning::kMaxLeaves;
  }
  if (!is_cheap(*instruction)) return false;
  --budget;
  return llvm::all_of(instruction->operands(),
                      [&](llvm::Use& use) { return is_recomputable(*use, uniformity, budget, leaves); });
}

Value* recompute(Value& value, IRBuilder<>& ir, llvm::DenseMap<const Value*, Value*>& done) {
  auto* instruction = llvm::dyn_cast<Instruction>(&value);
  if (instruction == nullptr) return &value;
  Value*& copy = done[instruction];
  if (copy != nullptr) return copy;
  Instruction* clone = instruction->clone();
  for (llvm::Use& use : clone->operands()) use.set(recompute(*use, ir, done));
  ir.Insert(clone, instruction->getName());
  return done[instruction] = clone;
}

// The blocks at whose beginning `value` is still wanted.
llvm::SmallPtrSet<BasicBlock*, 16> live_in(Instruction& value) {
  llvm::SmallPtrSet<BasicBlock*, 16> blocks;
  llvm::SmallVector<BasicBlock*, 16> work;
  const auto want = [&](BasicBlock* block) {
    if (block != value.getParent() && blocks.insert(block).second) work.push_back(block);
  };
  for (const llvm::Use& use : value.uses()) {
    auto* user = llvm::cast<Instruction>(use.getUser());
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) {
      want(phi->getIncomingBlock(use));
    } else {
      want(user->getParent());
    }
  }
  while (!work.empty())
    for (BasicBlock* before : llvm::predecessors(work.pop_back_val())) want(before);
  return blocks;
}

class Keeper {
 public:
  Keeper(llvm::Function& item, llvm::ArrayRef<Barrier> barriers, ItemMemory& memory, const GroupUniformity& uniformity)
      : item_(item), barriers_(barriers), memory_(memory), uniformity_(uniformity) {}

  domain::Result<std::vector<GroupValue>> run() {
    std::vector<Instruction*> values;
    for (Instruction& instruction : llvm::instructions(item_))
      if (!instruction.getType()->isVoidTy() && !llvm::isa<llvm::AllocaInst>(instruction))
        values.push_back(&instruction);
    // All decisions before any change: uniformity is that of the code as it was.
    std::vector<Decision> decisions;
    for (Instruction* value : values) {
      const auto blocks = live_in(*value);
      Decision decision{value, {}, uniformity_.is_uniform(*value)};
      for (const Barrier& barrier : barriers_)
        if (blocks.contains(barrier.call->getParent())) decision.across.insert(&barrier);
      if (!decision.across.empty()) decisions.push_back(std::move(decision));
    }
    decide_what_is_recomputed(decisions);
    // What is computed again first, since it needs others then; large ones next: then each is aligned by what stands
    // before it.
    const llvm::DataLayout& layout = item_.getDataLayout();
    llvm::stable_sort(decisions, [&](const Decision& a, const Decision& b) {
      if (a.recomputed != b.recomputed) return a.recomputed;
      return layout.getTypeStoreSize(a.value->getType()) > layout.getTypeStoreSize(b.value->getType());
    });
    for (Decision& decision : decisions)
      if (decision.recomputed) recompute_behind(decision);
    for (const Decision& decision : decisions)
      if (domain::Status status = keep(decision); !status) return status.error();
    return std::move(group_values_);
  }

 private:
  struct Decision {
    Instruction* value;
    llvm::SmallSetVector<const Barrier*, 4> across;
    bool uniform;
    bool recomputed = false;
    Leaves leaves{};
    llvm::SmallVector<Value*, 4> copies{};  // for each of the barriers
  };

  // Of all values before any is replaced: what they are computed from is as it was decided.
  static void recompute_behind(Decision& decision) {
    for (const Barrier* barrier : decision.across) {
      IRBuilder<> ir(&*barrier->computed->getFirstInsertionPt());
      llvm::DenseMap<const Value*, Value*> done;
      for (Instruction* leaf : decision.leaves) done[leaf] = leaf;
      decision.copies.push_back(recompute(*decision.value, ir, done));
    }
  }

  void decide_what_is_recomputed(std::vector<Decision>& decisions) const {
    llvm::MapVector<Instruction*, llvm::SmallSetVector<const Barrier*, 4>> wanted;
    for (Decision& decision : decisions) {
      decision.recomputed = is_computed_again(*decision.value);
      if (decision.recomputed || decision.uniform) continue;
      unsigned budget = tuning::kMaxRecomputed;
      decision.recomputed = is_recomputable(*decision.value, uniformity_, budget, decision.leaves);
      if (!decision.recomputed) decision.leaves.clear();
      for (Instruction* leaf : decision.leaves) wanted[leaf].insert_range(decision.across);
    }
    // The group keeps them, also what could be computed again: only that is there where others are computed.
    for (auto& [leaf, across] : wanted) {
      const auto found =
          llvm::find_if(decisions, [&, kept = leaf](const Decision& decision) { return decision.value == kept; });
      if (found == decisions.end()) {
        decisions.push_back({leaf, across, true});
        continue;
      }
      found->across.insert_range(across);
      found->recomputed = false;
    }
  }

  domain::Status keep(const Decision& decision) {
    Instruction& value = *decision.value;
    const llvm::ArrayRef<const Barrier*> across = decision.across.getArrayRef();
    llvm::SSAUpdater updater;
    updater.Initialize(value.getType(), value.getName());
    updater.AddAvailableValue(value.getParent(), &value);
    llvm::SmallVector<llvm::Use*, 8> uses;
    for (llvm::Use& use : value.uses()) {
      const auto* user = llvm::cast<Instruction>(use.getUser());
      if (user->getParent() != value.getParent() || llvm::isa<llvm::PHINode>(user)) uses.push_back(&use);
    }
    if (decision.recomputed) {
      for (std::size_t at = 0; at < across.size(); ++at)
        updater.AddAvailableValue(across[at]->computed, decision.copies[at]);
    } else if (value.getType()->isTokenTy() || llvm::isa<llvm::TargetExtType>(value.getType())) {
      return domain::Error{0, "a value that cannot be kept lives across a barrier"};
    } else {
      const Place place = decision.uniform ? group_place(value) : item_place(value);
      for (const Barrier* barrier : across) store_and_load(value, place, *barrier, uses, updater);
    }
    for (llvm::Use* use : uses) updater.RewriteUse(*use);
    drop_idle_stores();
    return {};
  }

  struct Place {
    bool uniform = false;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    llvm::Type* stored = nullptr;
  };

  Place group_place(const Instruction& value) {
    llvm::Module& module = *item_.getParent();
    llvm::Type* type = value.getType();
    GroupValue made;
    made.type = type;
    made.in = llvm::Function::Create(llvm::FunctionType::get(type, false), llvm::GlobalValue::InternalLinkage,
                                     "skmd.group.in", module);
    made.out =
        llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), {type}, false),
                               llvm::GlobalValue::InternalLinkage, "skmd.group.out", module);
    made.in->setLinkage(llvm::GlobalValue::ExternalLinkage);
    made.out->setLinkage(llvm::GlobalValue::ExternalLinkage);
    group_values_.push_back(made);
    return {true, 0, 0, type};
  }

  Place item_place(const Instruction& value) {
    const llvm::DataLayout& layout = item_.getDataLayout();
    llvm::Type* type = stored_type(value.getType());
    const std::uint64_t size = layout.getTypeAllocSize(type);
    return {false, memory_.reserve(size, layout.getABITypeAlign(type)), size, type};
  }

  // What was only taken up since the last barrier is where it was kept.
  void drop_idle_stores() {
    for (Instruction* store : stores_) {
      Value* kept = store->getOperand(0);
      auto* widened = llvm::dyn_cast<llvm::ZExtInst>(kept);
      if (!is_one_of(taken_, widened != nullptr ? widened->getOperand(0) : kept)) continue;
      store->eraseFromParent();
      if (widened != nullptr && widened->use_empty()) widened->eraseFromParent();
    }
    stores_.clear();
    taken_.clear();
  }

  void store_and_load(Instruction& value, const Place& place, const Barrier& barrier,
                      llvm::SmallVectorImpl<llvm::Use*>& uses, llvm::SSAUpdater& updater) {
    IRBuilder<> before(barrier.call);
    IRBuilder<> after(&*barrier.after->getFirstInsertionPt());
    if (place.uniform) {
      const GroupValue& group = group_values_.back();
      llvm::CallInst* out = before.CreateCall(group.out, {&value});
      uses.push_back(&out->getArgOperandUse(0));
      llvm::CallInst* in = after.CreateCall(group.in, {});
      updater.AddAvailableValue(barrier.after, in);
      stores_.push_back(out);
      taken_.insert(in);
      return;
    }
    const llvm::Align align = item_.getDataLayout().getABITypeAlign(place.stored);
    Value* kept = &value;
    if (place.stored != value.getType()) {
      kept = before.CreateZExt(&value, place.stored);
      uses.push_back(&llvm::cast<Instruction>(kept)->getOperandUse(0));
    }
    Value* to = memory_.address(before, place.offset, place.size);
    llvm::StoreInst* store = before.CreateAlignedStore(kept, to, align);
    if (kept == &value) uses.push_back(&store->getOperandUse(0));
    Value* from = memory_.address(after, place.offset, place.size);
    Value* taken = after.CreateAlignedLoad(place.stored, from, align);
    if (place.stored != value.getType()) taken = after.CreateTrunc(taken, value.getType());
    updater.AddAvailableValue(barrier.after, taken);
    stores_.push_back(store);
    taken_.insert(taken);
  }

  llvm::Function& item_;
  llvm::ArrayRef<Barrier> barriers_;
  ItemMemory& memory_;
  const GroupUniformity& uniformity_;
  std::vector<GroupValue> group_values_;
  // Of the value that is being kept.
  llvm::SmallVector<Instruction*, 4> stores_;
  llvm::SmallPtrSet<const Value*, 4> taken_;
};

}  // namespace

std::uint64_t ItemMemory::reserve(std::uint64_t size, llvm::Align align) {
  const std::uint64_t offset = llvm::alignTo(bytes_, align);
  bytes_ = offset + size;
  return offset;
}

Value* ItemMemory::address(IRBuilder<>& ir, std::uint64_t offset, std::uint64_t size) const {
  llvm::Function& function = *ir.GetInsertBlock()->getParent();
  const auto value = [&](unsigned index) { return item_value(function, arguments_, index); };
  Value* start = ir.CreateMul(value(kPaddedItems), ir.getInt64(offset), "", true, true);
  Value* index = ir.CreateAdd(value(kRow), value(kLocalId), "", true, true);
  Value* array = ir.CreateInBoundsPtrAdd(value(kItems), start);
  return ir.CreateInBoundsPtrAdd(array, ir.CreateMul(index, ir.getInt64(size), "", true, true));
}

Reach reach_of(llvm::Function& item, llvm::ArrayRef<Barrier> barriers) {
  Reach reach;
  for (BasicBlock& block : item) reach.index[&block] = static_cast<unsigned>(reach.index.size());
  llvm::SmallPtrSet<const BasicBlock*, 8> cuts;
  for (const Barrier& barrier : barriers) cuts.insert(barrier.call->getParent());
  const auto walk = [&](BasicBlock* start) {
    std::vector<bool> seen(reach.index.size(), false);
    llvm::SmallVector<BasicBlock*, 16> work{start};
    while (!work.empty()) {
      BasicBlock* block = work.pop_back_val();
      if (seen[reach.index[block]]) continue;
      seen[reach.index[block]] = true;
      if (!cuts.contains(block)) work.append(llvm::succ_begin(block), llvm::succ_end(block));
    }
    reach.from.push_back(std::move(seen));
  };
  walk(&item.getEntryBlock());
  for (const Barrier& barrier : barriers) walk(barrier.after);
  return reach;
}

bool is_one_of(const llvm::SmallPtrSetImpl<const Value*>& values, const Value* value) {
  llvm::SmallSetVector<const Value*, 8> met;
  met.insert(value);
  for (std::size_t at = 0; at < met.size(); ++at) {
    if (values.contains(met[at])) continue;
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(met[at]);
    if (phi == nullptr) return false;
    for (const llvm::Use& use : phi->incoming_values()) met.insert(use.get());
  }
  return true;
}

bool is_computed_again(const Value& value) {
  unsigned budget = tuning::kMaxRecomputed;
  return is_recomputable(value, budget);
}

domain::Result<std::vector<GroupValue>> keep_values(llvm::Function& item, llvm::ArrayRef<Barrier> barriers,
                                                    ItemMemory& memory, const GroupUniformity& uniformity) {
  if (barriers.empty()) return std::vector<GroupValue>{};
  return Keeper(item, barriers, memory, uniformity).run();
}

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/loops/rows.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>

#include "compiler/ir/address_spaces.h"
#include "cpu-driver/codegen/item/item.h"
#include "cpu-driver/codegen/loops/loops_constants.h"
#include "cpu-driver/codegen/loops/unswitch.h"
#include "cpu-driver/codegen/vector/lane_code.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;

using Values = llvm::SmallPtrSet<const Value*, 32>;

/// A parameter, and what is added to it from one copy to the next. Copies are rows, or vectors of a row.
struct Step {
  llvm::Argument* parameter;
  std::uint64_t size;
};
using Steps = llvm::ArrayRef<Step>;

bool is_plain(const Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return store->isSimple();
  if (instruction.isLifetimeStartOrEnd()) return true;
  if (const auto* lanes = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      lanes != nullptr && (lanes->getIntrinsicID() == llvm::Intrinsic::masked_gather ||
                           lanes->getIntrinsicID() == llvm::Intrinsic::masked_scatter))
    return true;
  if (llvm::isa<llvm::CallBase>(instruction))
    return llvm::isa<llvm::IntrinsicInst>(instruction) && !instruction.mayReadOrWriteMemory() &&
           !instruction.mayHaveSideEffects();
  if (instruction.isTerminator()) return llvm::isa<llvm::BranchInst, llvm::ReturnInst>(instruction);
  return !instruction.mayReadOrWriteMemory();
}

// What differs from copy to copy, or may: also all loads, and instructions with an effect on memory.
Values differing_values(llvm::Function& full, Steps steps) {
  Values found;
  for (const Step& step : steps) found.insert(step.parameter);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction& instruction : llvm::instructions(full)) {
      if (instruction.isTerminator()) continue;
      const bool differs =
          instruction.mayReadOrWriteMemory() || llvm::isa<llvm::AllocaInst>(instruction) ||
          llvm::any_of(instruction.operands(), [&](const llvm::Use& use) { return found.contains(use.get()); });
      changed = (differs && found.insert(&instruction).second) || changed;
    }
  }
  return found;
}

// The most registers of vectors that a loop's iterations hand on.
unsigned carried_registers(llvm::Function& full, Isa isa) {
  const unsigned bits = 32 * lanes(isa);
  const llvm::DominatorTree dominators(full);
  unsigned most = 0;
  for (llvm::BasicBlock& block : full) {
    const bool loops = llvm::any_of(llvm::predecessors(&block), [&](const llvm::BasicBlock* before) {
      return dominators.dominates(&block, before);
    });
    if (!loops) continue;
    std::uint64_t count = 0;
    for (const llvm::PHINode& phi : block.phis())
      if (phi.getType()->isVectorTy())
        count += llvm::divideCeil(full.getDataLayout().getTypeSizeInBits(phi.getType()).getFixedValue(), bits);
    most = std::max(most, static_cast<unsigned>(count));
  }
  return most;
}

class Copier {
 public:
  Copier(llvm::Function& made, const Values& differing, unsigned copies)
      : made_(made), differing_(differing), copies_(copies) {
    maps_.resize(copies);
  }

  void give(const Step& step) {
    llvm::BasicBlock& entry = made_.getEntryBlock();
    llvm::IRBuilder<> ir(&entry, entry.begin());
    for (unsigned copy = 1; copy < copies_; ++copy)
      maps_[copy][step.parameter] = ir.CreateAdd(step.parameter, ir.getInt64(copy * step.size), "", true, true);
  }

  // Copies follow the original at once, so that nothing of theirs comes before what they need.
  void run() {
    llvm::SmallVector<Instruction*, 64> originals;
    for (Instruction& instruction : llvm::instructions(made_))
      if (differing_.contains(&instruction)) originals.push_back(&instruction);
    for (Instruction* original : originals) {
      Instruction* last = original;
      for (unsigned copy = 1; copy < copies_; ++copy) {
        Instruction* made = original->clone();
        made->insertAfter(last->getIterator());
        maps_[copy][original] = made;
        last = made;
      }
    }
    for (Instruction* original : originals)
      for (unsigned copy = 1; copy < copies_; ++copy)
        for (llvm::Use& use : llvm::cast<Instruction>(maps_[copy][original])->operands())
          if (Value* own = maps_[copy].lookup(use.get())) use.set(own);
    for (llvm::BasicBlock& block : made_) take_for_all(block);
  }

 private:
  // A shortcut that all of them may take.
  void take_for_all(llvm::BasicBlock& block) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (branch == nullptr || !branch->isConditional()) return;
    Value* own = branch->getCondition();
    llvm::IRBuilder<> ir(branch);
    for (unsigned copy = 1; copy < copies_; ++copy)
      if (Value* other = maps_[copy].lookup(own)) branch->setCondition(ir.CreateAnd(branch->getCondition(), other));
  }

  llvm::Function& made_;
  const Values& differing_;
  unsigned copies_;
  llvm::SmallVector<llvm::DenseMap<const Value*, Value*>, tuning::kMaxCopies> maps_;
};

bool is_gather(const Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::masked_gather;
}

// A loop of vectors that are read from global memory, and nothing else in memory; or lanes that are gathered there,
// where items turn out to be no neighbours, as long as that can be asked before the loop.
bool streams(const llvm::Loop& loop) {
  bool reads = false;
  unsigned gathers = 0;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block) {
      if (is_gather(instruction)) ++gathers;
      if (!instruction.mayReadOrWriteMemory() || is_gather(instruction)) continue;
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load == nullptr || !load->isSimple() || !load->getType()->isVectorTy()) return false;
      const unsigned space = load->getPointerAddressSpace();
      if (space != kGlobalSpace && space != kConstantSpace) return false;
      reads = true;
    }
  return reads && gathers <= tuning::kMaxSettledShortcuts;
}

// How many vectors fill the cache line of which a loop writes one in each turn. Turns of an item are taken to write
// places far from each other, since those of its neighbours lie between: until the next vector's turn the lines have
// left the caches.
unsigned vectors_of_line(llvm::Function& full) {
  const llvm::DominatorTree dominators(full);
  const llvm::LoopInfo loops(dominators);
  std::uint64_t least = tuning::kLine;
  for (const Instruction& instruction : llvm::instructions(full)) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (store == nullptr || !store->getValueOperand()->getType()->isVectorTy() ||
        store->getPointerAddressSpace() != kGlobalSpace || loops.getLoopFor(store->getParent()) == nullptr)
      continue;
    const llvm::TypeSize bytes = full.getDataLayout().getTypeStoreSize(store->getValueOperand()->getType());
    least = std::min(least, llvm::PowerOf2Ceil(bytes.getFixedValue()));
  }
  return std::min(static_cast<unsigned>(tuning::kLine / least), tuning::kMaxCopies);
}

// The most copies, of `most` or fewer, that fit.
unsigned copies_at_once(llvm::Function& full, Steps steps, Isa isa, unsigned most) {
  const unsigned carried = carried_registers(full, isa);
  const Values differing = differing_values(full, steps);
  for (Instruction& instruction : llvm::instructions(full)) {
    if (!is_plain(instruction)) return 1;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction);
    if (branch != nullptr && branch->isConditional() && differing.contains(branch->getCondition()) &&
        !is_shortcut(*branch))
      return 1;
  }
  // The other half is for what is read and computed.
  const unsigned registers = (isa >= Isa::avx512 ? 32 : 16) / 2;
  const std::uint64_t variables = variables_of(full);
  for (unsigned copies = most; copies > 1; copies /= 2)
    if (carried * copies <= registers &&
        full.getInstructionCount() * copies <=
            (copies > tuning::kMaxCopies ? tuning::kMaxStreamedInstructions : tuning::kMaxCopiedInstructions) &&
        variables * copies <= tuning::kMaxCopiedVariables)
      return copies;
  return 1;
}

using StepsOf = llvm::function_ref<llvm::SmallVector<Step, 2>(llvm::Function&)>;

llvm::Function* make_copies(llvm::Function& full, const llvm::Twine& name, unsigned copies, StepsOf steps_of) {
  llvm::ValueToValueMapTy map;
  llvm::Function* made = llvm::CloneFunction(&full, map);
  made->setName(name);
  const llvm::SmallVector<Step, 2> steps = steps_of(*made);
  const Values differing = differing_values(*made, steps);
  Copier copier(*made, differing, copies);
  for (const Step& step : steps) copier.give(step);
  copier.run();
  return made;
}

llvm::SmallVector<Step, 2> row_steps(llvm::Function& full, unsigned arguments, std::uint64_t row_items) {
  return {{item_value(full, arguments, kLocalId + 1), 1}, {item_value(full, arguments, kRow), row_items}};
}

llvm::SmallVector<Step, 2> vector_steps(llvm::Function& full, unsigned arguments, unsigned width) {
  return {{item_value(full, arguments, kLocalId), width}};
}

}  // namespace

bool only_streams(llvm::Function& full) {
  const llvm::DominatorTree dominators(full);
  const llvm::LoopInfo loops(dominators);
  const auto all = loops.getLoopsInPreorder();
  return !all.empty() && llvm::all_of(all, [](const llvm::Loop* loop) { return streams(*loop); });
}

unsigned rows_at_once(llvm::Function& full, unsigned arguments, Isa isa) {
  if (carried_registers(full, isa) == 0) return 1;
  return copies_at_once(full, row_steps(full, arguments, 0), isa, tuning::kMaxCopies);
}

llvm::Function* make_rows(llvm::Function& full, unsigned arguments, unsigned rows, std::uint64_t row_items) {
  return make_copies(full, full.getName() + ".rows" + llvm::Twine(rows), rows,
                     [&](llvm::Function& made) { return row_steps(made, arguments, row_items); });
}

llvm::SmallVector<unsigned, 2> vectors_at_once(llvm::Function& full, unsigned arguments, Isa isa) {
  const auto steps = vector_steps(full, arguments, 0);
  llvm::SmallVector<unsigned, 2> counts;
  const bool carries = carried_registers(full, isa) != 0;
  if (carries && isa >= Isa::avx512 && only_streams(full) &&
      copies_at_once(full, steps, isa, tuning::kStreamedVectors) == tuning::kStreamedVectors)
    counts.push_back(tuning::kStreamedVectors);
  const unsigned most = carries ? tuning::kMaxCopies : vectors_of_line(full);
  if (const unsigned count = copies_at_once(full, steps, isa, most); count > 1) counts.push_back(count);
  return counts;
}

llvm::Function* make_vectors_of_row(llvm::Function& full, unsigned arguments, unsigned vectors, unsigned width) {
  return make_copies(full, full.getName() + ".vectors" + llvm::Twine(vectors), vectors,
                     [&](llvm::Function& made) { return vector_steps(made, arguments, width); });
}

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/pipeline/rows.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>

#include "cpu-driver/codegen/pipeline/item.h"

namespace skmd::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;

using Values = llvm::SmallPtrSet<const Value*, 32>;

constexpr unsigned kMostRows = 4;
constexpr unsigned kMostInstructions = 400;  // of all rows

bool is_plain(const Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return store->isSimple();
  if (instruction.isLifetimeStartOrEnd()) return true;
  if (llvm::isa<llvm::CallBase>(instruction))
    return llvm::isa<llvm::IntrinsicInst>(instruction) && !instruction.mayReadOrWriteMemory() &&
           !instruction.mayHaveSideEffects();
  if (instruction.isTerminator()) return llvm::isa<llvm::BranchInst, llvm::ReturnInst>(instruction);
  return !instruction.mayReadOrWriteMemory();
}

// What differs from row to row, or may: also whatever comes from memory or has an effect there.
Values of_rows(llvm::Function& full, unsigned arguments) {
  Values found;
  for (const unsigned value : {kLocalId + 1, static_cast<unsigned>(kRow)})
    found.insert(item_value(full, arguments, value));
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

// The most vectors that a loop's iterations hand on.
unsigned carried_vectors(llvm::Function& full) {
  const llvm::DominatorTree dominators(full);
  unsigned most = 0;
  for (llvm::BasicBlock& block : full) {
    const bool loops = llvm::any_of(llvm::predecessors(&block), [&](const llvm::BasicBlock* before) {
      return dominators.dominates(&block, before);
    });
    if (!loops) continue;
    const auto count =
        llvm::count_if(block.phis(), [](const llvm::PHINode& phi) { return phi.getType()->isVectorTy(); });
    most = std::max(most, static_cast<unsigned>(count));
  }
  return most;
}

class Copier {
 public:
  Copier(llvm::Function& made, const Values& differing, unsigned rows)
      : made_(made), differing_(differing), rows_(rows) {
    maps_.resize(rows);
  }

  void give(Value* argument, std::uint64_t step) {
    llvm::BasicBlock& entry = made_.getEntryBlock();
    llvm::IRBuilder<> ir(&entry, entry.begin());
    for (unsigned row = 1; row < rows_; ++row)
      maps_[row][argument] = ir.CreateAdd(argument, ir.getInt64(row * step), "", true, true);
  }

  // Copies follow the original at once, so that nothing of theirs comes before what they need.
  void run() {
    llvm::SmallVector<Instruction*, 64> originals;
    for (Instruction& instruction : llvm::instructions(made_))
      if (differing_.contains(&instruction)) originals.push_back(&instruction);
    for (Instruction* original : originals) {
      Instruction* last = original;
      for (unsigned row = 1; row < rows_; ++row) {
        Instruction* copy = original->clone();
        copy->insertAfter(last->getIterator());
        maps_[row][original] = copy;
        last = copy;
      }
    }
    for (Instruction* original : originals)
      for (unsigned row = 1; row < rows_; ++row)
        for (llvm::Use& use : llvm::cast<Instruction>(maps_[row][original])->operands())
          if (Value* own = maps_[row].lookup(use.get())) use.set(own);
  }

 private:
  llvm::Function& made_;
  const Values& differing_;
  unsigned rows_;
  llvm::SmallVector<llvm::DenseMap<const Value*, Value*>, kMostRows> maps_;
};

}  // namespace

unsigned rows_at_once(llvm::Function& full, unsigned arguments, Isa isa) {
  const unsigned carried = carried_vectors(full);
  if (carried == 0) return 1;
  const Values differing = of_rows(full, arguments);
  for (Instruction& instruction : llvm::instructions(full)) {
    if (!is_plain(instruction)) return 1;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction);
    if (branch != nullptr && branch->isConditional() && differing.contains(branch->getCondition())) return 1;
  }
  // The other half is for what is read and computed.
  const unsigned registers = (isa >= Isa::avx512 ? 32 : 16) / 2;
  for (unsigned rows = kMostRows; rows > 1; rows /= 2)
    if (carried * rows <= registers && full.getInstructionCount() * rows <= kMostInstructions) return rows;
  return 1;
}

llvm::Function* make_rows(llvm::Function& full, unsigned arguments, unsigned rows, std::uint64_t row_items) {
  llvm::ValueToValueMapTy map;
  llvm::Function* made = llvm::CloneFunction(&full, map);
  made->setName(full.getName() + ".rows" + std::to_string(rows));
  const Values differing = of_rows(*made, arguments);
  Copier copier(*made, differing, rows);
  copier.give(item_value(*made, arguments, kLocalId + 1), 1);
  copier.give(item_value(*made, arguments, kRow), row_items);
  copier.run();
  return made;
}

}  // namespace skmd::codegen

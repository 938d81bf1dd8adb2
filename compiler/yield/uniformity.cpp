// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/uniformity.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/ir/builtin.h"

namespace skmd::compiler {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;

bool names_the_item(llvm::StringRef builtin) {
  return llvm::StringSwitch<bool>(builtin)
      .Cases({"get_global_id", "get_local_id", "get_global_linear_id", "get_local_linear_id"}, true)
      .Default(false);
}

// Differs between items even if its operands do not.
bool own_for_each_item(const Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    const llvm::StringRef name = builtin_of(*call).name;
    if (is_geometry(name)) return names_the_item(name);
    return !call->doesNotAccessMemory();
  }
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    // What all items may read without a race is the same for all.
    const auto* object = llvm::getUnderlyingObject(load->getPointerOperand());
    return load->isVolatile() || load->isAtomic() || !llvm::isa<llvm::Argument, llvm::GlobalVariable>(object);
  }
  return llvm::isa<llvm::AllocaInst>(instruction) || instruction.mayReadFromMemory();
}

}  // namespace

KernelUniformity::KernelUniformity(llvm::Function& kernel) {
  const llvm::PostDominatorTree ends(kernel);
  for (const Instruction& instruction : llvm::instructions(kernel))
    if (own_for_each_item(instruction)) mark(instruction);
  follow();
  // Branches that differ make further values differ, and these further branches.
  llvm::SmallPtrSet<const BasicBlock*, 16> split;
  for (bool more = true; more;) {
    more = false;
    for (const BasicBlock& block : kernel) {
      if (leaves_together(block) || !split.insert(&block).second) continue;
      part(block, ends);
      follow();
      more = true;
    }
  }
}

bool KernelUniformity::leaves_together(const BasicBlock& block) const {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  return branch == nullptr || !branch->isConditional() || is_uniform(*branch->getCondition());
}

void KernelUniformity::mark(const llvm::Value& value) {
  if (varying_.insert({&value, true}).second) pending_.push_back(&value);
}

void KernelUniformity::follow() {
  while (!pending_.empty())
    for (const llvm::User* user : pending_.pop_back_val()->users())
      if (llvm::isa<Instruction>(user)) mark(*user);
}

void KernelUniformity::mark_phis(const BasicBlock& block) {
  for (const llvm::PHINode& phi : block.phis()) mark(phi);
}

// Until all have come to the same block, what they bring to a block differs. If that is behind a loop, they leave it at
// different times, and what it has computed differs there, which the loop's closed form takes out by phis.
void KernelUniformity::part(const BasicBlock& block, const llvm::PostDominatorTree& ends) {
  const auto* node = ends.getNode(&block);
  const BasicBlock* joint = node == nullptr || node->getIDom() == nullptr ? nullptr : node->getIDom()->getBlock();
  if (joint != nullptr) mark_phis(*joint);
  llvm::SmallVector<const BasicBlock*, 16> work(llvm::successors(&block));
  while (!work.empty()) {
    const BasicBlock* next = work.pop_back_val();
    if (next == joint || !parted_.insert(next).second) continue;
    mark_phis(*next);
    work.append(llvm::succ_begin(next), llvm::succ_end(next));
  }
}

void KernelUniformity::same_as(const llvm::Value& copy, const llvm::Value& original) {
  if (!is_uniform(original)) varying_.insert({&copy, true});
}

}  // namespace skmd::compiler

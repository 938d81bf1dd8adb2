// SPDX-License-Identifier: Apache-2.0
// Values that are live across blocks while these are rearranged. They pass through stack slots, which become SSA values
// again when all blocks are in place: so the dominance of the new order need not be known.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace skmd::codegen {

class Slots {
 public:
  explicit Slots(llvm::Function& function) : function_(function) {}

  /// A new slot, which holds `first` when the function starts.
  llvm::AllocaInst* create(llvm::Value& first, const llvm::Twine& name);

  /// Once control flow is final: puts every value that does not reach all its users through a slot, and makes values of
  /// all slots.
  void dissolve();

 private:
  void demote_strays();

  llvm::Function& function_;
  std::vector<llvm::AllocaInst*> slots_;
};

}  // namespace skmd::codegen

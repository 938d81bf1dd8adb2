// SPDX-License-Identifier: Apache-2.0
// Values that cross the joints of blocks while these are put together anew. They pass through stack slots, which
// become values again when all is in place: so nothing must be known about who comes before whom.
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

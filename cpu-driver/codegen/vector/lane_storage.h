// SPDX-License-Identifier: Apache-2.0
// Stack memory of a vector function.
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

#include "cpu-driver/codegen/vector/lane_code.h"
#include "cpu-driver/codegen/vector/markers.h"
#include "cpu-driver/codegen/vector/private_layout.h"

namespace skmd::codegen {

/// Needs the vector function's first block, the prologue, and the number of lanes. Gives addresses that all blocks may
/// use: allocations are at the prologue's begin.
class LaneStorage {
 public:
  /// `prologue` outlives this.
  LaneStorage(llvm::BasicBlock& prologue, unsigned lanes) : prologue_(prologue), lanes_(lanes) {}

  /// All lanes' copies of a private variable of the masked function.
  llvm::AllocaInst* variable(const llvm::AllocaInst& source, const PrivateVariable& layout);
  /// What memory holds for `type` (stored_type) once for each lane.
  llvm::AllocaInst* array(llvm::Type* type);
  /// An address of the pointer type and of at least the alignment of `access`, which lanes that do not run access
  /// instead. All calls share one place; what it holds means nothing.
  llvm::Value* idle_place(Builder& builder, const Access& access);

 private:
  llvm::AllocaInst* allocate(llvm::ArrayType* type, unsigned space, llvm::Align align, const llvm::Twine& name);
  [[nodiscard]] unsigned usual_space() const { return prologue_.getDataLayout().getAllocaAddrSpace(); }

  llvm::BasicBlock& prologue_;
  const unsigned lanes_;
  llvm::AllocaInst* idle_ = nullptr;
};

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
// What is live at a place of a kernel.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace skmd::compiler {

class Liveness {
 public:
  /// Of `kernel` as it is now. What stands in its entry block is left out: it is computed at every entry.
  explicit Liveness(llvm::Function& kernel);

  /// Values that are used behind the begin of `block`, which has no phis, and come from before; in the code's order.
  [[nodiscard]] llvm::SmallVector<llvm::Instruction*, 16> values_at(const llvm::BasicBlock& block) const;
  /// Private variables that may be used behind the begin of `block`, in their order.
  [[nodiscard]] llvm::SmallVector<llvm::AllocaInst*, 8> variables_at(const llvm::BasicBlock& block) const;

 private:
  void follow(llvm::Instruction& value);

  llvm::Function& kernel_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::SmallSetVector<llvm::Instruction*, 8>> live_in_;
};

}  // namespace skmd::compiler

// SPDX-License-Identifier: Apache-2.0
// Divergence analysis: which values, branches and loops differ between lanes, and which nodes must therefore run one
// after the other.
//
// A branch that may send lanes to different places makes both run: the places are *deferred* until their turn comes in
// the order of the level. Everything that is run between carries them along (partial linearisation, Moll and Hack, PLDI
// 2018). Where lanes wait for others that are still on their way, values meet by selection, and so differ. As that may
// make further branches divergent, both are found together.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "cpu-driver/codegen/masks/levels.h"

namespace skmd::codegen {

class Divergence {
 public:
  Divergence(llvm::Function& function, llvm::LoopInfo& loops, Levels& levels);

  /// Lanes that run the same iteration may have different values. Of private memory nothing is assumed.
  [[nodiscard]] bool varying(const llvm::Value* value) const { return varying_.contains(value); }
  /// Whether `block` ends in a branch whose condition varies.
  [[nodiscard]] bool splits(const llvm::BasicBlock* block) const;
  /// When lanes go from `from` to `to`, others may have gone there before, in this turn, and wait.
  [[nodiscard]] bool merges(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const;

 private:
  void seed(llvm::Function& function);
  void mark(const llvm::Value* value);
  void propagate();
  void defer(Level& level);
  void mark_joints(const llvm::BasicBlock& block);
  [[nodiscard]] bool splits(const Node& node) const;

  llvm::LoopInfo& loops_;
  Levels& levels_;
  llvm::DenseSet<const llvm::Value*> varying_;
  std::vector<const llvm::Value*> pending_;
  bool changed_ = false;
};

}  // namespace skmd::codegen

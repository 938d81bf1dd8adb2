// SPDX-License-Identifier: Apache-2.0
// Which lanes run a node, as values: the whole level's mask where no lane can be elsewhere, else kept in slots.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>

#include "cpu-driver/codegen/masks/levels.h"
#include "cpu-driver/codegen/masks/slots.h"

namespace skmd::codegen {

class MaskSlots {
 public:
  /// `function` has lost its phis, and is as it was else.
  MaskSlots(llvm::Function& function, Levels& levels, Slots& slots, llvm::Value& live);

  /// The mask of node `node`, for use at `ir`'s place, where it has been reached (or passed by).
  llvm::Value* at(llvm::IRBuilderBase& ir, const Level& level, unsigned node);
  /// The mask with which each run of `level` starts; at hand everywhere in it.
  llvm::Value* start(const Level& level) { return start_[&level]; }
  /// Lanes `mask` are sent to `node`; `more`: others may have been before. Also for end().
  void send(llvm::IRBuilderBase& ir, const Level& level, unsigned node, llvm::Value& mask, bool more);
  /// Whether the mask of `node` is that of an earlier node that gets there as a whole.
  [[nodiscard]] bool inherited(const Level& level, unsigned node) const { return owner(level, node) != node; }
  /// The lanes that run the divergent loop of `level` once more, from its end().
  llvm::AllocaInst* again(const Level& level) { return again_[&level]; }

 private:
  static constexpr unsigned kStart = ~0U;
  [[nodiscard]] unsigned owner(const Level& level, unsigned node) const { return owners_.find(&level)->second[node]; }
  void find_owners(const Level& level, const llvm::DominatorTree& tree);
  void prepare(const Level& level);

  llvm::Function& function_;
  Levels& levels_;
  Slots& slots_;
  llvm::DenseMap<const Level*, std::vector<unsigned>> owners_;
  llvm::DenseMap<const Level*, std::vector<llvm::AllocaInst*>> kept_;
  llvm::DenseMap<const Level*, llvm::Value*> start_;
  llvm::DenseMap<const Level*, llvm::AllocaInst*> again_;
};

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
// Entries at yield points: from the begin of a kernel into its loops.
//
// A point inside loops is reached through the headers of all of them, from the outermost: each sends an item that goes
// on from there further inwards, so that loops keep one entry. What is live at the point is put where the code reads it
// before.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "compiler/yield/schema.h"
#include "compiler/yield/state_code.h"
#include "compiler/yield/strips.h"

namespace skmd::compiler {

struct PointEntry {
  PointBlocks blocks;
  PointSchema schema;
};

class Resumption {
 public:
  /// `kernel`: with points, whose code to save is there. `entry`: its first block, which goes to where items begin.
  Resumption(llvm::Function& kernel, llvm::BasicBlock& entry, const StateCode& state, std::vector<PointEntry> points);

  /// Adds the entries, and an end for items that have ended. Afterwards no variable of this class's is left. Returns
  /// what reads the point from which the run goes on.
  llvm::LoadInst* run();

 private:
  /// Where an item that goes on from a point is sent next.
  struct Step {
    unsigned point = 0;
    llvm::BasicBlock* to = nullptr;
  };
  struct Phi {
    llvm::PHINode* phi = nullptr;
    llvm::Value* value = nullptr;  // that it has behind the point
  };

  void plan(llvm::LoopInfo& loops);
  void remember_phis();
  void split_headers();
  void demote();
  llvm::LoadInst* add_entries();
  void add_dispatch(llvm::BasicBlock& header, llvm::ArrayRef<Step> steps);
  void restore(llvm::IRBuilder<>& ir, unsigned point);
  void go(llvm::IRBuilder<>& ir, const Step& step);
  [[nodiscard]] llvm::Value* now(llvm::IRBuilder<>& ir, llvm::Value& value) const;
  [[nodiscard]] bool is_last(const Step& step) const;

  llvm::Function& kernel_;
  llvm::BasicBlock& entry_;
  const StateCode& state_;
  std::vector<PointEntry> points_;
  llvm::AllocaInst* resuming_ = nullptr;  // the point's number while an item is on its way there, otherwise 0
  std::vector<llvm::BasicBlock*> first_;  // for each point: where the kernel's begin sends it
  std::vector<std::pair<llvm::BasicBlock*, std::vector<Step>>> headers_;
  std::vector<std::vector<Phi>> phis_;  // for each point: of the header that it leads to
  llvm::DenseMap<const llvm::Value*, llvm::AllocaInst*> slots_;
};

}  // namespace skmd::compiler

// SPDX-License-Identifier: Apache-2.0
// Loops with checks: each chosen loop is cut into strips, and between two of them the kernel looks whether it is to
// save and end.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "compiler/yield/points.h"
#include "compiler/yield/uniformity.h"

namespace skmd::compiler {

/// What checks and states need of the work-item, computed where the kernel begins.
struct ItemIds {
  llvm::Value* linear = nullptr;  // i64: the item's number in its group, dimension 0 fastest
  llvm::Value* items = nullptr;   // i64: of the group
};
/// Computes them before `before`.
ItemIds make_ids(llvm::Instruction* before);

/// A call of a query that takes a dimension, by its mangled name.
llvm::Value* query_builtin(llvm::IRBuilder<>& ir, llvm::StringRef name, unsigned dimension);
/// Flags of barriers: CLK_LOCAL_MEM_FENCE and CLK_GLOBAL_MEM_FENCE.
inline constexpr unsigned kLocalFence = 1, kGlobalFence = 2;
void add_barrier(llvm::IRBuilder<>& ir, unsigned flags = kLocalFence);

/// A yield point in the code: `check` goes to `save`, which is to keep what is live and return, or to `go_on`.
struct PointBlocks {
  llvm::BasicBlock* save = nullptr;   // holds a return alone
  llvm::BasicBlock* go_on = nullptr;  // where the kernel is entered again
  llvm::BasicBlock* header =
      nullptr;  // `go_on` goes there and nowhere else, and holds nothing else; null: behind a barrier
};

class StripMaker {
 public:
  /// `kernel`: with state and control as its last parameters. `slot`: a variable of 32 bits, 0 where the kernel begins.
  StripMaker(llvm::Function& kernel, KernelUniformity& uniformity, const ItemIds& ids, llvm::AllocaInst& slot,
             bool together);

  PointBlocks add(const ChosenLoop& loop);

 private:
  struct Check {
    llvm::BasicBlock* begin = nullptr;
    PointBlocks blocks;
  };
  Check make_check(llvm::BasicBlock& before);
  PointBlocks at_barrier(llvm::CallBase& barrier);
  PointBlocks at_end(const ChosenLoop& loop);
  /// A strip's own loop around `loop`: `strip` leads into the old one with what comes from in front of it and, behind
  /// `check`, from where the strip ends.
  void wrap(const ChosenLoop& loop, llvm::BasicBlock& strip, const Check& check,
            llvm::function_ref<llvm::Value*(llvm::PHINode&)> at_end);
  PointBlocks by_bound(const ChosenLoop& loop);
  llvm::Value* bound_of_strip(llvm::IRBuilder<>& ir, const ChosenLoop& loop, llvm::Value* begin);
  PointBlocks by_count(const ChosenLoop& loop);
  void tell_group(llvm::IRBuilder<>& ir);
  llvm::Value* control(llvm::IRBuilder<>& ir) const;
  llvm::Value* flag(llvm::IRBuilder<>& ir) const;
  llvm::Value* due(llvm::IRBuilder<>& ir) const;

  llvm::Function& kernel_;
  KernelUniformity& uniformity_;
  ItemIds ids_;
  llvm::AllocaInst& slot_;
  bool together_;
  llvm::GlobalVariable* flags_ = nullptr;  // local memory: two words, used alternately
};

}  // namespace skmd::compiler

// SPDX-License-Identifier: Apache-2.0
// Which values of a kernel are the same for all work-items of a group, and which blocks all of them run together.
// Simpler than LLVM's analysis, which does not find the same in each process.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/ValueMap.h>

namespace llvm {
class PostDominatorTree;
}

namespace skmd::compiler {

class KernelUniformity {
 public:
  /// `kernel` as make_canonical() leaves it. What is found of blocks holds until code changes.
  explicit KernelUniformity(llvm::Function& kernel);
  KernelUniformity(const KernelUniformity&) = delete;
  KernelUniformity& operator=(const KernelUniformity&) = delete;

  /// Where it is defined, of all items that compute it. Also of code that was added since.
  [[nodiscard]] bool is_uniform(const llvm::Value& value) const { return varying_.find(&value) == varying_.end(); }
  /// Whether all items that run `block` leave it the same way.
  [[nodiscard]] bool leaves_together(const llvm::BasicBlock& block) const;
  /// Whether all items of a group run `block` as often as each other: no branch that they take differently decides it.
  [[nodiscard]] bool runs_together(const llvm::BasicBlock& block) const { return !parted_.contains(&block); }
  /// `copy` stands for `original` in code that was added.
  void same_as(const llvm::Value& copy, const llvm::Value& original);

 private:
  void mark(const llvm::Value& value);
  void follow();
  /// Items part at the end of `block`.
  void part(const llvm::BasicBlock& block, const llvm::PostDominatorTree& ends);
  void mark_phis(const llvm::BasicBlock& block);

  llvm::ValueMap<const llvm::Value*, bool> varying_;
  llvm::SmallVector<const llvm::Value*, 32> pending_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> parted_;
};

}  // namespace skmd::compiler

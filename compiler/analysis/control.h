// SPDX-License-Identifier: Apache-2.0
// What decides whether a block runs: branches as LLVM values (control dependences), and as guards of the domain.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>

#include <vector>

#include "compiler/analysis/expressions.h"

namespace skmd::compiler {

/// `block` runs if its branch goes to successor number `successor`; otherwise it may not.
struct Dependence {
  llvm::BasicBlock* block = nullptr;
  unsigned successor = 0;
  bool repeats = false;  // the edge is a back edge: it decides about the next iteration
};

class ControlDependence {
 public:
  explicit ControlDependence(const KernelView& view);

  /// Direct dependences (Ferrante, Ottenstein, Warren).
  [[nodiscard]] llvm::ArrayRef<Dependence> of(llvm::BasicBlock* block) const;

 private:
  llvm::DenseMap<llvm::BasicBlock*, llvm::SmallVector<Dependence, 2>> dependences_;
};

/// Everything that an access inherits from the block it is in.
struct Circumstances {
  std::vector<domain::Guard> guards;
  bool complete = false;
  std::vector<std::uint32_t> loops;
};

/// The condition of a branch.
struct Condition {
  llvm::Value* value = nullptr;
  bool expected = true;
};

/// Guards for the branches that every path to `block` takes in one direction. Of loops only those around the block: the
/// value that a condition had when an earlier loop was left is not this iteration's. "a && b" taken, and "a || b" not
/// taken, are two.
std::vector<Condition> dominating_conditions(const llvm::BasicBlock* block, const KernelView& view);

/// The branches that surely were taken when `block` runs; complete only if these and exact loops decide alone.
Circumstances circumstances_of(llvm::BasicBlock* block, const ControlDependence& control, Expressions& expressions);

}  // namespace skmd::compiler

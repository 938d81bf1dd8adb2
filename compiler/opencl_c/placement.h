// SPDX-License-Identifier: Apache-2.0
// Which instructions are printed inside the expression that uses them.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace skmd::compiler::opencl_c {

/// A load right behind a fence of one thread, which keeps it where it stands: it is printed as a volatile one.
bool is_kept_by_fence(const llvm::LoadInst& load);
/// What tells only the compiler something, and is not printed.
bool is_ignored(const llvm::Instruction& instruction);
/// Whether the instruction's effect is more than its result.
bool has_effect(const llvm::Instruction& instruction);
/// A vector that is in memory as its elements are, and not as OpenCL C has it.
bool is_in_elements(const llvm::Type& type);
/// A vector of a size that OpenCL C does not have, made of other vectors: it is never printed as a whole, its elements
/// are taken from what it is made of.
bool is_view(const llvm::Value& value);
/// An insertion at a constant place.
bool is_plain_insertion(const llvm::Value& value);

class Placement {
 public:
  explicit Placement(const llvm::Function& kernel);

  /// Such an instruction has one use, and nothing happens between the two that could change its result.
  [[nodiscard]] bool is_inside(const llvm::Instruction& instruction) const { return inside_.contains(&instruction); }

 private:
  void place(const llvm::BasicBlock& block);
  [[nodiscard]] bool may_go_into(const llvm::Instruction& instruction, const llvm::Instruction& user) const;

  llvm::DenseSet<const llvm::Instruction*> inside_;
  llvm::DenseMap<const llvm::Instruction*, const llvm::Instruction*> statement_;  // that an expression is a part of
  llvm::DenseMap<const llvm::Instruction*, unsigned> writes_before_;              // in its block
  llvm::DenseMap<const llvm::Instruction*, unsigned> depth_;
};

}  // namespace skmd::compiler::opencl_c

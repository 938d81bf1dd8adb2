// SPDX-License-Identifier: Apache-2.0
// Code that keeps values in a group's state and takes them up again (schema.h).
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "compiler/yield/schema.h"
#include "compiler/yield/strips.h"

namespace skmd::compiler {

class StateCode {
 public:
  /// `state`: the parameter; `group_words`: of the kernel.
  StateCode(llvm::Value& state, const ItemIds& ids, unsigned group_words, bool together)
      : state_(state), ids_(ids), group_words_(group_words), together_(together) {}

  /// Stores the number of the point at which the run ends, i32.
  void store_point(llvm::IRBuilder<>& ir, llvm::Value* point) const;
  /// Of the point from which the run goes on.
  [[nodiscard]] llvm::LoadInst* load_point(llvm::IRBuilder<>& ir) const;

  /// Stores `kept` at `ir`, in whose block it is known. May split the block.
  void save(llvm::IRBuilder<>& ir, const Kept& kept) const;
  /// The value again; a variable is filled, and null returned. May split the block.
  llvm::Value* restore(llvm::IRBuilder<>& ir, const Kept& kept) const;

 private:
  llvm::Value* place(llvm::IRBuilder<>& ir, bool once, llvm::Value* word) const;
  llvm::Value* place(llvm::IRBuilder<>& ir, const Kept& kept, unsigned number) const;
  void save_number(llvm::IRBuilder<>& ir, const Kept& kept, unsigned& number, llvm::Value* value) const;
  llvm::Value* restore_number(llvm::IRBuilder<>& ir, const Kept& kept, unsigned& number, llvm::Type* type) const;
  void copy_variable(llvm::IRBuilder<>& ir, const Kept& kept, bool save) const;

  llvm::Value& state_;
  ItemIds ids_;
  unsigned group_words_;
  bool together_;
};

}  // namespace skmd::compiler

// SPDX-License-Identifier: Apache-2.0
// Code that keeps a group's local memory in its state, and takes it up again.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <cstdint>

namespace skmd::compiler {

/// Where the local memory of a kernel lies in a state: variables first, in the module's order, then local parameters,
/// as span code has them (cpu-driver/span_code.h).
class LocalMemory {
 public:
  explicit LocalMemory(llvm::Function& kernel);

  [[nodiscard]] bool empty() const { return variables_.empty() && parameters_.empty(); }
  [[nodiscard]] std::uint64_t variable_bytes() const { return bytes_; }
  [[nodiscard]] std::uint32_t parameters() const { return static_cast<std::uint32_t>(parameters_.size()); }

  struct Item {
    llvm::Value* linear = nullptr;  // i64, in its group
    llvm::Value* items = nullptr;   // i64, of the group
    llvm::Value* control = nullptr;
  };
  /// Copies all of it between local memory and `state`, i32 words, by all items of the group together. No barrier is
  /// added. Code is added in front of `before`.
  void copy(llvm::Instruction& before, llvm::Value& state, const Item& item, bool save) const;

 private:
  struct Variable {
    llvm::GlobalVariable* variable = nullptr;
    std::uint64_t offset = 0, bytes = 0;
  };
  llvm::SmallVector<Variable, 4> variables_;
  llvm::SmallVector<llvm::Argument*, 4> parameters_;
  std::uint64_t bytes_ = 0;
};

}  // namespace skmd::compiler

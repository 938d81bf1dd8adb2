// SPDX-License-Identifier: Apache-2.0
// Names of what a kernel has, all different, and different from what a language or a vendor has. What is at file scope
// has the kernel's name in front, and how long that is: the texts of several kernels can be one program.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>

#include <set>
#include <string>

namespace skmd::compiler::opencl_c {

class Names {
 public:
  explicit Names(const llvm::Function& kernel);

  /// Of a parameter, a variable of the kernel's or the module's, or an instruction's result. Numbered in the order in
  /// which they are asked for.
  std::string of(const llvm::Value& value);
  /// Whether it was asked for before.
  [[nodiscard]] bool has(const llvm::Value& value) const { return values_.contains(&value); }
  [[nodiscard]] std::string label(const llvm::BasicBlock& block) const;
  std::string fresh();
  /// Of something that a program has for this kernel alone; `name` is different for each.
  [[nodiscard]] std::string at_file_scope(const std::string& name) const { return file_scope_ + name; }

 private:
  std::string readable(const std::string& prefix, llvm::StringRef name);

  const std::string file_scope_;
  llvm::DenseMap<const llvm::Value*, std::string> values_;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> labels_;
  std::set<std::string> taken_;
  unsigned next_ = 0;
};

}  // namespace skmd::compiler::opencl_c

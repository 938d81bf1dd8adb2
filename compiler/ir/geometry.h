// SPDX-License-Identifier: Apache-2.0
// Which work-item a piece of generated code is, and what a kernel's queries answer there.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/IRBuilder.h>

#include <array>

namespace skmd::compiler {

/// All i64, of the whole launch.
struct Geometry {
  using Triple = std::array<llvm::Value*, 3>;
  llvm::Value* work_dim = nullptr;
  Triple offset{}, size{}, groups{}, local{};
  Triple group_id{}, local_id{};
  Triple first{};                      // the group's first global ids, where they are known; null: computed
  llvm::Value* global_id_0 = nullptr;  // where it is known; null: computed from the others

  [[nodiscard]] llvm::Value* global_id(llvm::IRBuilder<>& ir, unsigned dimension) const;
  /// Of a builtin that is_geometry() names; `dimension` is null for those that take none.
  [[nodiscard]] llvm::Value* answer(llvm::IRBuilder<>& ir, llvm::StringRef name, llvm::Value* dimension) const;
};

}  // namespace skmd::compiler

// SPDX-License-Identifier: Apache-2.0
// Stores of a merge function that copy at once: from another device's result, inside the argument only.
#pragma once

#include <llvm/ADT/DenseMap.h>

#include <cstdint>
#include <utility>

#include "compiler/merge/stored.h"

namespace skmd::compiler {

/// One buffer, as a function's entry knows it; all i64.
struct BufferValues {
  llvm::Value* bytes = nullptr;   // address
  llvm::Value* result = nullptr;  // address of the other device's result
  llvm::Value* size = nullptr;
};

/// The target's rules for memory accesses.
struct CopyStyle {
  unsigned space = 0;    // of addresses
  bool aligned = false;  // accesses must be; else any address will do
};

class Copies {
 public:
  /// Limits are computed before `entry`.
  Copies(llvm::Instruction& entry, CopyStyle style) : entry_(entry), style_(style) {}

  /// Emits the copy that `stored` describes before `before`, which gets a block of its own.
  void copy(const BufferValues& place, const Stored& stored, llvm::Instruction& before);
  /// `width` bytes fit into `size` from offset 0 to below this.
  llvm::Value* limit_of(llvm::Value* size, std::uint64_t width);

 private:
  void copy_inside(const BufferValues& place, llvm::Value* offset, const Stored& stored, llvm::Instruction& before);
  void copy_each(const BufferValues& place, const Stored& stored, llvm::Instruction& before);
  void copy_element(llvm::IRBuilder<>& ir, const BufferValues& place, llvm::Value* offset, const Stored& stored) const;

  llvm::Instruction& entry_;
  CopyStyle style_;
  llvm::DenseMap<std::pair<const llvm::Value*, std::uint64_t>, llvm::Value*> limits_;
};

}  // namespace skmd::compiler

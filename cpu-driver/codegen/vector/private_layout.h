// SPDX-License-Identifier: Apache-2.0
// Where the private variables of neighbouring lanes lie.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <optional>

#include "partitioner/base/result.h"

namespace skmd::codegen {

/// A private variable for several lanes, in one of two layouts.
///   one after the other: lane l's copy is `size` bytes, from byte l * size.
///   elements interleaved (`element` is not 0): element i of lane l is at byte (i * lanes + l) * element, so that the
///   same element of neighbouring lanes is one vector. Every access is of that size and on an element's boundary, and
///   no pointer into the variable is anything but added to and accessed.
struct PrivateVariable {
  std::uint64_t size = 0;     // bytes for one lane, a multiple of `align`
  std::uint64_t element = 0;  // bytes
  llvm::Align align;
};

class PrivateLayout {
 public:
  /// An error if a variable's size is not known or all of them are too large.
  static domain::Result<PrivateLayout> of(llvm::Function& function);

  [[nodiscard]] const PrivateVariable* variable(const llvm::Value* alloca) const;
  /// Whether `pointer` points into an interleaved variable, so that offsets count once for each lane.
  [[nodiscard]] bool interleaved(const llvm::Value* pointer) const { return interleaved_.contains(pointer); }

 private:
  void add(llvm::AllocaInst& alloca, PrivateVariable variable);

  llvm::DenseMap<const llvm::Value*, PrivateVariable> variables_;
  llvm::DenseMap<const llvm::Value*, bool> interleaved_;
};

}  // namespace skmd::codegen

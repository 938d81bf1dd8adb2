// SPDX-License-Identifier: Apache-2.0
// Operations on values: no memory, no calls, no control flow.
#pragma once

#include <llvm/IR/Instructions.h>

#include "cpu-driver/codegen/vector/lane_values.h"
#include "cpu-driver/codegen/vector/private_layout.h"
#include "partitioner/base/result.h"

namespace skmd::codegen {

/// Needs operands' values and where private variables lie. Gives each operation's value, by its shape.
class OperationWidener {
 public:
  /// All arguments outlive this.
  OperationWidener(Builder& builder, LaneValues& values, const PrivateLayout& layout)
      : builder_(builder), values_(values), layout_(layout) {}

  /// An error names what has no form for lanes.
  domain::Status widen(llvm::Instruction& source);

 private:
  void uniform(llvm::Instruction& source);
  void linear(llvm::Instruction& source);
  domain::Status varying(llvm::Instruction& source);
  llvm::Value* condition(llvm::Instruction& source);
  llvm::Value* wraps_not(llvm::CastInst& source);
  llvm::Value* vector(llvm::Instruction& source);
  llvm::Value* address(llvm::GetElementPtrInst& source);

  Builder& builder_;
  LaneValues& values_;
  const PrivateLayout& layout_;
};

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
// Integer division that stops in no lane. What x / 0 gives does not matter, in OpenCL as here.
#pragma once

#include <llvm/IR/Instructions.h>

#include "cpu-driver/codegen/vector/lane_values.h"

namespace skmd::codegen {

/// `source`, a quotient or a remainder, for lane 0 and for all lanes. Which value it stands for is set by the caller.
llvm::Value* scalar_division(Builder& builder, const LaneValues& values, llvm::BinaryOperator& source);
llvm::Value* vector_division(Builder& builder, LaneValues& values, llvm::BinaryOperator& source);

}  // namespace skmd::codegen

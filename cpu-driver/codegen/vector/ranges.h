// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Value.h>

namespace skmd::codegen {

/// A range that holds the values of integer `value` in all lanes. `trust_flags`: nsw and nuw hold.
llvm::ConstantRange lane_range(const llvm::Value* value, bool sign, bool trust_flags);

}  // namespace skmd::codegen

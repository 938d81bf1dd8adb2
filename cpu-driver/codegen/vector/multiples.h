// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Value.h>

namespace skmd::codegen {

/// How many of the lowest bits of `number`, an integer or a pointer, are zero for sure; 64: all of them. Goes round
/// loops as far as it takes.
unsigned lowest_zeros(const llvm::Value& number, const llvm::DataLayout& layout);

}  // namespace skmd::codegen

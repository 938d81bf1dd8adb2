// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Function.h>

namespace skmd::codegen {

/// If `function` is skmd_scale (math.cl, math_double.cl), of no more than a register, it becomes AVX-512's instruction
/// that does the same.
void use_scale_instruction(llvm::Function& function);

}  // namespace skmd::codegen

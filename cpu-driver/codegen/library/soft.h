// SPDX-License-Identifier: Apache-2.0
// Replacements for operations that LLVM lowers to calls of the C library on processors without FMA and half; generated
// code has no C library.
#pragma once

#include <llvm/IR/Module.h>

namespace skmd::codegen {

/// Replaces fused multiplication and addition of floats by instructions that round as it does, that of doubles and
/// conversion from half by calls of the library's functions for one element. Whether there was any.
bool use_soft_functions(llvm::Module& module);

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
// What processors without FMA and half leave to functions of the C library, which generated code has not.
#pragma once

#include <llvm/IR/Module.h>

namespace skmd::codegen {

/// Replaces fused multiplication and addition of floats by instructions that round as it does, that of doubles and
/// conversion from half by calls of the library's functions for one element. Whether there was any.
bool use_soft_functions(llvm::Module& module);

}  // namespace skmd::codegen

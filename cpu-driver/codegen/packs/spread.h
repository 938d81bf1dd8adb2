// SPDX-License-Identifier: Apache-2.0
// What LLVM joined for some members of a structure only, taken apart, so that the same is done to all again.
#pragma once

#include <llvm/IR/Function.h>

namespace skmd::codegen {

/// Returns whether anything was changed.
bool spread_members(llvm::Function& function);

}  // namespace skmd::codegen

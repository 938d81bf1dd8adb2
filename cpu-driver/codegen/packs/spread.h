// SPDX-License-Identifier: Apache-2.0
// Undoes LLVM's joining of operations for some members of a structure only, so that all members are treated alike
// again.
#pragma once

#include <llvm/IR/Function.h>

namespace skmd::codegen {

/// Returns whether anything was changed.
bool spread_members(llvm::Function& function);

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
// Guards against divisions that trap on the CPU.
#pragma once

#include <llvm/IR/BasicBlock.h>

#include <vector>

namespace skmd::compiler {

/// Changes divisions so that operands for which the CPU would trap, and OpenCL leaves the result undefined, give an
/// arbitrary value.
void guard_divisions(const std::vector<llvm::BasicBlock*>& body);

}  // namespace skmd::compiler

// SPDX-License-Identifier: Apache-2.0
// A masked function in the few forms that shapes are found in.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace skmd::codegen {

/// Changes `function` (a masked form, or a copy of one) without changing what it does: addresses are
/// `getelementptr i8` with an explicit 64-bit offset, sign and zero extension is written as such and not as shifts or
/// masks, no block is unreachable, and, if `full`, the parameter with kLive is true.
void prepare(llvm::Function& function, bool full, llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::codegen

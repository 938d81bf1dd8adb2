// SPDX-License-Identifier: Apache-2.0
// The form of a kernel in which yield points are looked for.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace skmd::compiler {

/// Values in registers, loops in simplified and closed form, one return, no switches and no markers of lifetimes.
void make_canonical(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::compiler

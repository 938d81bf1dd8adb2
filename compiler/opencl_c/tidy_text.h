// SPDX-License-Identifier: Apache-2.0
// The last passes over code that is printed as OpenCL C.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace skmd::compiler {

/// Takes out what does nothing, and code that is never reached. Makes no numbers of widths that OpenCL C does not have,
/// and widens what is cut to one.
void tidy_text(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::compiler

// SPDX-License-Identifier: Apache-2.0
// LLVM's passes that bring an item function into its normal form, and regions into it again.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace skmd::codegen {

/// Inlines calls of the program's own functions. Remaining calls are recursive.
void inline_program(llvm::Module& module);

/// Values in registers, addresses in their own address spaces; vectors stay as they are.
void open_up(llvm::Function& item, llvm::FunctionAnalysisManager& analyses);

/// Brings a function into the form of item functions (item_function.h). `scalars`: OpenCL's vectors are taken apart,
/// also where they are loaded and stored.
void normalise(llvm::Function& item, bool scalars, llvm::FunctionAnalysisManager& analyses);

/// Brings a region into the form of item functions again after cutting.
void tidy_region(llvm::Function& region, llvm::FunctionAnalysisManager& analyses);

/// Removes `function` from its module, and its cached analyses. Null: no effect.
void drop_function(llvm::Function* function, llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::codegen

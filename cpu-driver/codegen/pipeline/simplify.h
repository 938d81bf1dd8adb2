// SPDX-License-Identifier: Apache-2.0
// Which of LLVM's passes run when.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include "cpu-driver/codegen/isa.h"

namespace skmd::codegen {

/// Calls of the program's own functions are replaced by what they do. What is left calls itself.
void inline_program(llvm::Module& module);

/// Values in registers, addresses in their own address spaces; vectors stay as they are.
void open_up(llvm::Function& item, llvm::FunctionAnalysisManager& analyses);

/// What item functions have to look like (item_function.h). `scalars`: OpenCL's vectors are taken apart, also where
/// they are loaded and stored.
void normalise(llvm::Function& item, bool scalars, llvm::FunctionAnalysisManager& analyses);

/// What cutting left of a region becomes an item function again.
void tidy_region(llvm::Function& region, llvm::FunctionAnalysisManager& analyses);

/// Takes `function` out of its module, with what is known of it. Null: nothing.
void drop_function(llvm::Function* function, llvm::FunctionAnalysisManager& analyses);

/// The loops around the items and what was inlined there.
void finish(llvm::Function& group, Isa isa, llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::codegen

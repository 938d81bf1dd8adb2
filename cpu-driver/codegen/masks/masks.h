// SPDX-License-Identifier: Apache-2.0
// From item functions to the masked form (item_function.h): divergent branches and loops become masks.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include <string>

#include "partitioner/base/result.h"

namespace skmd::codegen {

/// `function` is an item function; it is replaced in place by its masked form (with the new parameter, so a new
/// llvm::Function of the same name, which is returned). An error, and an unchanged function, if lanes must not run in
/// lockstep: the reason is readable text ("a loop waits for another work-item").
domain::Result<llvm::Function*> make_masked(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::codegen

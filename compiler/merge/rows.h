// SPDX-License-Identifier: Apache-2.0
// Loops over stores of neighbouring elements become one store of the whole row.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace skmd::compiler {

/// Replaces innermost loops of `span` that only store, each iteration directly behind the previous one. If that holds
/// only while indices do not wrap, the loop is kept for the wrapping case.
void join_rows(llvm::Function& span, llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::compiler

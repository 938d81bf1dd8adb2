// SPDX-License-Identifier: Apache-2.0
// Loops over stores of neighbouring elements become one store of the whole row.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace skmd::compiler {

/// Innermost loops of `span` that do nothing but store, each time right behind the time before. Where that depends on
/// indices that do not wrap, the loop stays for those that do.
void join_rows(llvm::Function& span, llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::compiler

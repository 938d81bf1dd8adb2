// SPDX-License-Identifier: Apache-2.0
// Clang's kernels by their names in the program.
#pragma once

#include <llvm/IR/Module.h>

#include <string>

namespace skmd::compiler {

/// The application's kernel; its body, which Clang puts into a function of its own, is called from there. Null if it
/// has no body.
llvm::Function* find_kernel(llvm::Module& module, const std::string& name);

}  // namespace skmd::compiler

// SPDX-License-Identifier: Apache-2.0
// Brings Clang's output into the shape that the analyses expect: every kernel one function without calls to defined
// functions, values in registers, vectors in scalars, loops rotated and in simplified, closed form, no switches.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include <string>

namespace skmd::compiler {

/// The application's kernel; its body, which Clang puts into a function of its own, is called from there. Null if it
/// has no body.
llvm::Function* find_kernel(llvm::Module& module, const std::string& name);

/// Everything into the kernels: after this they call declarations only. False if that would grow the module beyond
/// what can be analysed (`kernels` are then unchanged), or where functions call themselves.
bool inline_everything(llvm::Module& module, llvm::ArrayRef<llvm::Function*> kernels);

/// Simplifies one kernel. `analyses` needs every function analysis registered.
void simplify(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::compiler

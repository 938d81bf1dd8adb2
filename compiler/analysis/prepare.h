// SPDX-License-Identifier: Apache-2.0
// Brings Clang's output into the shape that the analyses expect: every kernel one function without calls to defined
// functions, values in registers, vectors in scalars, loops rotated and in simplified, closed form, no switches.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include <cstdint>
#include <string>

namespace skmd::compiler {

/// Inlines all calls into the kernels: after this they call declarations only. False if the module would grow beyond
/// what can be analysed (`kernels` are then unchanged), or if functions are recursive.
bool inline_everything(llvm::Module& module, llvm::ArrayRef<llvm::Function*> kernels);

/// Which reads of buffers are told of: in checked programs also those whose values nothing uses, since they may trap.
enum class Reads : std::uint8_t { used, all };

/// Simplifies one kernel. `analyses` needs every function analysis registered.
void simplify(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses, Reads reads = Reads::used);

}  // namespace skmd::compiler

// SPDX-License-Identifier: Apache-2.0
// The form of a kernel in which yield points are looked for.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include <cstdint>

namespace skmd::compiler {

/// Whether what a kernel does without use stays: it may trap.
enum class Useless : std::uint8_t { goes, stays };

/// Values in registers, loops in simplified and closed form, one return, no switches and no markers of lifetimes.
void make_canonical(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses, Useless useless = Useless::goes);

}  // namespace skmd::compiler

// SPDX-License-Identifier: Apache-2.0
// `*found = 1` by whoever finds something: threads that store to one place take its cache line from each other.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace skmd::codegen {

/// `group` is a finished cpu::KernelFunction. Where it stores to a buffer in a loop what was known before the groups,
/// at a place that was, too, it first looks whether that is there already, and then does not. Not in kernels with
/// fences, atomics or volatile accesses: a store may say there that something else was stored before. Returns how many
/// stores.
unsigned skip_repeated_stores(llvm::Function& group, llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::codegen

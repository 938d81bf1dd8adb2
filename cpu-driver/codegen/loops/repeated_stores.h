// SPDX-License-Identifier: Apache-2.0
// Avoids repeated stores of one value, as in `*found = 1` by each item with a match: threads that store to one place
// take its cache line from each other.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace skmd::codegen {

/// `group` is a finished cpu::KernelFunction. A store to a buffer in a loop whose value and address are both invariant
/// over the groups becomes conditional: it is skipped if the value is in memory already. Not in kernels with fences,
/// atomics or volatile accesses: a store may say there that something else was stored before. Returns how many stores.
unsigned skip_repeated_stores(llvm::Function& group, llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::codegen

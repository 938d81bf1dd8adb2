// SPDX-License-Identifier: Apache-2.0
// Loads that stride over pages: processors fetch ahead within a page only.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace skmd::codegen {

/// `group` is a finished cpu::KernelFunction of vectors. What its loads of whole vectors from buffers will read in
/// later turns of a loop of the kernel's own is prefetched, where each turn goes a page or an unknown distance further.
/// Returns for how many loads.
unsigned prefetch_strided(llvm::Function& group, llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
// Stores past the caches: results too large to stay there need not be read before they are written.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include <cstdint>

#include "cpu-driver/codegen/isa.h"

namespace skmd::codegen {

/// `group` is a finished cpu::KernelFunction of vectors. Its stores of whole cache lines to buffers that it does not
/// read go past the caches in large launches, also of few items with many results each, and are seen by others before
/// it returns. Without AVX-512, whose registers are lines, stores of registers that follow each other in memory do.
/// Returns how many there are.
unsigned stream_stores(llvm::Function& group, Isa isa, llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
// From the masked form (item_function.h) to vectors.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include "cpu-driver/codegen/isa.h"
#include "partitioner/result.h"

namespace skmd::codegen {

struct WidenOptions {
  Isa isa = Isa::avx512;
  unsigned width = 16;  // lanes, a power of two from 2
  /// All lanes' items exist: the function has no parameter for it. Else it is a vector of i1.
  bool full = true;
};

/// A new function that does the work of `width` neighbouring lanes of `masked`, which stays as it is: the parameters of
/// `masked` (that with kLane: the first lane's), without the last, and <width x i1> if not `full`. `analyses` has
/// every function analysis registered. An error names what cannot be widened.
domain::Result<llvm::Function*> widen(llvm::Function& masked, const WidenOptions& options,
                                      llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::codegen

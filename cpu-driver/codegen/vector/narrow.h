// SPDX-License-Identifier: Apache-2.0
// Numbers of 64 bits of which only the lower half matters.
#pragma once

#include <llvm/IR/Function.h>

namespace skmd::codegen {

/// Computes lower halves in 32 bits where they are sums or products of what has no more, also around loops: LLVM
/// prefers one number of 64 bits, cut at each use. In `for (uint i = get_global_id(0); i < n; i += get_global_size(0))`
/// lanes of the half differ by one even if it wraps; those of the whole number, extended and cut in every iteration,
/// may not, and would not be known to be neighbours.
void narrow_halves(llvm::Function& function);

}  // namespace skmd::codegen

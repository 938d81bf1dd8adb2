// SPDX-License-Identifier: Apache-2.0
// The code that a stripped kernel may contain to become a merge function: integer operations on ids, scalars and memory
// at a known place.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/merge/merge.h"

namespace skmd::compiler {

/// The one object that `pointer` may point into: a kernel argument, a constant of the program or a private variable;
/// null if there may be several, or it is not known.
const llvm::Value* base_of(const llvm::Value& pointer);

/// Checks a kernel after strip(); the result says why it cannot be a merge function, or what it loads.
MergeKernel judge(const llvm::Function& kernel);

}  // namespace skmd::compiler

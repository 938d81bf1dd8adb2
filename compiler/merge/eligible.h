// SPDX-License-Identifier: Apache-2.0
// What a stripped kernel may still hold to be a merge function: integer operations on ids, scalars and memory that has
// a known place.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/merge/merge.h"

namespace skmd::compiler {

/// The one object that `pointer` may point into: a kernel argument, a constant of the program or a private variable;
/// null if there may be several, or it is not known.
const llvm::Value* base_of(const llvm::Value& pointer);

/// Looks at a kernel after strip().
MergeKernel judge(const llvm::Function& kernel);

}  // namespace skmd::compiler

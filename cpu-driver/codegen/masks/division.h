// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/InstrTypes.h>

namespace skmd::codegen {

/// Makes an integer division give an arbitrary value where its result is undefined, also for poison operands: lanes
/// without an item execute it, too.
void make_safe(llvm::BinaryOperator& division);

}  // namespace skmd::codegen

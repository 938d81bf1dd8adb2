// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/InstrTypes.h>

namespace skmd::codegen {

/// Lets an integer division give some value wherever it is not defined, for poison as well: lanes that are not there
/// divide too.
void make_safe(llvm::BinaryOperator& division);

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
// `if (mark[i] < 0) mark[i] = level;` where i comes from memory, as in searches of graphs: nobody can foresee the
// branch, and what it is decided by has to come from far away.
#pragma once

#include <llvm/IR/Function.h>

namespace skmd::codegen {

/// In innermost loops of `item`, whose code one item runs by itself: what is read, looked at and then stored to is
/// stored to by a mask, without a branch, together with what is stored beside it to places that stay the same. For
/// AVX-512. Returns how many branches are gone.
unsigned mask_marks(llvm::Function& item);

}  // namespace skmd::codegen

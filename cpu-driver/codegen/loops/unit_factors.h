// SPDX-License-Identifier: Apache-2.0
// Strides that are not known before the launch and often are 1: x[i * incx], or the first level of a tree.
#pragma once

#include <llvm/IR/Function.h>

namespace skmd::codegen {

/// Where lanes' places are multiples of a parameter that is the same for all, `item` (item_function.h) gets code of its
/// own for its being 1, in which lanes are next to each other. It has to be brought into form again afterwards. Returns
/// whether that was done.
bool version_unit_factor(llvm::Function& item);

}  // namespace skmd::codegen

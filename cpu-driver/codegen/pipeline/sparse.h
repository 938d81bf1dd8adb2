// SPDX-License-Identifier: Apache-2.0
// Work that lanes would spend waiting: loops that each item leaves at its own time, over places that only memory tells.
// There is nothing that vectors do at once. Items run them one by one, and vectors choose which items do.
#pragma once

#include <llvm/IR/Function.h>

namespace skmd::codegen {

/// Whether `item` (item_function.h) has such a loop, and it is mostly stores and loads of that kind.
bool is_sparse(llvm::Function& item);

/// An item function with one more parameter, `ptr flags`, the last: it stores 1 to flags[lane] if `item` would do
/// anything but read before it ends, else 0. Null if every item would.
llvm::Function* make_chooser(llvm::Function& item);

}  // namespace skmd::codegen

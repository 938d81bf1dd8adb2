// SPDX-License-Identifier: Apache-2.0
// Loops with divergent trip counts over addresses loaded from memory: lanes would mostly wait, and accesses could not
// be vectorised. Items run them one by one; vector code selects the items that run.
#pragma once

#include <llvm/IR/Function.h>

namespace skmd::codegen {

/// Whether `item` (item_function.h) has such a loop, and it is mostly stores and loads of that kind.
bool is_sparse(llvm::Function& item);

/// The functions that select the items with effects.
struct Choice {
  /// An item function with two more parameters, `ptr flags` and `ptr places`, the last: it stores 1 to flags[lane], a
  /// byte, if `item` would do anything but read before it ends, else 0. Null: every item would.
  llvm::Function* chooser = nullptr;
  /// To places[lane], 64 bits, it stores what place such an item reads first then, where memory tells it, or 0.
  bool places = false;
};
Choice make_chooser(llvm::Function& item);

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
// Runs neighbouring groups as one, for kernels whose results do not depend on it: short rows would leave most lanes
// without an item.
#pragma once

#include <llvm/IR/Function.h>

#include <string>

namespace skmd::codegen {

/// True if items of `item` compute the same for every division of dimension 0 into groups: they use the group id only
/// as a part of the global id, share no local memory, reach no barrier and have no effect whose order is visible.
/// `item`: builtins are expanded and local variables placed, the rest is as Clang wrote it; `arguments`: how many the
/// kernel has.
bool groups_do_not_matter(llvm::Function& item, unsigned arguments);

/// A cpu::KernelFunction `symbol` for launches whose groups have one item in dimensions 1 and 2: it calls `rows`, one
/// that keeps nothing for items, with all groups of each row of groups as one group.
llvm::Function* make_joined(const std::string& symbol, llvm::Function& rows);

}  // namespace skmd::codegen

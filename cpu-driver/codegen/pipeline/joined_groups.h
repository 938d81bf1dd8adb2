// SPDX-License-Identifier: Apache-2.0
// Neighbouring groups as one, for kernels that cannot tell: short rows would leave most lanes without an item.
#pragma once

#include <llvm/IR/Function.h>

#include <string>

namespace skmd::codegen {

/// Whether items of `item` do the same however dimension 0 is cut into groups: they know their group only as a part of
/// their global id, share no local memory, come to no barrier and do nothing whose order others could see. `item`:
/// builtins are expanded and local variables placed, the rest is as Clang wrote it; `arguments`: how many the kernel
/// has.
bool groups_do_not_matter(llvm::Function& item, unsigned arguments);

/// A cpu::KernelFunction `symbol` for launches whose groups have one item in dimensions 1 and 2: it calls `rows`, one
/// that keeps nothing for items, with all groups of each row of groups as one group.
llvm::Function* make_joined(const std::string& symbol, llvm::Function& rows);

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
// A kernel as the code of one work-item: a function of its arguments and of everything that places it in the launch.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

#include <array>
#include <cstdint>
#include <string>

#include "partitioner/base/result.h"

namespace skmd::codegen {

/// The parameters behind the kernel's own, in this order; i64 but for the pointers. With d the dimension is added.
enum ItemValue : unsigned {
  kWorkDim = 0,
  kOffset = 1,        // + d: of the launch
  kSize = 4,          // + d: of the launch
  kGroups = 7,        // + d: number of them
  kLocalSize = 10,    // + d
  kGroup = 13,        // + d: id
  kFirst = 16,        // + d: global id of the group's first item
  kLocalId = 19,      // + d; that of dimension 0 is the lane
  kItems = 22,        // ptr: memory of the group's items
  kPaddedItems = 23,  // how many items that has room for: rows of dimension 0 are padded
  kRow = 24,          // index of the row's first item there
  kLocals = 25,       // ptr addrspace(3): the kernel's local variables
  kFrame = 26,        // ptr addrspace(2): the launch's cpu::SpanFrame
  kItemValues = 27
};

/// Marks the loops, as an operand of their llvm.loop, that go from group to group and from item to item.
inline constexpr const char* kItemsLoop = "skmd.items";
/// Whether a loop is the kernel's own.
bool is_of_item(const llvm::Loop* loop);

/// The parameter for `value` of an item function made from a kernel with `arguments` parameters.
inline llvm::Argument* item_value(llvm::Function& item, unsigned arguments, unsigned value) {
  return item.getArg(arguments + value);
}

/// `kernel`, into which everything is inlined, as an item function `name`; the kernel stays as it is. Structures are
/// passed by the address of a copy that is not written. An error names a parameter that generated code cannot take.
domain::Result<llvm::Function*> make_item_function(llvm::Function& kernel, const std::string& name);

/// The local size that `kernel` demands (reqd_work_group_size); zeros: any.
std::array<std::uint64_t, 3> required_local_size(const llvm::Function& kernel);

/// Bytes that the local variables take; they become offsets in kLocals. `arguments`: how many the kernel has.
domain::Result<std::uint64_t> place_local_variables(llvm::Function& item, unsigned arguments);

/// Bytes of the private variables of fixed size that `function`, an item or a vector of them, has.
std::uint64_t variables_of(llvm::Function& function);

}  // namespace skmd::codegen

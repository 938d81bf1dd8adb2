// SPDX-License-Identifier: Apache-2.0
// Values that live across barriers: in per-item memory, as one value for the group, or computed again.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <vector>

#include "cpu-driver/codegen/item/uniformity.h"
#include "partitioner/base/result.h"

namespace skmd::codegen {

/// A barrier: the block of `call` holds nothing else and goes to `after`, which holds nothing yet and is where what
/// was kept is taken up; `computed` follows, where values are computed of that.
struct Barrier {
  llvm::CallInst* call = nullptr;
  llvm::BasicBlock* after = nullptr;
  llvm::BasicBlock* computed = nullptr;
};

/// Where each item of a group has memory of its own: one array per value, neighbours of a row next to each other.
class ItemMemory {
 public:
  explicit ItemMemory(unsigned arguments) : arguments_(arguments) {}

  /// Room for `size` bytes per item, a multiple of `align`; gives what address() wants.
  std::uint64_t reserve(std::uint64_t size, llvm::Align align);
  /// Of this item's `size` bytes at `offset`, inside the function that `ir` stands in: the item or a copy of it.
  llvm::Value* address(llvm::IRBuilder<>& ir, std::uint64_t offset, std::uint64_t size) const;
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  unsigned arguments_;
  std::uint64_t bytes_ = 0;
};

/// One value of the group that lives across a barrier: `in` stands for it in the code, `out` is called with it where
/// it is to be kept; both become what the region's function is given (regions.cpp).
struct GroupValue {
  llvm::Type* type = nullptr;
  llvm::Function* in = nullptr;   // type()
  llvm::Function* out = nullptr;  // void(type)
};

/// Whether one barrier may follow the other, or an end, without one between.
struct Reach {
  std::vector<std::vector<bool>> from;  // [region][block index], region 0 from the entry, k from barrier k - 1
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> index;
};
Reach reach_of(llvm::Function& item, llvm::ArrayRef<Barrier> barriers);

/// Private variables that more than one region uses, or one that comes again, go to `memory`.
domain::Status keep_variables(llvm::Function& item, llvm::ArrayRef<Barrier> barriers, const Reach& reach,
                              ItemMemory& memory);

/// Whether `value` is in `values`, or is a phi whose sources, through other phis, all are.
bool is_one_of(const llvm::SmallPtrSetImpl<const llvm::Value*>& values, const llvm::Value* value);

/// Whether ids and arguments give `value` by few operations: it is computed again behind barriers, not kept.
bool is_computed_again(const llvm::Value& value);

/// Values that live across a barrier are kept before it and taken up behind it. Afterwards no region uses another's.
domain::Result<std::vector<GroupValue>> keep_values(llvm::Function& item, llvm::ArrayRef<Barrier> barriers,
                                                    ItemMemory& memory, const GroupUniformity& uniformity);

}  // namespace skmd::codegen

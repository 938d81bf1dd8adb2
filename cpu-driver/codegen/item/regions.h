// SPDX-License-Identifier: Apache-2.0
// Regions: the code between two barriers, each an item function of its own.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include <cstdint>
#include <vector>

#include "partitioner/base/result.h"

namespace skmd::codegen {

/// Where items end.
inline constexpr unsigned kEnd = 0;

struct BarrierRegion {
  /// void(parameters of the kernel's item function, ptr next, value of each group value, ptr for each): an item
  /// function.
  llvm::Function* function = nullptr;
  /// The regions that may follow, or kEnd. More than one: the function stores which (i32) to `next` in every item that
  /// goes on; if no item stores, all have ended.
  std::vector<unsigned> next;
};

struct Regions {
  std::vector<BarrierRegion> regions;     // the first is number 0, where items begin; nothing goes back there
  std::vector<llvm::Type*> group_values;  // what lives across barriers once for the group
  std::uint64_t item_bytes = 0;           // memory of each item (ItemMemory)
};

/// Cuts `item` (item.h, simplified, with kBarrier for barriers) at its barriers; it is gone afterwards. `arguments`:
/// how many the kernel has. An error says why it cannot be cut.
domain::Result<Regions> cut_at_barriers(llvm::Function& item, unsigned arguments,
                                        llvm::FunctionAnalysisManager& analyses);

}  // namespace skmd::codegen

// SPDX-License-Identifier: Apache-2.0
// Loops over the items of a row, by vectors (group.h), as they are when all is inlined.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <optional>

namespace skmd::codegen {

/// Far from where numbers of 32 bits wrap.
inline constexpr std::uint64_t kMaxItems = 1U << 30U;
inline constexpr std::uint64_t kMaxLanes = 1U << 10U;

/// for (x = start; …; x += step), its latch, which is where it ends, and what it counts to: while x or the next is
/// below, or, by steps of 1, until the next is equal.
struct CountedLoop {
  const llvm::Loop& loop;
  llvm::BasicBlock* latch;
  llvm::BranchInst* end;
  llvm::PHINode* x;  // of 64 bits
  llvm::Value* next;
  llvm::Value* start;
  llvm::Value* count;  // loop-invariant; x stays below, but for a start that is not
  std::uint64_t step;
};
std::optional<CountedLoop> counted_loop(const llvm::Loop& loop);

/// Lanes' numbers: first + x, or the lower bits of that, and a constant for each lane.
struct NumberedLanes {
  llvm::Value* first = nullptr;  // loop-invariant, of the lanes' bits or of 64; null: 0
  std::uint64_t last = 0;        // the largest of the constants; all are at most kMaxLanes
};
std::optional<NumberedLanes> numbered_lanes(llvm::Value& lanes, const CountedLoop& loop);
/// The same of one lane, by steps of 1.
std::optional<NumberedLanes> numbered_item(llvm::Value& number, const CountedLoop& loop);

}  // namespace skmd::codegen

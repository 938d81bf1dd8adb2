// SPDX-License-Identifier: Apache-2.0
// What a thread keeps of the blocks that it gave back.
#include <gtest/gtest.h>

#include <vector>

#include "intercept/backend/port/recycled.h"
#include "tests/intercept/launch/allocation_counter.h"

namespace skmd::icd {
namespace {

TEST(RecycledMemory, AThreadKeepsNoMoreThanAFewBunches) {
  constexpr std::size_t kMany = 400, kBytes = 320, kKept = 64;
  std::vector<void*> blocks(kMany);
  const auto take_all = [&] {
    const std::size_t before = test::allocations();
    for (void*& block : blocks) block = take_block(kBytes);
    return test::allocations() - before;
  };
  take_all();
  for (int round = 0; round < 3; ++round) {
    for (void* block : blocks) give_block(block, kBytes);
    EXPECT_GE(take_all(), kMany - kKept);
  }
  for (void* block : blocks) give_block(block, kBytes);
}

}  // namespace
}  // namespace skmd::icd

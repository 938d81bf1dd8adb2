// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/scratch.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace skmd::cpu::test {
namespace {

TEST(ScratchLayout, PutsVariablesThenArgumentsThenItems) {
  const KernelFacts facts{.local_bytes = 10, .fixed_bytes = 5, .item_bytes = 3, .width = 8};
  const std::uint64_t sizes[] = {1, 200, 128};
  const auto layout = scratch_layout(facts, {9, 2, 3}, sizes);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->local_arguments, (std::vector<std::uint64_t>{128, 256, 512}));
  EXPECT_EQ(layout->items_offset, 640u);
  EXPECT_EQ(layout->bytes, 640u + 5 + 3 * 16 * 2 * 3);  // rows of 9 items are padded to 16
}

TEST(ScratchLayout, HasMemoryForGroupsSideBySide) {
  KernelFacts facts{.local_bytes = 10, .item_bytes = 4, .width = 4, .lane_groups = 8};
  const std::uint64_t sizes[] = {200};
  const auto layout = scratch_layout(facts, {5, 1, 1}, sizes);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->lane_groups, 8u);
  EXPECT_EQ(layout->lane_bytes, 384u);
  EXPECT_EQ(layout->lanes_offset, 512u);  // behind 8 items of 4 bytes
  EXPECT_EQ(layout->bytes, 512u + 8 * (2 * 384 + kBetweenLanes));

  const auto none = [](const KernelFacts& of, std::span<const std::uint64_t> local) {
    const auto alone = scratch_layout(of, {5, 1, 1}, local);
    return alone && alone->lane_groups == 0 && alone->lane_bytes == 0;
  };
  const std::uint64_t most[] = {tuning::kMaxLaneBytes};
  EXPECT_TRUE(none(facts, most));  // with the variables more than the nearer caches hold
  facts.local_bytes = 0;
  EXPECT_FALSE(none(facts, most));
  EXPECT_TRUE(none(facts, {}));
  facts.lane_groups = 0;
  EXPECT_TRUE(none(facts, most));
}

TEST(ScratchLayout, OfNothingIsNothing) {
  const auto layout = scratch_layout({}, {1, 1, 1}, {});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->bytes, 0u);
}

TEST(ScratchLayout, RefusesWhatNobodyHas) {
  const std::uint64_t wild = ~std::uint64_t{0};
  const std::uint64_t sizes[] = {wild, wild};
  EXPECT_FALSE(scratch_layout({}, {1, 1, 1}, sizes));
  EXPECT_FALSE(scratch_layout({.item_bytes = wild / 2, .width = 1}, {64, 64, 1}, {}));
  EXPECT_FALSE(scratch_layout({.item_bytes = 1, .width = 1}, {wild / 2, 64, 64}, {}));
  EXPECT_FALSE(scratch_layout({.local_bytes = tuning::kMaxScratch + 1}, {1, 1, 1}, {}));
  EXPECT_TRUE(scratch_layout({.local_bytes = tuning::kMaxScratch - 4096}, {1, 1, 1}, {}));
}

TEST(Scratch, IsReusedAndGrows) {
  std::byte* const small = scratch_of_this_thread(100);
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(small) % kScratchAlignment, 0u);
  EXPECT_EQ(scratch_of_this_thread(50), small);
  std::byte* const large = scratch_of_this_thread(100000);
  ASSERT_NE(large, nullptr);
  std::memset(large, 1, 100000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large) % kScratchAlignment, 0u);
  EXPECT_EQ(scratch_of_this_thread(0), large);
}

TEST(Scratch, CanBeReadAround) {
  for (const std::uint64_t bytes : {100, 5000, 300000}) {
    std::byte* const scratch = scratch_of_this_thread(bytes);
    ASSERT_NE(scratch, nullptr);
    std::memset(scratch - kReadAroundScratch, 3, bytes + 2 * kReadAroundScratch);
    EXPECT_EQ(scratch[-static_cast<std::ptrdiff_t>(kReadAroundScratch)], std::byte{3});
  }
  leave_scratch();
}

TEST(Scratch, IsEachThreadsOwn) {
  std::byte* const mine = scratch_of_this_thread(100);
  std::byte* other = nullptr;
  std::thread([&] {
    other = scratch_of_this_thread(100);
    std::memset(other, 2, 100);
  }).join();
  EXPECT_NE(mine, other);
}

TEST(Scratch, WithoutMemoryThereIsNone) {
  EXPECT_EQ(scratch_of_this_thread(std::uint64_t{1} << 60), nullptr);
  EXPECT_NE(scratch_of_this_thread(100), nullptr);
}

}  // namespace
}  // namespace skmd::cpu::test

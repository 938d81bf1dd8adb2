// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/port/recycled.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace skmd::icd {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kKept = false;  // so that a use after the end is seen
#else
constexpr bool kKept = true;
#endif

TEST(Recycled, ABlockThatWasGivenBackIsTheNextOfItsSize) {
  void* const block = take_block(200);
  give_block(block, 200);
  void* const next = take_block(220);  // the same unit
  void* const other = take_block(500);
  if (kKept) {
    EXPECT_EQ(next, block);
  }
  EXPECT_NE(other, next);
  give_block(next, 220);
  give_block(other, 500);
}

TEST(Recycled, BlocksHaveTheBytesThatWereAskedFor) {
  for (int round = 0; round < 3; ++round) {
    std::vector<std::pair<unsigned char*, std::size_t>> blocks;
    for (std::size_t bytes = 1; bytes <= 1500; bytes += 37) {
      auto* const block = static_cast<unsigned char*>(take_block(bytes));
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t), 0u);
      std::memset(block, static_cast<int>(bytes % 251), bytes);
      blocks.emplace_back(block, bytes);
    }
    for (const auto& [block, bytes] : blocks) {
      for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(block[i], bytes % 251);
      give_block(block, bytes);
    }
  }
}

TEST(Recycled, AThreadKeepsSomeAndNotAll) {
  constexpr std::size_t kMany = 400;
  std::vector<void*> blocks;
  for (std::size_t i = 0; i < kMany; ++i) blocks.push_back(take_block(320));
  const std::set<void*> distinct(blocks.begin(), blocks.end());
  EXPECT_EQ(distinct.size(), kMany);
  for (void* block : blocks) give_block(block, 320);
  blocks.clear();
  for (std::size_t i = 0; i < kMany; ++i) blocks.push_back(take_block(320));
  EXPECT_EQ(std::set<void*>(blocks.begin(), blocks.end()).size(), kMany);
  for (void* block : blocks) give_block(block, 320);
}

TEST(Recycled, BlocksMayBeGivenBackOnAnotherThreadAndWhileOneEnds) {
  struct Late {
    void* block = nullptr;
    ~Late() { give_block(block, 130); }
  };
  for (int i = 0; i < 20; ++i) {
    void* const made_here = take_block(130);
    void* made_there = nullptr;
    std::thread([&] {
      thread_local Late late;  // destroyed after what the thread has kept: made before
      late.block = take_block(130);
      made_there = take_block(130);
      give_block(made_here, 130);
    }).join();
    give_block(made_there, 130);
  }
}

TEST(Recycled, ClassesAndSharedObjectsAreMadeFromBlocks) {
  struct Base : Recycled {
    explicit Base(int first) : value(first) {}
    virtual ~Base() = default;
    int value;
  };
  struct Larger : Base {
    explicit Larger(int first) : Base(first) {}
    std::vector<int> more = std::vector<int>(10, 3);
    char room[300] = {};
  };
  for (int i = 0; i < 100; ++i) {
    const std::unique_ptr<Base> one(new Larger(i));
    const auto shared = std::allocate_shared<Larger>(Recycling<Larger>(), i);
    EXPECT_EQ(one->value, i);
    EXPECT_EQ(shared->more.size(), 10u);
  }
}

}  // namespace
}  // namespace skmd::icd

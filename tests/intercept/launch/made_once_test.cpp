// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/made_once.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <thread>
#include <vector>

namespace skmd::icd {
namespace {

TEST(MadeOnce, MakesItsValueAtTheFirstUseOnly) {
  MadeOnce<int> value;
  EXPECT_EQ(value.get([] { return 3; }), 3);
  EXPECT_EQ(value.get([] { return 4; }), 3);
}

TEST(MadeOnce, TriesAgainAfterMakingItThrew) {
  MadeOnce<int> value;
  EXPECT_THROW(value.get([]() -> int { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_EQ(value.get([] { return 5; }), 5);
}

TEST(MadeOnce, ThreadsThatAskTogetherGetOneValue) {
  MadeOnce<int> value;
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { EXPECT_EQ(value.get([&] { return ++made; }), 1); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
}

}  // namespace
}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/kept_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

namespace skmd::cpu::test {
namespace {

TEST(KeptMap, IsKeptForTheNextOfItsSize) {
  constexpr std::uint64_t kWords = 5u << 18;  // five large pages
  std::uint64_t* first = nullptr;
  {
    const KeptMap map = KeptMap::take(kWords);
    ASSERT_NE(map.words(), nullptr);
    std::fill_n(map.words(), kWords, ~std::uint64_t{0});  // all of it is there
    first = map.words();
  }
  EXPECT_GE(KeptMap::kept(), kWords * 8);
  const KeptMap small = KeptMap::take(1);
  EXPECT_NE(small.words(), first) << "more than four times as large";
  const KeptMap huge = KeptMap::take(4 * kWords);
  EXPECT_NE(huge.words(), first);
  const KeptMap again = KeptMap::take(kWords - 7);
  EXPECT_EQ(again.words(), first);
  const KeptMap other = KeptMap::take(kWords);
  EXPECT_NE(other.words(), first) << "it is taken";
}

TEST(KeptMap, NotMoreIsKeptThanTheLimit) {
  {
    std::vector<KeptMap> maps;
    for (int i = 0; i < 40; ++i) maps.push_back(KeptMap::take(1u << 18));
    maps.push_back(KeptMap::take(KeptMap::kMostKept / 8 + 1));
  }
  EXPECT_GT(KeptMap::kept(), 0u);
  EXPECT_LE(KeptMap::kept(), KeptMap::kMostKept);
}

TEST(KeptMap, ThreadsNeverShareOne) {
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed)
    threads.emplace_back([seed] {
      std::mt19937 random(seed);
      for (int time = 0; time < 300; ++time) {
        const std::uint64_t words = 1 + random() % 4096;
        const KeptMap map = KeptMap::take(words);
        std::fill_n(map.words(), words, seed + 1);
        for (std::uint64_t i = 0; i < words; ++i) ASSERT_EQ(map.words()[i], seed + 1);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(KeptMap, WithoutMemoryThereIsNone) { EXPECT_EQ(KeptMap::take(std::uint64_t{1} << 58).words(), nullptr); }

}  // namespace
}  // namespace skmd::cpu::test

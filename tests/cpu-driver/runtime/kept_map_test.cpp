// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/kept_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "tests/cpu-driver/runtime/kernel_code.h"

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
    maps.push_back(KeptMap::take(KeptMap::kMaxKept / 8 + 1));
  }
  EXPECT_GT(KeptMap::kept(), 0u);
  EXPECT_LE(KeptMap::kept(), KeptMap::kMaxKept);
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

TEST(KeptMap, AMergeTakesNothingThatAnEarlierOneMarked) {
  auto library = SpanLibrary::load(span_code_of("__kernel void k(__global uint* out, __global const uint* where) {"
                                                "  uint i = get_global_id(0); out[where[i]] = i; }"),
                                   "");
  ASSERT_TRUE(library.ok()) << library.error().reason;
  constexpr std::uint32_t kOld = 0xAAAAAAAA;
  std::mt19937 random(5);
  Pool pool{3};
  for (int time = 0; time < 20; ++time) {
    const std::size_t size = 64 + random() % 100'000;
    std::vector<std::uint32_t> out(size, kOld), result(size), where(size), expected(size, kOld);
    std::iota(result.begin(), result.end(), 0u);
    for (std::uint32_t& place : where) place = static_cast<std::uint32_t>(random() % size);
    const std::uint64_t groups = size / 16, first = random() % groups, last = first + random() % (groups - first + 1);
    const SpanArgument arguments[] = {merged(out, result), whole(where)};
    SpanFrame frame = line(groups, 16);
    frame.arguments = arguments;
    run_merge(pool, (*library)->merge_function("k"), frame, 2, first, last);
    for (std::uint64_t i = first * 16; i < last * 16; ++i) expected[where[i]] = where[i];
    ASSERT_EQ(out, expected) << "time " << time;
  }
}

}  // namespace
}  // namespace skmd::cpu::test

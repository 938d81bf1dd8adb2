// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "cpu-driver/runtime/merge_run.h"

namespace skmd::cpu::test {
namespace {

constexpr std::uint64_t kWords = 40;

/// Words without order, empty, full, and with one run.
std::vector<std::uint64_t> random_map(std::mt19937_64& random) {
  std::vector<std::uint64_t> words(kWords);
  for (std::uint64_t& word : words) {
    const std::uint64_t kinds[] = {random(), 0, ~std::uint64_t{0}, ~std::uint64_t{0} << random() % 64,
                                   std::uint64_t{1} << 63};
    word = kinds[random() % 5];
  }
  return words;
}

TEST(CopyMarked, CopiesTheUnitsOfAllMapsAndNothingElse) {
  std::mt19937_64 random(11);
  for (const std::uint32_t unit : {1u, 2u, 4u, 8u, 16u, 32u, 64u}) {
    const auto one = random_map(random);
    const auto other = random_map(random);
    const std::uint64_t* const maps[] = {one.data(), other.data()};
    for (const std::size_t used : {1u, 2u}) {
      // From an odd place on: a buffer may begin anywhere.
      std::vector<std::byte> from(kWords * 64 * unit + 1), to(from.size(), std::byte{0xAA}), expected = to;
      for (std::byte& byte : from) byte = static_cast<std::byte>(random());
      const std::uint64_t first = 3;
      const std::uint64_t last = kWords - 2;
      for (std::uint64_t i = first * 64; i < last * 64; ++i) {
        const std::uint64_t word = one[i / 64] | (used == 2 ? other[i / 64] : 0);
        if ((word >> i % 64 & 1) == 0) continue;
        for (std::uint64_t byte = i * unit + 1; byte < (i + 1) * unit + 1; ++byte) expected[byte] = from[byte];
      }
      copy_marked(from.data() + 1, to.data() + 1, unit, std::span(maps, used), first, last);
      EXPECT_EQ(to, expected) << unit;
    }
  }
}

// Bytes behind the last marked unit are not even touched: a full word is copied as a whole, another one is not.
TEST(CopyMarked, StaysInsideABufferThatEndsInTheMiddleOfAWord) {
  for (const std::uint32_t unit : {1u, 2u, 4u, 8u, 16u}) {
    const std::uint64_t units = 64 + 37;
    std::vector<std::byte> from(units * unit, std::byte{1}), to(from.size(), std::byte{2});
    const std::vector<std::uint64_t> map = {~std::uint64_t{0}, (std::uint64_t{1} << 37) - 1};
    const std::uint64_t* const maps[] = {map.data()};
    copy_marked(from.data(), to.data(), unit, maps, 0, 2);
    EXPECT_EQ(to, from);
  }
}

}  // namespace
}  // namespace skmd::cpu::test

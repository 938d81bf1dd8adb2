// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "bench/start/dxt_reference.h"
#include "bench/support/random.h"

namespace bench {
namespace {

Pixels random_pixels(std::uint64_t seed) {
  Random random(seed);
  Pixels pixels;
  for (Colour& pixel : pixels) {
    for (double& value : pixel) value = random.uniform(0, 1);
  }
  return pixels;
}

TEST(Dxt, PartitionsAreAllOrdersOfFourClustersThatFixBothColours) {
  const auto partitions = dxt_partitions();
  EXPECT_EQ(partitions.size(), 969u - 4);
  EXPECT_EQ(std::set<std::uint32_t>(partitions.begin(), partitions.end()).size(), partitions.size());
  for (const std::uint32_t all : {0u, 0x55555555u, 0xaaaaaaaau, 0xffffffffu}) {
    EXPECT_EQ(std::count(partitions.begin(), partitions.end(), all), 0);
  }
}

TEST(Dxt, TwoColoursThatFitAreExact) {
  Pixels pixels;
  for (int i = 0; i < 16; ++i) pixels[i] = i % 3 == 0 ? Colour{1, 0, 0} : Colour{0, 0, 1};
  EXPECT_NEAR(dxt_best_error(pixels, dxt_partitions()), 0, 1e-9);
  std::uint32_t indices = 0;
  for (std::uint32_t i = 0; i < 16; ++i) indices |= (i % 3 == 0 ? 0u : 1u) << (2 * i);
  EXPECT_NEAR(dxt_error(pixels, 0xf800u | 0x001fu << 16, indices), 0, 1e-9);
  // Not ordered: the third and the fourth index are the middle and black.
  EXPECT_NEAR(dxt_error(pixels, 0x001fu | 0xf800u << 16, indices ^ 0x55555555u), 0, 1e-9);
  EXPECT_GT(dxt_error(pixels, 0x001fu | 0xf800u << 16, 0xffffffffu), 1);
}

TEST(Dxt, NoBlockIsMuchBetterThanTheBest) {
  // Tried at random: 20,000 blocks with end colours among the pixels' own and each pixel's best index.
  const auto partitions = dxt_partitions();
  Random random(7);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Pixels pixels = random_pixels(seed);
    const double best = dxt_best_error(pixels, partitions);
    for (int i = 0; i < 1000; ++i) {
      std::uint32_t first = random.below(0x10000), second = random.below(0x10000);
      if (first == second) continue;
      if (first < second) std::swap(first, second);
      std::uint32_t indices = 0;
      for (std::uint32_t p = 0; p < 16; ++p) {
        double least = 1e30;
        std::uint32_t chosen = 0;
        for (std::uint32_t index = 0; index < 4; ++index) {
          Pixels one;
          one.fill(pixels[p]);
          const double error = dxt_error(one, first | second << 16, index * 0x55555555u);
          if (error < least) {
            least = error;
            chosen = index;
          }
        }
        indices |= chosen << (2 * p);
      }
      EXPECT_GT(dxt_error(pixels, first | second << 16, indices), 0.9 * best);
    }
  }
}

}  // namespace
}  // namespace bench

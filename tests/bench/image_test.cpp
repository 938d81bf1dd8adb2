// SPDX-License-Identifier: Apache-2.0
#include "bench/reference/image.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

/// Pixel (x, y) has 10·y + x in channel 2.
Image numbered() {
  Image image{4, 3, std::vector<cl_uchar4>(12)};
  for (std::size_t i = 0; i < 12; ++i) image.pixels[i].s[2] = static_cast<cl_uchar>(i / 4 * 10 + i % 4);
  return image;
}

TEST(Image, NeighboursInside) {
  EXPECT_EQ(numbered().neighbours(1, 1, 2), (std::array<int, 9>{0, 1, 2, 10, 11, 12, 20, 21, 22}));
}

TEST(Image, NeighboursRepeatTheEdge) {
  EXPECT_EQ(numbered().neighbours(0, 0, 2), (std::array<int, 9>{0, 0, 1, 0, 0, 1, 10, 10, 11}));
  EXPECT_EQ(numbered().neighbours(3, 2, 2), (std::array<int, 9>{12, 13, 13, 22, 23, 23, 22, 23, 23}));
}

TEST(Image, ChannelsAreApart) { EXPECT_EQ(numbered().neighbours(3, 2, 1)[4], 0); }

}  // namespace
}  // namespace bench

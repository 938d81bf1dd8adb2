// SPDX-License-Identifier: Apache-2.0
#include "intercept/memory/rect_region.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace skmd::icd {
namespace {

std::set<std::uint64_t> bytes_of(const RectRegion& region) {
  std::set<std::uint64_t> bytes;
  for (std::uint64_t z = 0; z < region.slices; ++z)
    for (std::uint64_t y = 0; y < region.rows; ++y)
      for (std::uint64_t x = 0; x < region.row_bytes; ++x)
        bytes.insert(region.begin + z * region.slice_pitch + y * region.row_pitch + x);
  return bytes;
}

RectRegion random_region(std::mt19937& random) {
  RectRegion region;
  region.row_bytes = 1 + random() % 4;
  region.rows = 1 + random() % 3;
  region.slices = 1 + random() % 3;
  region.row_pitch = region.row_bytes + random() % 3;
  region.slice_pitch = region.row_pitch * (region.rows + random() % 3);
  region.begin = random() % 20;
  return region;
}

TEST(RectRegion, RangesAndMergedRowsAreTheSameBytes) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const RectRegion region = random_region(random);
    std::set<std::uint64_t> from_ranges;
    const domain::RangeSet ranges = region.ranges();
    for (const auto& range : ranges.ranges())
      for (std::uint64_t byte = range.begin; byte < range.end; ++byte) from_ranges.insert(byte);
    ASSERT_EQ(from_ranges, bytes_of(region));
    ASSERT_EQ(bytes_of(region.merged()), bytes_of(region));
  }
}

TEST(RectRegion, TightRegionsMergeToOneRow) {
  EXPECT_TRUE((RectRegion{5, 4, 3, 2, 4, 12}.merged().is_linear()));
  EXPECT_TRUE((RectRegion{5, 4, 1, 6, 4, 4}.merged().is_linear()));
  EXPECT_FALSE((RectRegion{5, 4, 3, 2, 4, 16}.merged().is_linear()));
}

TEST(RectRegion, OverlapIsNeverMissedAndGapsAreSeen) {
  std::mt19937 random(2);
  for (int i = 0; i < 5000; ++i) {
    const RectRegion a = random_region(random);
    RectRegion b = a;
    b.begin = random() % 60;
    // Origins of rectangles: rows do not wrap from one line of the pitch into the next.
    if (a.begin % a.row_pitch + a.row_bytes > a.row_pitch || b.begin % a.row_pitch + a.row_bytes > a.row_pitch)
      continue;
    const auto in_a = bytes_of(a);
    bool meets = false;
    for (const auto byte : bytes_of(b)) meets |= in_a.count(byte) != 0;
    if (meets) {
      ASSERT_TRUE(overlap(a, b));
    }
  }
  EXPECT_FALSE(overlap(RectRegion{0, 4, 3, 1, 16, 48}, RectRegion{4, 4, 3, 1, 16, 48}));
  EXPECT_TRUE(overlap(RectRegion{0, 4, 3, 1, 16, 48}, RectRegion{3, 4, 3, 1, 16, 48}));
}

}  // namespace
}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
#include "partitioner/footprint/row_gaps.h"

#include <gtest/gtest.h>

#include <random>

namespace skmd::domain {
namespace {

constexpr RowGapLimits kFew{.least_ranges = 4, .most_gap = 16, .most_part = 0.25};

RangeSet rows(std::uint64_t count, std::uint64_t width, std::uint64_t pitch, std::uint64_t from = 0) {
  RangeSet set;
  for (std::uint64_t i = 0; i < count; ++i) set.add(ByteRange{from + i * pitch, from + i * pitch + width});
  return set;
}

RootFootprint written(const RangeSet& set) {
  RootFootprint footprint;
  footprint.may_write = set;
  footprint.must_write = set;
  return footprint;
}

TEST(RowGaps, AreThoseBetweenManyRows) {
  EXPECT_EQ(row_gaps(rows(4, 100, 110), kFew), RangeSet({{100, 110}, {210, 220}, {320, 330}}));
  EXPECT_TRUE(row_gaps(rows(3, 100, 110), kFew).empty()) << "few rows stay exact";
  EXPECT_TRUE(row_gaps(rows(9, 100, 117), kFew).empty()) << "long gaps stay open";
  EXPECT_TRUE(row_gaps(rows(9, 20, 30), kFew).empty()) << "gaps that are a third of everything";
  EXPECT_TRUE(row_gaps({}, kFew).empty());
}

TEST(RowGaps, LongGapsDoNotKeepShortOnesOpen) {
  RangeSet planes = rows(3, 100, 110);
  planes.add(rows(3, 100, 110, 1000));
  EXPECT_EQ(row_gaps(planes, kFew), RangeSet({{100, 110}, {210, 220}, {1100, 1110}, {1210, 1220}}));
}

TEST(RowGaps, ClosedOnesAreWrittenPerhaps) {
  RootFootprint whole = written(rows(5, 100, 110));
  close_row_gaps(whole, row_gaps(whole.may_write, kFew));
  EXPECT_EQ(whole.may_write, RangeSet(ByteRange{0, 540}));
  EXPECT_TRUE(whole.must_write.empty()) << "the device has to hold what lies between";
}

TEST(RowGaps, ASliceClosesItsOwnOnly) {
  const RangeSet gaps = row_gaps(rows(6, 100, 110), kFew);
  RootFootprint slice = written(rows(3, 100, 110));
  close_row_gaps(slice, gaps);
  EXPECT_EQ(slice.may_write, RangeSet(ByteRange{0, 320}));
  RootFootprint apart = written(RangeSet({{0, 100}, {220, 320}, {330, 430}}));
  close_row_gaps(apart, gaps);
  EXPECT_EQ(apart.may_write, RangeSet({{0, 100}, {220, 430}})) << "the row between them is another slice's";
  EXPECT_EQ(apart.must_write, RangeSet(ByteRange{0, 100}));
  RootFootprint part = written(RangeSet({{0, 100}, {115, 210}}));
  close_row_gaps(part, gaps);
  EXPECT_EQ(part.may_write, RangeSet({{0, 100}, {115, 210}})) << "half a row is no row";
}

// Slices of rows taken by chance: they stay disjoint, hold what they held, and gain nothing that the launch writes.
TEST(RowGaps, DisjointSlicesStayDisjoint) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t width = 40 + random() % 60;
    const std::uint64_t pitch = width + random() % 20;
    const RangeSet whole = rows(4 + random() % 40, width, pitch);
    const RangeSet gaps = row_gaps(whole, kFew);
    std::vector<RangeSet> parts(3);
    std::size_t slice = 0;
    for (const ByteRange& row : whole.ranges()) {
      if (random() % 3 == 0) slice = random() % parts.size();
      const std::uint64_t cut = random() % 4 == 0 ? row.begin + random() % row.size() : row.end;
      parts[slice].add(ByteRange{row.begin, cut});
      slice = cut == row.end ? slice : random() % parts.size();
      if (cut != row.end) parts[slice].add(ByteRange{cut, row.end});
    }
    RangeSet seen;
    for (const RangeSet& part : parts) {
      RootFootprint footprint = written(part);
      close_row_gaps(footprint, gaps);
      EXPECT_FALSE(footprint.may_write.intersects(seen)) << round;
      EXPECT_TRUE(part.difference(footprint.may_write).empty()) << round;
      EXPECT_TRUE(footprint.may_write.difference(part).intersection(whole).empty()) << round;
      EXPECT_TRUE(footprint.must_write.difference(part).empty()) << round;
      seen.add(footprint.may_write);
    }
  }
}

}  // namespace
}  // namespace skmd::domain

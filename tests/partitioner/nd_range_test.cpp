// SPDX-License-Identifier: Apache-2.0
#include "partitioner/base/nd_range.h"

#include <gtest/gtest.h>

#include <random>

namespace skmd::domain {
namespace {

std::uint64_t flattened(const Extent3& id, const Extent3& groups) {
  return id[0] + groups[0] * (id[1] + groups[1] * id[2]);
}

/// The groups of the boxes, box by box, dimension 0 fastest.
std::vector<std::uint64_t> groups_of(const std::vector<Box>& boxes, const Extent3& groups) {
  std::vector<std::uint64_t> ids;
  for (const Box& box : boxes) {
    for (std::uint64_t z = 0; z < box.count[2]; ++z) {
      for (std::uint64_t y = 0; y < box.count[1]; ++y) {
        for (std::uint64_t x = 0; x < box.count[0]; ++x) {
          ids.push_back(flattened({box.first[0] + x, box.first[1] + y, box.first[2] + z}, groups));
        }
      }
    }
  }
  return ids;
}

void expect_tiling(const GroupSpan& span, const Extent3& groups, std::size_t most) {
  std::vector<Box> boxes;
  boxes_of(span, groups, boxes);
  EXPECT_LE(boxes.size(), most);
  const auto ids = groups_of(boxes, groups);
  ASSERT_EQ(ids.size(), span.size());
  // Boxes ascend and none interleaves with another, so the groups come in order of their flattened ids.
  for (std::size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(ids[i], span.first + i);
}

TEST(Boxes, EverySpanOfSmallRangesIsTiledInOrder) {
  for (const Extent3& groups : {Extent3{7, 1, 1}, Extent3{4, 5, 1}, Extent3{3, 4, 3}, Extent3{1, 4, 3},
                                Extent3{3, 1, 4}, Extent3{1, 1, 6}, Extent3{2, 2, 2}}) {
    const std::uint64_t total = groups[0] * groups[1] * groups[2];
    const std::size_t most = groups[2] > 1 ? 5 : groups[1] > 1 ? 3 : 1;
    for (std::uint64_t first = 0; first < total; ++first) {
      for (std::uint64_t last = first + 1; last <= total; ++last) expect_tiling({first, last}, groups, most);
    }
  }
}

TEST(Boxes, WholeRangeIsOneBox) {
  std::vector<Box> boxes;
  boxes_of({0, 60}, {3, 4, 5}, boxes);
  EXPECT_EQ(boxes, std::vector<Box>({{{0, 0, 0}, {3, 4, 5}}}));
}

TEST(Boxes, WorstCaseInThreeDimensionsIsFive) {
  std::vector<Box> boxes;
  boxes_of({1, 5 * 5 * 4 - 1}, {5, 5, 4}, boxes);
  EXPECT_EQ(boxes.size(), 5u);
}

TEST(Boxes, EmptySpanAndSpanBeyondTheRange) {
  std::vector<Box> boxes = {{}};
  boxes_of({3, 3}, {8, 1, 1}, boxes);
  EXPECT_TRUE(boxes.empty());
  boxes_of({6, 100}, {8, 1, 1}, boxes);
  EXPECT_EQ(boxes, std::vector<Box>({{{6, 0, 0}, {2, 1, 1}}}));
}

TEST(LaunchOf, MovesTheOffsetAndKeepsWorkDimAndLocalSize) {
  const NdRange range{2, {5, 7, 0}, {64, 32, 1}, {8, 4, 1}};
  const NdRange launch = launch_of(range, {{3, 2, 0}, {2, 1, 1}});
  EXPECT_EQ(launch, (NdRange{2, {5 + 24, 7 + 8, 0}, {16, 4, 1}, {8, 4, 1}}));
}

}  // namespace
}  // namespace skmd::domain

// SPDX-License-Identifier: Apache-2.0
// Rectangles in the parts that go to drivers: the same bytes, each part within what the strictest driver takes.
#include "intercept/backend/port/rectangles.h"

#include <gtest/gtest.h>

#include <random>
#include <span>

namespace skmd::icd {
namespace {

std::vector<int> touched(std::span<const domain::RowRun> runs, std::uint64_t bytes) {
  std::vector<int> times(bytes);
  for (const domain::RowRun& run : runs)
    for (std::uint64_t row = 0; row < run.rows; ++row)
      for (std::uint64_t i = 0; i < run.width; ++i) ++times.at(run.begin + row * run.stride + i);
  return times;
}

bool taken(const domain::RowRun& run, std::uint64_t bytes) {
  return run.begin % run.stride + run.width <= run.stride && (run.begin / run.stride + run.rows) * run.stride <= bytes;
}

TEST(Rectangles, PartsAreTheSameBytesAndEveryDriverTakesThem) {
  std::mt19937 random(7);
  std::size_t whole = 0;
  for (int i = 0; i < 4000; ++i) {
    domain::RowRun rows;
    rows.width = 1 + random() % 20;
    rows.stride = rows.width + random() % 12;
    rows.rows = 1 + random() % 6;
    rows.begin = random() % 64;
    const std::uint64_t end = rows.begin + (rows.rows - 1) * rows.stride + rows.width;
    const std::uint64_t bytes = end + (random() % 2 == 0 ? 0 : random() % 40);
    const auto parts = as_rectangles(rows, bytes);
    EXPECT_EQ(touched(parts, bytes), touched({&rows, 1}, bytes));
    EXPECT_LE(parts.size(), 4u);
    for (const domain::RowRun& part : parts)
      EXPECT_TRUE(part.rows == 1 || taken(part, bytes)) << part.begin << " " << part.width << " " << part.stride;
    if (rows.rows > 1 && taken(rows, bytes)) {
      EXPECT_EQ(parts, domain::RowRuns{rows});
      ++whole;
    }
  }
  EXPECT_GT(whole, 500u);
}

TEST(Rectangles, RowsThatOverlapOrLieTooFarApartGoOneByOne) {
  EXPECT_EQ(as_rectangles({0, 8, 4, 3}, 64).size(), 3u);
  EXPECT_EQ(as_rectangles({0, 8, std::uint64_t{1} << 31, 2}, std::uint64_t{1} << 33).size(), 2u);
  EXPECT_EQ(as_rectangles({3, 8, 0, 1}, 64), (domain::RowRuns{{3, 8, 0, 1}}));
}

TEST(Rectangles, ABoxHasAnOriginWhereItFits) {
  const std::uint64_t pitch[] = {16, 64};
  const std::uint64_t box[] = {8, 2, 3};
  const BoxPlace place = box_place(64 + 16 + 4, pitch, box, 4 * 64);
  ASSERT_TRUE(place.fits);
  EXPECT_EQ(place.origin[0], 4u);
  EXPECT_EQ(place.origin[1], 1u);
  EXPECT_EQ(place.origin[2], 1u);
  EXPECT_FALSE(box_place(64 + 16 + 4, pitch, box, 4 * 64 - 1).fits) << "the last slice's pitch";
  EXPECT_FALSE(box_place(12, pitch, box, 1024).fits) << "a row passes its pitch";
  EXPECT_FALSE(box_place(48, pitch, box, 1024).fits) << "rows pass their slice";
  const std::uint64_t odd[] = {16, 60};
  EXPECT_FALSE(box_place(0, odd, box, 1024).fits) << "slices are not whole rows";
  const std::uint64_t flat[] = {8, 3, 1};
  EXPECT_TRUE(box_place(0, odd, flat, 48).fits) << "one slice has no pitch";
  EXPECT_FALSE(box_place(0, odd, flat, 47).fits);
}

}  // namespace
}  // namespace skmd::icd

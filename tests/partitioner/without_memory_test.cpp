// SPDX-License-Identifier: Apache-2.0
// What is known of bytes when memory runs out in the middle of changing it.
#include <gtest/gtest.h>

#include <functional>
#include <new>

#include "partitioner/residency/residency.h"
#include "tests/intercept/launch/allocation_counter.h"

namespace skmd::domain {
namespace {

using Change = std::function<void(ResidencyMap&)>;

const RangeSet kScattered{{2, 4}, {10, 12}, {20, 28}, {40, 41}, {50, 60}};

/// A map of few pieces, with no room for more.
ResidencyMap simple_map() {
  ResidencyMap map(64);
  map.written(1, ByteRange{0, 64});
  return map;
}

/// Whether `change` threw when its n-th allocation failed, and `count` in all from there on.
bool fails(const Change& change, std::size_t n, ResidencyMap& map, std::size_t count = 1) {
  icd::test::fail_allocation(n, count);
  bool thrown = false;
  try {
    change(map);
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  icd::test::fail_allocation(0);
  return thrown;
}

TEST(WithoutMemory, AChangeOfResidencyIsMadeOrNot) {
  const Change changes[] = {[](ResidencyMap& map) { map.written(2, kScattered); },
                            [](ResidencyMap& map) { map.copied(0, kScattered); },
                            [](ResidencyMap& map) { map.forgotten(kScattered); }};
  for (const Change& change : changes) {
    ResidencyMap made = simple_map();
    change(made);
    std::size_t failures = 0;
    for (std::size_t n = 1;; ++n, ++failures) {
      ResidencyMap map = simple_map();
      if (!fails(change, n, map)) {
        EXPECT_EQ(map.pieces(), made.pieces());
        break;
      }
      EXPECT_EQ(map.pieces(), simple_map().pieces()) << "allocation " << n;
    }
    EXPECT_GE(failures, 2u);
  }
}

TEST(WithoutMemory, AWithdrawalMayTakeMoreButNeverLess) {
  constexpr ByteRange kPart{10, 20};
  const std::pair<Change, RangeSet> changes[] = {{[](ResidencyMap& map) { map.withdrawn(0, kScattered); }, kScattered},
                                                 {[&](ResidencyMap& map) { map.withdrawn(0, kPart); }, kPart}};
  for (const auto& [change, ranges] : changes)
    for (const std::size_t count : {std::size_t{1}, std::size_t{1000}})
      for (std::size_t n = 1; n <= 4; ++n) {
        ResidencyMap map = simple_map();
        map.copied(0, ByteRange{0, 48});
        EXPECT_FALSE(fails(change, n, map, count));
        EXPECT_TRUE(map.valid(0, ranges).empty());
        EXPECT_EQ(map.valid(1, ByteRange{0, 64}).bytes(), 64u) << "the other copy is as good as before";
        for (std::size_t i = 1; i < map.pieces().size(); ++i)
          EXPECT_NE(map.pieces()[i].valid, map.pieces()[i - 1].valid);
      }
}

TEST(WithoutMemory, ARewriteMayTakeMoreButNeverLess) {
  // Valid in both spaces, undefined, and valid in the other space alone: as a whole, and in part.
  const auto before = [] {
    ResidencyMap map(80);
    map.written(1, ByteRange{0, 20});
    map.written(1, ByteRange{40, 80});
    map.copied(0, ByteRange{0, 20});
    map.written(2, ByteRange{60, 80});
    return map;
  };
  const RangeSet ranges{{4, 8}, {24, 30}, {40, 60}, {70, 72}};
  const RangeSet sure{{4, 8}, {24, 30}, {40, 60}};
  ResidencyMap made = before();
  made.written(0, ranges);
  ResidencyMap same = before();
  same.rewritten(0, ranges);
  EXPECT_EQ(same.pieces(), made.pieces()) << "with memory it is a write";
  for (const std::size_t count : {std::size_t{1}, std::size_t{1000}})
    for (std::size_t n = 1; n <= 4; ++n) {
      ResidencyMap map = before();
      EXPECT_FALSE(fails([&](ResidencyMap& changed) { changed.rewritten(0, ranges); }, n, map, count));
      EXPECT_EQ(map.valid_only(0, sure), sure);
      EXPECT_TRUE(map.undefined(sure).empty());
      const bool whole = map.pieces() == made.pieces();
      EXPECT_EQ(map.valid(2, ByteRange{0, 80}), whole ? RangeSet({{60, 70}, {72, 80}}) : RangeSet(ByteRange{60, 80}))
          << "what is nowhere else is not given up";
      EXPECT_TRUE(map.valid(1, ByteRange{0, 4}).empty() || whole) << "the piece went as a whole";
    }
}

TEST(WithoutMemory, WhatWasThereBeforeIsRestoredWithoutAny) {
  const RangeSet written{{8, 24}, {40, 56}};
  const auto before = [] {
    ResidencyMap map(64);
    map.written(0, ByteRange{0, 20});
    map.written(1, ByteRange{20, 64});
    map.copied(3, ByteRange{30, 50});
    map.copied(2, ByteRange{4, 12});
    return map;
  };
  for (const std::size_t count : {std::size_t{1}, std::size_t{1000}})
    for (std::size_t n = 1; n <= 4; ++n) {
      ResidencyMap map = before();
      const auto old = map.shared(2, written);
      map.written(2, written);
      EXPECT_FALSE(fails([&](ResidencyMap& changed) { changed.restored(old); }, n, map, count));
      EXPECT_EQ(map.pieces(), before().pieces()) << "allocation " << n;
    }
  ResidencyMap map = before();
  const auto old = map.shared(2, written);
  map.written(2, written);
  map.restored(old, SpaceMask{1} << 2);
  ResidencyMap expected = before();
  expected.withdrawn(2, written);
  EXPECT_EQ(map.pieces(), expected.pieces());
}

TEST(WithoutMemory, ARangeIsTakenOutOfASetOrNot) {
  for (std::size_t n = 1; n <= 2; ++n) {
    RangeSet set(ByteRange{0, 64});
    icd::test::fail_allocation(n);
    bool thrown = false;
    try {
      set.remove(ByteRange{10, 20});
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    icd::test::fail_allocation(0);
    EXPECT_EQ(set, thrown ? RangeSet(ByteRange{0, 64}) : RangeSet({{0, 10}, {20, 64}}));
    EXPECT_EQ(thrown, n == 1);
  }
}

TEST(WithoutMemory, RoomThatWasReservedStaysWhileASetChanges) {
  RangeSet set(ByteRange{0, 100});
  set.reserve(12);
  set.add(RangeSet{{200, 210}, {220, 230}, {240, 250}});
  set.add(RangeSet{{150, 160}, {215, 218}});
  set.remove(RangeSet{{202, 204}, {222, 224}});
  RangeSet expected = set;
  expected.remove(RangeSet{{10, 20}, {30, 40}, {50, 60}});
  icd::test::fail_allocation(1, 1000);
  bool thrown = false;
  try {
    for (const std::uint64_t begin : {10, 30, 50}) set.remove(ByteRange{begin, begin + 10});
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  icd::test::fail_allocation(0);
  EXPECT_FALSE(thrown);
  EXPECT_EQ(set, expected);
}

}  // namespace
}  // namespace skmd::domain

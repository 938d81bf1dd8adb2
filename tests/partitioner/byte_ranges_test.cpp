// SPDX-License-Identifier: Apache-2.0
#include "partitioner/base/byte_ranges.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/partitioner/kernel_builder.h"

namespace skmd::domain {
namespace {

constexpr std::size_t kBytes = 96;
using Model = std::vector<bool>;

RangeSet as_set(const Model& model) {
  RangeSet set;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (model[i]) set.add({i, i + 1});
  }
  return set;
}

void expect_invariant(const RangeSet& set) {
  for (std::size_t i = 0; i < set.ranges().size(); ++i) {
    ASSERT_FALSE(set.ranges()[i].empty());
    if (i > 0) {
      ASSERT_LT(set.ranges()[i - 1].end, set.ranges()[i].begin);
    }
  }
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  ByteRange range() {
    const std::uint64_t begin = below(kBytes);
    return {begin, begin + below(std::min<std::uint64_t>(24, kBytes - begin + 1))};
  }
  RangeSet set() {
    RangeSet set;
    for (std::uint64_t n = below(6); n > 0; --n) set.add(range());
    return set;
  }

 private:
  std::mt19937_64 random_;
};

void mark(Model& model, const RangeSet& set, bool value) {
  for (const ByteRange& range : set.ranges()) {
    for (std::uint64_t i = range.begin; i < range.end; ++i) model[i] = value;
  }
}

TEST(RangeSetProperty, AgreesWithASetOfBytes) {
  Random random(7);
  for (int round = 0; round < 500; ++round) {
    RangeSet set;
    Model model(kBytes, false);
    for (int step = 0; step < 40; ++step) {
      const RangeSet other = random.set();
      const ByteRange range = random.range();
      switch (random.below(4)) {
        case 0:
          set.add(range), mark(model, range, true);
          break;
        case 1:
          set.remove(range), mark(model, range, false);
          break;
        case 2:
          set.add(other), mark(model, other, true);
          break;
        default:
          set.remove(other), mark(model, other, false);
          break;
      }
      expect_invariant(set);
      ASSERT_EQ(set, as_set(model));
      ASSERT_EQ(set.bytes(), static_cast<std::uint64_t>(std::count(model.begin(), model.end(), true)));
    }
  }
}

TEST(RangeSetProperty, IntersectionDifferenceAndQueriesAgreeWithBytes) {
  Random random(8);
  for (int round = 0; round < 5000; ++round) {
    const RangeSet a = random.set();
    const RangeSet b = random.set();
    Model in_a(kBytes, false);
    Model in_b(kBytes, false);
    mark(in_a, a, true);
    mark(in_b, b, true);
    Model both(kBytes);
    Model only_a(kBytes);
    for (std::size_t i = 0; i < kBytes; ++i) {
      both[i] = in_a[i] && in_b[i];
      only_a[i] = in_a[i] && !in_b[i];
    }
    ASSERT_EQ(a.intersection(b), as_set(both));
    ASSERT_EQ(a.difference(b), as_set(only_a));
    ASSERT_EQ(a.intersects(b), !as_set(both).empty());
    const ByteRange range = random.range();
    bool inside = true;
    for (std::uint64_t i = range.begin; i < range.end; ++i) inside = inside && in_a[i];
    ASSERT_EQ(a.contains(range), inside);
    ASSERT_EQ(a.shifted(5).shifted(-5), a);
  }
}

TEST(RangeSetProperty, CoarsenedIsASmallSupersetThatClosesTheSmallestGaps) {
  Random random(9);
  for (int round = 0; round < 2000; ++round) {
    const RangeSet set = random.set();
    for (std::size_t limit = 1; limit <= 5; ++limit) {
      const RangeSet coarse = set.coarsened(limit);
      expect_invariant(coarse);
      ASSERT_EQ(coarse.ranges().size(), std::min(limit, set.ranges().size()));
      ASSERT_TRUE(set.difference(coarse).empty());
      ASSERT_EQ(coarse.hull(), set.hull());
      // No gap that is still open is smaller than one that was closed.
      const RangeSet closed = coarse.difference(set);
      for (std::size_t i = 1; i < coarse.ranges().size(); ++i) {
        const std::uint64_t open = coarse.ranges()[i].begin - coarse.ranges()[i - 1].end;
        for (const ByteRange& gap : closed.ranges()) ASSERT_LE(gap.size(), open);
      }
    }
  }
}

TEST(RangeSet, AddingItselfAndRemovingItself) {
  RangeSet set({{0, 4}, {8, 12}});
  const RangeSet copy = set;
  set.add(set);
  EXPECT_EQ(set, copy);
  set.remove(set);
  EXPECT_TRUE(set.empty());
}

TEST(RangeSet, TouchingRangesJoin) {
  RangeSet set({{0, 4}, {8, 12}});
  set.add({4, 8});
  EXPECT_EQ(set, RangeSet({0, 12}));
}

TEST(RangeSet, HundredThousandRangesStayCheapToCombine) {
  RangeSet even;
  RangeSet odd;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    even.add({i * 8, i * 8 + 4});
    odd.add({i * 8 + 4, i * 8 + 8});
  }
  EXPECT_FALSE(even.intersects(odd));
  RangeSet all = even;
  all.add(odd);
  EXPECT_EQ(all, RangeSet({0, 800'000}));
  all.remove(odd);
  EXPECT_EQ(all, even);
  EXPECT_EQ(even.coarsened(1000).ranges().size(), 1000u);
}

TEST(RangeSet, EmptyRangesLeaveNoTrace) {
  RangeSet set(ByteRange{5, 5});
  set.add({9, 9});
  set.add({9, 3});
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.hull(), ByteRange{});
  EXPECT_TRUE(set.contains({7, 7}));
}

}  // namespace
}  // namespace skmd::domain

// SPDX-License-Identifier: Apache-2.0
#include "partitioner/residency/residency.h"

#include <gtest/gtest.h>

#include <random>

#include "partitioner/residency/transfer.h"
#include "tests/partitioner/kernel_builder.h"

namespace skmd::domain {
namespace {

constexpr std::uint64_t kBytes = 64;
constexpr SpaceId kSpaces = 4;

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  RangeSet set() {
    RangeSet set;
    for (std::uint64_t n = below(5); n > 0; --n) {
      const std::uint64_t begin = below(kBytes);
      set.add({begin, begin + below(kBytes - begin + 1)});
    }
    return set;
  }

 private:
  std::mt19937_64 random_;
};

/// One mask per byte, and nothing clever.
class ByteModel {
 public:
  std::vector<SpaceMask> valid = std::vector<SpaceMask>(kBytes, 0);

  template <class Change>
  void change(const RangeSet& ranges, Change change) {
    for (const ByteRange& range : ranges.ranges()) {
      for (std::uint64_t i = range.begin; i < range.end; ++i) valid[i] = change(valid[i]);
    }
  }
  template <class Wanted>
  RangeSet select(const RangeSet& ranges, Wanted wanted) const {
    RangeSet out;
    for (const ByteRange& range : ranges.ranges()) {
      for (std::uint64_t i = range.begin; i < range.end; ++i) {
        if (wanted(valid[i])) out.add({i, i + 1});
      }
    }
    return out;
  }
};

void random_step(Random& random, ResidencyMap& map, ByteModel& model) {
  const auto space = static_cast<SpaceId>(random.below(kSpaces));
  const SpaceMask bit = SpaceMask{1} << space;
  const RangeSet ranges = random.set();
  switch (random.below(8)) {
    case 0:
    case 1:
    case 2:
      map.written(space, ranges);
      model.change(ranges, [&](SpaceMask) { return bit; });
      break;
    case 3:
    case 4:
    case 5:
      map.copied(space, ranges);
      model.change(ranges, [&](SpaceMask v) { return v == 0 ? v : v | bit; });
      break;
    case 6:
      map.forgotten(ranges);
      model.change(ranges, [](SpaceMask) { return SpaceMask{0}; });
      break;
    default:
      map.dropped(space);
      model.change(ByteRange{0, kBytes}, [&](SpaceMask v) { return v & ~bit; });
      break;
  }
}

void expect_equal(const ResidencyMap& map, const ByteModel& model) {
  std::uint64_t at = 0;
  const auto& pieces = map.pieces();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    ASSERT_EQ(pieces[i].range.begin, at);
    ASSERT_FALSE(pieces[i].range.empty());
    if (i > 0) {
      ASSERT_NE(pieces[i].valid, pieces[i - 1].valid);
    }
    for (; at < pieces[i].range.end; ++at) ASSERT_EQ(pieces[i].valid, model.valid[at]) << "byte " << at;
  }
  ASSERT_EQ(at, kBytes);
}

TEST(ResidencyProperty, AgreesWithAMaskPerByteOverTenThousandSteps) {
  Random random(11);
  ResidencyMap map(kBytes);
  ByteModel model;
  for (int step = 0; step < 10'000; ++step) {
    random_step(random, map, model);
    ASSERT_NO_FATAL_FAILURE(expect_equal(map, model)) << "step " << step;
    const RangeSet asked = random.set();
    const auto space = static_cast<SpaceId>(random.below(kSpaces));
    const SpaceMask bit = SpaceMask{1} << space;
    ASSERT_EQ(map.missing(space, asked), model.select(asked, [&](SpaceMask v) { return v != 0 && (v & bit) == 0; }));
    ASSERT_EQ(map.missing_bytes(space, asked), map.missing(space, asked).bytes());
    const std::uint64_t through = space == kHostSpace ? 0 : map.missing_bytes(kHostSpace, map.missing(space, asked));
    ASSERT_EQ(map.moved_bytes(space, asked), map.missing_bytes(space, asked) + through);
    ASSERT_EQ(map.valid(space, asked), model.select(asked, [&](SpaceMask v) { return (v & bit) != 0; }));
    ASSERT_EQ(map.all_valid(space, asked), map.valid(space, asked) == asked);
    ASSERT_TRUE(map.all_valid(space, map.valid(space, asked)));
    ASSERT_EQ(map.undefined(asked), model.select(asked, [](SpaceMask v) { return v == 0; }));
    RangeSet covered;
    for (const auto& piece : map.pieces(asked)) {
      covered.add(piece.range);
      for (std::uint64_t i = piece.range.begin; i < piece.range.end; ++i) ASSERT_EQ(piece.valid, model.valid[i]);
    }
    ASSERT_EQ(covered, asked);
  }
}

TEST(Residency, EmptyBufferHasNoPieces) {
  ResidencyMap map(0);
  map.written(1, ByteRange{0, 0});
  map.dropped(1);
  EXPECT_TRUE(map.pieces().empty());
}

TEST(Residency, CopyingUndefinedBytesLeavesThemUndefined) {
  ResidencyMap map(16);
  map.written(kHostSpace, ByteRange{0, 4});
  map.copied(2, ByteRange{0, 16});
  EXPECT_EQ(map.valid(2, ByteRange{0, 16}), RangeSet({0, 4}));
  EXPECT_EQ(map.undefined(ByteRange{0, 16}), RangeSet({4, 16}));
}

TEST(Residency, LastSpaceOfSixtyFourWorks) {
  ResidencyMap map(8);
  map.written(kMaxSpaces - 1, ByteRange{0, 8});
  EXPECT_EQ(map.valid(kMaxSpaces - 1, ByteRange{0, 8}).bytes(), 8u);
  EXPECT_TRUE(map.valid(0, ByteRange{0, 8}).empty());
}

/// Applies a list the way the engine does, and checks each step.
void apply(const TransferList& list, std::vector<ResidencyMap>& maps) {
  for (const Transfer& t : list.gathers) {
    ASSERT_NE(t.from, kHostSpace);
    ASSERT_EQ(t.to, kHostSpace);
    ASSERT_EQ(maps[t.root].valid(t.from, t.ranges), t.ranges) << "gathered from where it is not valid";
    ASSERT_TRUE(maps[t.root].valid(kHostSpace, t.ranges).empty()) << "gathered twice or without need";
    maps[t.root].copied(kHostSpace, t.ranges);
  }
  for (const Transfer& t : list.uploads) {
    ASSERT_EQ(t.from, kHostSpace);
    ASSERT_NE(t.to, kHostSpace);
    ASSERT_EQ(maps[t.root].valid(kHostSpace, t.ranges), t.ranges) << "uploaded before it was at home";
    ASSERT_TRUE(maps[t.root].valid(t.to, t.ranges).empty()) << "uploaded twice or without need";
    maps[t.root].copied(t.to, t.ranges);
  }
}

TransferList transfers(const std::vector<Need>& needs, const std::vector<ResidencyMap>& maps) {
  TransferList list;
  for (std::uint32_t root = 0; root < maps.size(); ++root) add_transfers(root, needs, maps[root], list);
  return list;
}

TEST(TransferProperty, EveryMissingByteMovesOnceAndNothingElseDoes) {
  Random random(12);
  for (int round = 0; round < 3000; ++round) {
    std::vector<ResidencyMap> maps(2, ResidencyMap(kBytes));
    ByteModel ignored;
    for (auto& map : maps) {
      for (std::uint64_t n = random.below(8); n > 0; --n) random_step(random, map, ignored);
    }
    std::vector<Need> needs;
    for (std::uint64_t n = random.below(7); n > 0; --n) {
      needs.push_back(
          {static_cast<std::uint32_t>(random.below(2)), static_cast<SpaceId>(random.below(kSpaces)), random.set()});
    }
    const TransferList list = transfers(needs, maps);
    RangeSet home_needed[2];
    std::vector<std::vector<RangeSet>> zeros(2, std::vector<RangeSet>(kSpaces));
    for (const Need& need : needs) {
      home_needed[need.root].add(maps[need.root].missing(need.space, need.ranges));
      zeros[need.root][need.space].add(maps[need.root].undefined(need.ranges));
    }
    for (const Transfer& t : list.gathers) {
      ASSERT_TRUE(t.ranges.difference(home_needed[t.root]).empty()) << "gathered bytes that no device misses";
    }
    for (const ZeroFill& fill : list.fills) {
      ASSERT_EQ(fill.ranges, zeros[fill.root][fill.space]);
      zeros[fill.root][fill.space].clear();
    }
    for (const auto& root : zeros) {
      for (const RangeSet& unfilled : root) ASSERT_TRUE(unfilled.empty());
    }
    std::vector<ResidencyMap> after = maps;
    ASSERT_NO_FATAL_FAILURE(apply(list, after));
    for (const Need& need : needs) ASSERT_TRUE(after[need.root].missing(need.space, need.ranges).empty());
  }
}

TEST(Transfers, DeviceToDeviceGoesThroughHostMemoryOnceForAllReaders) {
  ResidencyMap map(100);
  map.written(1, ByteRange{0, 100});
  const std::vector<Need> needs = {{0, 2, ByteRange{0, 60}}, {0, 3, ByteRange{40, 100}}, {0, 1, ByteRange{0, 100}}};
  const TransferList list = transfers(needs, {map});
  EXPECT_EQ(list.gathers, InlineVector<Transfer>({{0, 1, 0, ByteRange{0, 100}}}));
  EXPECT_EQ(list.uploads, InlineVector<Transfer>({{0, 0, 2, ByteRange{0, 60}}, {0, 0, 3, ByteRange{40, 100}}}));
  EXPECT_TRUE(list.fills.empty());
}

TEST(Transfers, ValidBytesDoNotMove) {
  ResidencyMap map(100);
  map.written(kHostSpace, ByteRange{0, 100});
  map.copied(1, ByteRange{0, 50});
  const std::vector<Need> needs = {{0, 1, ByteRange{20, 70}}, {0, 0, ByteRange{0, 100}}};
  const TransferList list = transfers(needs, {map});
  EXPECT_TRUE(list.gathers.empty());
  EXPECT_EQ(list.uploads, InlineVector<Transfer>({{0, 0, 1, ByteRange{50, 70}}}));
}

TEST(RowRuns, EqualRowsBecomeOneRun) {
  RangeSet set;
  for (std::uint64_t i = 0; i < 10; ++i) set.add({100 + i * 64, 100 + i * 64 + 16});
  EXPECT_EQ(row_runs(set), RowRuns({{100, 16, 64, 10}}));
}

TEST(RowRunsProperty, RunsGiveBackExactlyTheRanges) {
  Random random(13);
  for (int round = 0; round < 3000; ++round) {
    RangeSet set;
    std::uint64_t at = 0;
    for (std::uint64_t n = random.below(12); n > 0; --n) {
      at += 1 + random.below(3);
      const std::uint64_t width = 1 + random.below(2);
      set.add({at, at + width});
      at += width;
    }
    RangeSet back;
    std::size_t rows = 0;
    for (const RowRun& run : row_runs(set)) {
      rows += run.rows;
      for (std::uint64_t i = 0; i < run.rows; ++i) {
        back.add({run.begin + i * run.stride, run.begin + i * run.stride + run.width});
      }
    }
    ASSERT_EQ(back, set);
    ASSERT_EQ(rows, set.ranges().size());
  }
}

}  // namespace
}  // namespace skmd::domain

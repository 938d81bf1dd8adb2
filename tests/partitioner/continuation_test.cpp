// SPDX-License-Identifier: Apache-2.0
// Launches in pieces: with any stops, each group is run exactly once.
#include "partitioner/plan/continuation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/seed.h"

namespace skmd::domain {
namespace {

using Spans = std::vector<GroupSpan>;

Spans copy(std::span<const GroupSpan> spans) { return {spans.begin(), spans.end()}; }

TEST(NextPiece, ALaunchThatIsShortEnoughIsOnePiece) {
  const PieceRule rule{.group_seconds = 1e-5, .piece_seconds = 5e-3, .granularity = 8};
  EXPECT_EQ(next_piece({0, 500}, 0, rule), (GroupSpan{0, 500}));
  EXPECT_EQ(next_piece({0, 501}, 0, rule), (GroupSpan{0, 248})) << "two of a length, in whole rows";
}

TEST(NextPiece, WithoutALimitThereIsOnePiece) { EXPECT_EQ(next_piece({3, 1000}, 0, {}), (GroupSpan{3, 1000})); }

TEST(NextPiece, AGroupIsTheLeastPiece) {
  EXPECT_EQ(next_piece({7, 9}, 0, {.group_seconds = 1.0, .piece_seconds = 1e-3, .granularity = 4}), (GroupSpan{7, 8}));
}

TEST(NextPiece, NoPieceAndNoRestIsShorterThanTheLeast) {
  const PieceRule rule{.group_seconds = 1e-3, .piece_seconds = 5e-3, .least = 132};
  EXPECT_EQ(next_piece({0, 400}, 132, rule), (GroupSpan{0, 132}));
  EXPECT_EQ(next_piece({132, 395}, 132, rule), (GroupSpan{132, 395})) << "131 would be left";
}

TEST(NextPiece, WholeRowsAreNoReasonForLessThanTheLeast) {
  EXPECT_EQ(next_piece({0, 9000}, 0, {.piece_seconds = 5e-3, .granularity = 1000, .least = 1999}).size(), 1999u);
  EXPECT_EQ(next_piece({0, 9000}, 0, {.piece_seconds = 5e-3, .granularity = 1000, .least = 2000}).size(), 2000u);
  EXPECT_EQ(next_piece({0, 9000}, 1300, {.piece_seconds = 5e-3, .granularity = 1000, .least = 1500}).size(), 2000u);
}

TEST(NextPiece, WhileNoTimesAreKnownPiecesDouble) {
  const PieceRule rule{.piece_seconds = 5e-3, .least = 16};
  EXPECT_EQ(next_piece({0, 1000}, 0, rule).size(), 16u);
  EXPECT_EQ(next_piece({16, 1000}, 16, rule).size(), 32u);
  EXPECT_EQ(next_piece({980, 1000}, 512, rule), (GroupSpan{980, 1000}));
}

/// No piece but one of a single group is predicted to take longer than it may, and none is a small remainder.
TEST(NextPiece, PropertiesOfManyLaunches) {
  std::mt19937_64 random(11 + test::seed_offset());
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t groups = 1 + random() % 5000;
    const PieceRule rule{.group_seconds = 1e-6 * static_cast<double>(1 + random() % 2000),
                         .piece_seconds = 1e-4 * static_cast<double>(1 + random() % 100),
                         .granularity = 1 + random() % 70};
    std::uint64_t least = groups;
    for (GroupSpan rest{0, groups}; !rest.empty();) {
      const GroupSpan piece = next_piece(rest, 0, rule);
      ASSERT_EQ(piece.first, rest.first);
      ASSERT_FALSE(piece.empty());
      ASSERT_LE(piece.last, rest.last);
      ASSERT_TRUE(piece.size() == 1 ||
                  static_cast<double>(piece.size()) * rule.group_seconds <= rule.piece_seconds * (1 + 1e-9));
      least = std::min(least, piece.size());
      rest.first = piece.last;
    }
    const double most = rule.piece_seconds / rule.group_seconds;
    if (rule.granularity == 1 && most > 4) {
      ASSERT_GE(static_cast<double>(least), std::min(most / 2 - 1, static_cast<double>(groups)));
    }
  }
}

std::optional<GroupSpan> begin(PieceSequence& sequence, const PieceRule& rule) {
  const auto piece = sequence.next(rule);
  if (piece) sequence.begin(*piece);
  return piece;
}

TEST(PieceSequence, GroupsThatDidNotRunAreLeft) {
  PieceSequence sequence({10, 30});
  const PieceRule whole;
  const auto piece = begin(sequence, whole);
  ASSERT_EQ(piece, (GroupSpan{10, 30}));
  EXPECT_EQ(sequence.under_way(), 1u);
  EXPECT_EQ(begin(sequence, whole), std::nullopt);
  sequence.ended(*piece, 7);
  EXPECT_EQ(copy(sequence.done()), (Spans{{10, 17}}));
  EXPECT_EQ(copy(sequence.left()), (Spans{{17, 30}}));
  sequence.stop();
  EXPECT_EQ(begin(sequence, whole), std::nullopt);
  EXPECT_EQ(sequence.under_way(), 0u);
}

/// Random pieces, ends in any order, devices that stop inside a piece, and a stop at any time.
TEST(PieceSequence, EachGroupIsInOneStateAfterAnySequenceOfStops) {
  std::mt19937_64 random(5 + test::seed_offset());
  for (int round = 0; round < 3000; ++round) {
    const std::uint64_t first = random() % 100;
    const GroupSpan all{first, first + 1 + random() % 400};
    PieceSequence sequence(all);
    Spans under_way;
    const bool stops = random() % 2 == 0;
    for (int step = 0; step < 400; ++step) {
      if (under_way.size() < PieceSequence::kUnderWay && random() % 2 == 0) {
        const PieceRule rule{.group_seconds = 1.0, .piece_seconds = static_cast<double>(1 + random() % 40)};
        if (const auto piece = begin(sequence, rule)) under_way.push_back(*piece);
      } else if (!under_way.empty()) {
        const auto at = under_way.begin() + static_cast<std::ptrdiff_t>(random() % under_way.size());
        sequence.ended(*at, random() % 3 == 0 ? random() % (at->size() + 1) : at->size());
        under_way.erase(at);
      }
      if (stops && random() % 50 == 0) sequence.stop();
      Spans parts = copy(sequence.done());
      parts.insert(parts.end(), sequence.left().begin(), sequence.left().end());
      parts.insert(parts.end(), under_way.begin(), under_way.end());
      ASSERT_TRUE(tiles(all, parts)) << round << " " << step;
      ASSERT_EQ(sequence.under_way(), under_way.size());
      if (under_way.empty()) {
        ASSERT_TRUE(sequence.covers(all));
        ASSERT_FALSE(sequence.covers({all.first, all.last + 1}));
      }
    }
  }
}

TEST(Tiles, GapsOverlapsAndStrangersAreFound) {
  EXPECT_TRUE(tiles({0, 6}, {{2, 6}, {0, 2}, {3, 3}}));
  EXPECT_FALSE(tiles({0, 6}, {{0, 2}, {3, 6}}));
  EXPECT_FALSE(tiles({0, 6}, {{0, 3}, {2, 6}}));
  EXPECT_FALSE(tiles({0, 6}, {{0, 7}}));
  EXPECT_FALSE(tiles({0, 6}, {}));
  EXPECT_TRUE(tiles({4, 4}, {}));
}

TEST(InsertSpan, NeighboursBecomeOne) {
  Spans spans;
  for (const GroupSpan& span : {GroupSpan{8, 10}, {0, 2}, {4, 6}, {2, 4}, {5, 5}}) insert_span(spans, span);
  EXPECT_EQ(spans, (Spans{{0, 6}, {8, 10}}));
  insert_span(spans, {6, 8});
  EXPECT_EQ(spans, (Spans{{0, 10}}));
}

}  // namespace
}  // namespace skmd::domain

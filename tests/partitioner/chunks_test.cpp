// SPDX-License-Identifier: Apache-2.0
#include "partitioner/plan/chunks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

namespace skmd::domain {
namespace {

std::vector<Slice> random_slices(std::mt19937_64& random, std::uint64_t groups) {
  std::vector<Slice> slices;
  std::uint64_t at = 0;
  for (std::uint32_t device = 0; at < groups; ++device) {
    const std::uint64_t end = device == 3 ? groups : at + 1 + random() % (groups - at);
    slices.push_back({device, {at, end}});
    at = end;
  }
  return slices;
}

TEST(GuidedChunks, TileEachSliceAndShrinkToTheMinimum) {
  const std::vector<Slice> slices = {{0, {0, 1000}}, {1, {1000, 1100}}};
  const std::vector<std::uint64_t> minimum = {8, 100};
  const auto chunked = guided_chunks(slices, minimum, 1);
  ASSERT_EQ(chunked.size(), 2u);
  EXPECT_EQ(chunked[0].chunks.front(), (GroupSpan{0, 250}));
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < chunked[0].chunks.size(); ++i) {
    const GroupSpan& chunk = chunked[0].chunks[i];
    EXPECT_EQ(chunk.first, at);
    EXPECT_TRUE(i + 1 == chunked[0].chunks.size() || chunk.size() >= 8) << i;
    EXPECT_TRUE(i == 0 || chunk.size() <= chunked[0].chunks[i - 1].size()) << i;
    at = chunk.last;
  }
  EXPECT_EQ(at, 1000u);
  EXPECT_EQ(chunked[1].chunks, (std::vector<GroupSpan>{{1000, 1100}}));
}

TEST(GuidedChunks, LongChunksEndAtRows) {
  const std::vector<Slice> slices = {{0, {0, 1024}}};
  const std::vector<std::uint64_t> minimum = {1};
  const auto chunked = guided_chunks(slices, minimum, 16);
  for (const GroupSpan& chunk : chunked[0].chunks)
    EXPECT_TRUE(chunk.size() <= 16 || chunk.last % 16 == 0) << chunk.first;
}

TEST(GuidedChunks, HugeLaunchesHaveFewChunks) {
  const std::vector<Slice> slices = {{0, {0, std::uint64_t{1} << 40}}};
  const std::vector<std::uint64_t> minimum = {132};
  EXPECT_LT(guided_chunks(slices, minimum, 1)[0].chunks.size(), 100u);
}

TEST(ChunkDealer, DealsEachChunkOnceInAnyOrderOfAsking) {
  std::mt19937_64 random(1987);
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t groups = 1 + random() % 5000;
    const std::vector<Slice> slices = random_slices(random, groups);
    const std::vector<std::uint64_t> minimum = {1 + random() % 64, 1 + random() % 64, 1, 7};
    const auto chunked = guided_chunks(slices, minimum, 1 + random() % 32);
    ChunkDealer dealer(chunked);
    std::vector<int> seen(groups);
    while (const auto dealt = dealer.next(static_cast<std::uint32_t>(random() % 5))) {
      const GroupSpan& chunk = chunked[dealt->slice].chunks[dealt->chunk];
      for (std::uint64_t g = chunk.first; g < chunk.last; ++g) ++seen[g];
    }
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
  }
}

TEST(ChunkDealer, ADeviceHasItsOwnFirstAndThenTheShortestOfTheFullest) {
  const std::vector<ChunkedSlice> chunked = {
      {0, {{0, 10}, {10, 12}}}, {1, {{12, 52}, {52, 62}, {62, 66}}}, {2, {{66, 70}}}};
  ChunkDealer dealer(chunked);
  EXPECT_EQ(dealer.next(0), (ChunkIndex{0, 0}));
  EXPECT_EQ(dealer.next(0), (ChunkIndex{0, 1}));
  EXPECT_EQ(dealer.next(0), (ChunkIndex{1, 2}));
  EXPECT_EQ(dealer.next(1), (ChunkIndex{1, 0}));
  EXPECT_EQ(dealer.next(0), (ChunkIndex{1, 1}));
  EXPECT_EQ(dealer.next(0), (ChunkIndex{2, 0}));
  EXPECT_EQ(dealer.next(1), std::nullopt);
}

/// Ends of devices that take chunks when they are free; a group g takes cost(g) / speed.
double dealt_end(const std::vector<ChunkedSlice>& chunked, const std::vector<double>& speeds,
                 const std::vector<double>& cost) {
  ChunkDealer dealer(chunked);
  std::vector<double> free(speeds.size());
  double end = 0.0;
  for (std::vector<bool> idle(speeds.size());;) {
    std::size_t device = speeds.size();
    for (std::size_t d = 0; d < speeds.size(); ++d)
      if (!idle[d] && (device == speeds.size() || free[d] < free[device])) device = d;
    if (device == speeds.size()) return end;
    const auto dealt = dealer.next(static_cast<std::uint32_t>(device));
    if (!dealt) {
      idle[device] = true;
      continue;
    }
    const GroupSpan& chunk = chunked[dealt->slice].chunks[dealt->chunk];
    for (std::uint64_t g = chunk.first; g < chunk.last; ++g) free[device] += cost[g] / speeds[device];
    end = std::max(end, free[device]);
  }
}

TEST(ChunkDealer, EvensOutGroupsThatTakeVeryDifferentlyLong) {
  // A tenth of the groups, in the middle, does nine tenths of the work: in fixed parts one device would do most of it.
  std::vector<double> cost(10'000, 1.0);
  std::fill(cost.begin() + 2000, cost.begin() + 3000, 81.0);
  const double work = std::accumulate(cost.begin(), cost.end(), 0.0);
  const std::vector<double> speeds = {1.0, 3.0};
  const std::vector<Slice> slices = {{0, {0, 2500}}, {1, {2500, 10'000}}};
  const std::vector<std::uint64_t> minimum = {16, 16};
  const double best = work / 4.0;
  EXPECT_LT(dealt_end(guided_chunks(slices, minimum, 1), speeds, cost), 1.25 * best);
  const double fixed = std::max(std::accumulate(cost.begin(), cost.begin() + 2500, 0.0),
                                std::accumulate(cost.begin() + 2500, cost.end(), 0.0) / 3.0);
  EXPECT_GT(fixed, 1.7 * best);
}

}  // namespace
}  // namespace skmd::domain

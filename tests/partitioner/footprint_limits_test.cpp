// SPDX-License-Identifier: Apache-2.0
// Footprints at the limits: unknown and wrapping indices, too many rows, neighbours that are fused or may not be.
#include <gtest/gtest.h>

#include "partitioner/footprint/inside.h"
#include "partitioner/traits/traits_codec.h"
#include "tests/partitioner/kernel_builder.h"

namespace skmd::domain::test {
namespace {

/// out[i] for `int i = get_global_id(0)`.
NodeId int_gid(KernelBuilder& k, unsigned dim = 0) { return k.cast(Op::trunc, k.gid(dim), 32); }
NodeId index_of(KernelBuilder& k, NodeId value) { return k.cast(Op::sext, value, 64); }

TEST(FootprintLimits, DataDependentIndexMayTouchEverything) {
  KernelBuilder k;
  const auto out = k.buffer(4096);
  k.write(out, index_of(k, k.node(Op::unknown, 32)));
  const auto f = k.evaluate(range_1d(64, 8));
  EXPECT_TRUE(f[out].write_unknown);
  EXPECT_EQ(f[out].may_write, RangeSet({0, 4096}));
  EXPECT_TRUE(f[out].must_write.empty());
}

TEST(FootprintLimits, DataDependentIndexUnderAMaskIsBounded) {
  KernelBuilder k;
  const auto bins = k.buffer(1u << 16);
  const NodeId value = k.cast(Op::zext, k.node(Op::unknown, 8), 64);
  k.write(bins, k.add(k.times(k.group(), 256), value));
  const auto f = k.evaluate(range_1d(64, 8), {2, 3});
  EXPECT_EQ(f[bins].may_write, RangeSet({512 * 4, 768 * 4}));
  EXPECT_FALSE(f[bins].write_unknown);
  EXPECT_TRUE(f[bins].must_write.empty());
}

TEST(FootprintLimits, ThirtyTwoBitIndexThatWrapsIsUnknown) {
  KernelBuilder k;
  const auto out = k.buffer(4096);
  const NodeId far = k.times(int_gid(k), 1 << 24);
  k.write(out, index_of(k, far));
  EXPECT_TRUE(k.evaluate(range_1d(1024, 64))[out].write_unknown);
}

TEST(FootprintLimits, OffsetsBeyondTheBufferAreCutOff) {
  KernelBuilder k;
  const auto out = k.buffer(100);
  k.write(out, k.gid());
  const auto f = k.evaluate(range_1d(64, 8));
  EXPECT_EQ(f[out].must_write, RangeSet({0, 100}));
  EXPECT_TRUE(k.evaluate(range_1d(64, 8), {7, 8})[out].may_write.empty());
}

TEST(FootprintLimits, APointerIntoTheMiddleReachesWhatLiesBeforeIt) {
  KernelBuilder k;
  const auto out = k.buffer(400);
  const auto in = k.buffer(400);
  k.write(out, k.plus(k.gid(), -8));
  k.read(in, k.gid());
  EXPECT_EQ(k.evaluate(range_1d(64, 8))[out].must_write, RangeSet({0, 224})) << "cut off at the pointer";
  k.point_inside(out, 100);
  k.point_inside(in, 200);
  const auto f = k.evaluate(range_1d(64, 8));
  EXPECT_EQ(f[out].must_write, RangeSet({68, 324}));
  EXPECT_EQ(f[in].reads, RangeSet({200, 400})) << "cut off at the end of the bytes";
}

TEST(FootprintLimits, AtomicsReadAndMayWriteButNeverSurely) {
  KernelBuilder k;
  const auto bins = k.buffer(1024);
  k.access(AccessKind::atomic, bins, k.gid()).guards_complete = true;
  const auto f = k.evaluate(range_1d(64, 8));
  EXPECT_EQ(f[bins].reads, RangeSet({0, 256}));
  EXPECT_EQ(f[bins].may_write, RangeSet({0, 256}));
  EXPECT_TRUE(f[bins].must_write.empty());
}

TEST(FootprintLimits, CopyOfCountElements) {
  // async_work_group_copy(local, in + group·n, n)
  KernelBuilder k;
  const auto in = k.buffer(1u << 14);
  const NodeId n = k.cast(Op::zext, k.scalar(96), 64);
  const NodeId start = k.mul(k.group(), n);
  Access& copy = k.read(in, start);
  copy.count = n;
  EXPECT_EQ(k.evaluate(range_1d(320, 32), {2, 5})[in].reads, RangeSet({2 * 96 * 4, 5 * 96 * 4}));
}

TEST(FootprintLimits, NullBufferAndUnreadBufferHaveEmptyFootprints) {
  KernelBuilder k;
  const auto null = k.buffer(0);
  const auto unused = k.buffer(64);
  k.read(null, k.gid());
  const auto f = k.evaluate(range_1d(64, 8));
  ASSERT_EQ(f.size(), 2u);
  EXPECT_EQ(f[null], Footprint{});
  EXPECT_EQ(f[unused], Footprint{});
}

TEST(FootprintLimits, TooManyRowsAreOverEstimatedForReadsAndDroppedForSureWrites) {
  KernelBuilder k;
  const auto data = k.buffer(1u << 22);
  k.read(data, k.times(k.gid(), 4));
  k.write(data, k.plus(k.times(k.gid(), 4), 1));
  const auto f = k.evaluate(range_1d(1u << 18, 64));
  EXPECT_EQ(f[data].reads.ranges().size(), 1u);
  EXPECT_TRUE(f[data].reads.contains({0, ((1u << 18) - 1) * 16 + 4}));
  EXPECT_TRUE(f[data].must_write.empty());
  EXPECT_FALSE(f[data].may_write.empty());
}

TEST(FootprintLimits, InterleavedElementsOfMillionsOfItemsStayDense) {
  KernelBuilder k;
  const auto data = k.buffer(1u << 24);
  for (const std::int64_t field : {1, 0, 2}) {
    k.read(data, k.plus(k.times(k.gid(), 3), field));
    k.write(data, k.plus(k.times(k.gid(), 3), field));
  }
  const auto f = k.evaluate(range_1d(1u << 20, 64), {100, 10'000});
  const RangeSet expected({100 * 64 * 12, 10'000 * 64 * 12});
  EXPECT_EQ(f[data].reads, expected);
  EXPECT_EQ(f[data].must_write, expected);
  EXPECT_EQ(f[data].may_write, expected);
}

TEST(FootprintLimits, InterleavedElementsUnderABoundEndAtTheBound) {
  KernelBuilder k;
  const auto data = k.buffer(1u << 24);
  const NodeId index = k.add(k.gid(0), k.times(k.gid(1), 1 << 10));  // a bound over two dimensions
  for (const std::int64_t field : {0, 1}) {
    k.write(data, k.plus(k.times(index, 2), field)).guards = {
        {k.compare(Predicate::ult, index, k.constant(1'000'001)), true}};
  }
  const auto f = k.evaluate(range_2d(1 << 10, 1 << 10, 64, 1));
  EXPECT_EQ(f[data].must_write, RangeSet({0, 8 * 1'000'001}));
  EXPECT_EQ(f[data].may_write, f[data].must_write);
}

TEST(FootprintLimits, RegisterTilesOfALargeMatrixStaySlabs) {
  // Each item computes 2 x 2 elements, 16 apart: four accesses of half a tile's rows each.
  constexpr std::uint64_t kN = 4096;
  KernelBuilder k;
  const auto c = k.buffer(kN * kN * 4);
  const NodeId x = k.add(k.times(k.group(0), 32), k.lid(0));
  const NodeId y = k.add(k.times(k.group(1), 32), k.lid(1));
  for (const std::int64_t down : {0, 16}) {
    for (const std::int64_t right : {0, 16}) {
      k.write(c, k.add(k.times(k.plus(y, down), kN), k.plus(x, right)));
    }
  }
  const auto f = k.evaluate(range_2d(kN / 2, kN / 2, 16, 16), {128 * 40, 128 * 90});
  EXPECT_EQ(f[c].must_write, RangeSet({40 * 32 * kN * 4, 90 * 32 * kN * 4}));
  EXPECT_EQ(f[c].may_write, f[c].must_write);
}

/// Even numbers over two dimensions, so that no single variable can be bounded: 0, 2, …, 510.
NodeId even_index(KernelBuilder& k) { return k.times(k.add(k.gid(0), k.times(k.gid(1), 16)), 2); }

TEST(FootprintLimits, InterleavedElementsAreNotFusedAcrossABoundBetweenSteps) {
  KernelBuilder k;
  const auto data = k.buffer(4096);
  const NodeId index = even_index(k);
  for (const std::int64_t field : {0, 1}) {
    k.write(data, k.plus(index, field)).guards = {{k.compare(Predicate::ult, index, k.constant(100)), true}};
  }
  const auto f = k.evaluate(range_2d(16, 16, 4, 4));
  EXPECT_EQ(f[data].must_write, RangeSet({0, 400}));
  EXPECT_EQ(f[data].may_write, RangeSet({0, 400}));
}

TEST(FootprintLimits, NeighboursWithBoundsOfTheirOwnAreCutEachByItsOwn) {
  KernelBuilder k;
  const auto data = k.buffer(4096);
  const NodeId index = k.add(k.gid(0), k.times(k.gid(1), 16));
  k.write(data, k.times(index, 2)).guards = {{k.compare(Predicate::ult, index, k.constant(100)), true}};
  k.write(data, k.plus(k.times(index, 2), 1)).guards = {{k.compare(Predicate::ult, index, k.constant(105)), true}};
  const auto f = k.evaluate(range_2d(16, 16, 4, 4));
  // Both bounds end in the same row of items, so that only the cut differs.
  RangeSet expected({0, 800});
  for (std::uint64_t i = 100; i < 105; ++i) expected.add({i * 8 + 4, i * 8 + 8});
  EXPECT_EQ(f[data].may_write, expected);
  EXPECT_EQ(f[data].must_write, expected);
}

TEST(FootprintLimits, BoxesAreJoined) {
  KernelBuilder k;
  const auto out = k.buffer(4096);
  k.write(out, k.gid());
  const std::vector<Box> boxes = {{{0, 0, 0}, {1, 1, 1}}, {{4, 0, 0}, {2, 1, 1}}};
  const auto f = evaluate(k.traits, range_1d(1024, 64), boxes, k.arguments());
  EXPECT_EQ(f[out].must_write, RangeSet({{0, 256}, {1024, 1536}}));
}

TEST(DecidingValues, AreThoseThatPlacesConditionsAndLoopsOfAccessesDependOn) {
  KernelBuilder k;
  const auto out = k.buffer(4096);
  const NodeId place = k.scalar(1), bound = k.scalar(2), passes = k.scalar(3), outer = k.scalar(4),
               length = k.scalar(5);
  const NodeId worked = k.scalar(6), unused = k.scalar(7), guard = k.scalar(8);
  const auto around = k.loop(k.cast(Op::zext, outer, 64));
  const auto loop = k.loop(k.cast(Op::zext, k.add(passes, k.iteration(around, 32)), 64));
  const auto other = k.loop(k.cast(Op::zext, worked, 64));
  k.traits.loops[loop].ratio = unused;
  k.traits.loops[loop].doublings = 1;
  Access& access = k.write(out, k.cast(Op::zext, place, 64));
  access.count = length;
  access.guards = {{k.compare(Predicate::ult, k.id(Op::global_id, 0, 32), bound), true}};
  access.loops = {loop};
  OperationCount& count = k.operations(1);
  count.loops = {loop, other};
  count.guards = {{k.compare(Predicate::ult, guard, bound), true}};
  ASSERT_TRUE(check_traits(k.traits).ok());
  // out, then place, bound, passes, outer (through the iteration), length; not what only work is estimated by.
  EXPECT_EQ(deciding_values(k.traits), (std::vector<bool>{false, true, true, true, true, true, false, false, false}));
}

TEST(StaysInside, UpToTheLastByte) {
  KernelBuilder k;
  const auto out = k.buffer(256);
  k.write(out, k.gid());
  EXPECT_TRUE(stays_inside(k.traits, range_1d(64, 8), k.arguments()));
  EXPECT_FALSE(stays_inside(k.traits, range_1d(72, 8), k.arguments()));
}

TEST(StaysInside, NothingLiesBeforeABuffer) {
  KernelBuilder k;
  const auto in = k.buffer(256);
  k.read(in, k.plus(k.gid(), -1));
  EXPECT_FALSE(stays_inside(k.traits, range_1d(64, 8), k.arguments()));
}

TEST(StaysInside, FarBeyondIsNotClipped) {
  for (const std::int64_t index : {INT64_C(1) << 40, INT64_C(1) << 60, -(INT64_C(1) << 60), (INT64_C(1) << 61) - 1}) {
    KernelBuilder k;
    const auto out = k.buffer(1024);
    k.write(out, k.plus(k.gid(), index));
    EXPECT_FALSE(stays_inside(k.traits, range_1d(8, 8), k.arguments())) << index;
  }
}

TEST(StaysInside, WhatIsNotKnownMayBeOutside) {
  KernelBuilder k;
  const auto out = k.buffer(4096);
  k.write(out, index_of(k, k.node(Op::unknown, 32)));
  EXPECT_FALSE(stays_inside(k.traits, range_1d(8, 8), k.arguments()));
}

TEST(StaysInside, ANullPointerHasNoBytes) {
  KernelBuilder k;
  const auto out = k.buffer(0);
  k.read(out, k.gid());
  EXPECT_FALSE(stays_inside(k.traits, range_1d(8, 8), k.arguments()));
}

}  // namespace
}  // namespace skmd::domain::test

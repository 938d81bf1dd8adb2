// SPDX-License-Identifier: Apache-2.0
// Footprints of kernels as people write them, to the byte.
#include <gtest/gtest.h>

#include "tests/partitioner/kernel_builder.h"

namespace skmd::domain::test {
namespace {

RangeSet rows(std::uint64_t begin, std::uint64_t width, std::uint64_t stride, std::uint64_t count) {
  RangeSet set;
  for (std::uint64_t i = 0; i < count; ++i) set.add({begin + i * stride, begin + i * stride + width});
  return set;
}

/// out[i] for `int i = get_global_id(0)`.
NodeId int_gid(KernelBuilder& k, unsigned dim = 0) { return k.cast(Op::trunc, k.gid(dim), 32); }
NodeId index_of(KernelBuilder& k, NodeId value) { return k.cast(Op::sext, value, 64); }

TEST(FootprintShapes, VectorAddTouchesTheSpanOfEachBuffer) {
  KernelBuilder k;
  const auto a = k.buffer(4096);
  const auto c = k.buffer(4096);
  k.read(a, k.gid());
  k.write(c, k.gid());
  const auto f = k.evaluate(range_1d(1024, 64), {4, 8});
  EXPECT_EQ(f[a].reads, RangeSet({1024, 2048}));
  EXPECT_TRUE(f[a].may_write.empty());
  EXPECT_EQ(f[c].must_write, RangeSet({1024, 2048}));
  EXPECT_EQ(f[c].may_write, f[c].must_write);
  EXPECT_FALSE(f[c].write_unknown);
}

TEST(FootprintShapes, GlobalOffsetMovesTheSpan) {
  KernelBuilder k;
  const auto out = k.buffer(4096);
  k.write(out, k.gid());
  NdRange range = range_1d(256, 64);
  range.offset[0] = 100;
  EXPECT_EQ(k.evaluate(range, {1, 2})[out].must_write, RangeSet({(100 + 64) * 4, (100 + 128) * 4}));
}

struct Guarded {
  bool expected;
  Predicate predicate;
};
class FootprintGuard : public testing::TestWithParam<Guarded> {};

TEST_P(FootprintGuard, CutsTheLastGroupAtTheElementCount) {
  KernelBuilder k;
  const auto in = k.buffer(8192);
  const auto out = k.buffer(8192);
  const NodeId n = k.scalar(1000);
  const NodeId i = int_gid(k);
  const Guard guard{k.compare(GetParam().predicate, i, n), GetParam().expected};
  k.read(in, index_of(k, i)).guards = {guard};
  k.write(out, index_of(k, i)).guards = {guard};
  const NdRange range = range_1d(1024, 64);
  const auto last = k.evaluate(range, {14, 16});
  EXPECT_EQ(last[in].reads, RangeSet({14 * 64 * 4, 4000}));
  EXPECT_EQ(last[out].must_write, RangeSet({14 * 64 * 4, 4000}));
  EXPECT_EQ(last[out].may_write, last[out].must_write);
  EXPECT_EQ(k.evaluate(range, {0, 4})[out].must_write, RangeSet({0, 1024}));
}

INSTANTIATE_TEST_SUITE_P(Forms, FootprintGuard,
                         testing::Values(Guarded{true, Predicate::slt}, Guarded{false, Predicate::sge},
                                         Guarded{true, Predicate::ult}, Guarded{false, Predicate::uge}));

TEST(FootprintShapes, GuardThatFailsForTheWholeSpanTouchesNothing) {
  KernelBuilder k;
  const auto out = k.buffer(8192);
  k.write(out, k.gid()).guards = {{k.compare(Predicate::ult, k.gid(), k.constant(256)), true}};
  const auto f = k.evaluate(range_1d(1024, 64), {4, 16});
  EXPECT_TRUE(f[out].may_write.empty());
}

TEST(FootprintShapes, TwoDimensionalGuardCutsBothSides) {
  KernelBuilder k;
  const std::uint64_t w = 100;
  const auto out = k.buffer(w * 50 * 4);
  const NodeId x = int_gid(k, 0);
  const NodeId y = int_gid(k, 1);
  const NodeId inside =
      k.binary(Op::bit_and, k.compare(Predicate::slt, x, k.scalar(100)), k.compare(Predicate::slt, y, k.scalar(50)));
  k.write(out, index_of(k, k.add(k.mul(y, k.scalar(100)), x))).guards = {{inside, true}};
  const NdRange range = range_2d(112, 64, 16, 16);
  EXPECT_EQ(k.evaluate(range)[out].must_write, RangeSet({0, w * 50 * 4}));
  // The last group of the last row of groups: columns 96 to 99 of rows 48 and 49.
  const auto corner = k.evaluate(range, {27, 28});
  EXPECT_EQ(corner[out].must_write, rows((48 * w + 96) * 4, 16, w * 4, 2));
  EXPECT_EQ(corner[out].may_write, corner[out].must_write);
}

TEST(FootprintShapes, MatrixProductReadsASlabAndAWholeMatrix) {
  constexpr std::uint64_t kN = 256;
  KernelBuilder k;
  const auto a = k.buffer(kN * kN * 4);
  const auto b = k.buffer(kN * kN * 4);
  const auto c = k.buffer(kN * kN * 4);
  const NodeId n = k.scalar(kN);
  const auto loop = k.loop(k.plus(n, -1));
  const NodeId i = k.iteration(loop, 32);
  const NodeId x = int_gid(k, 0);
  const NodeId y = int_gid(k, 1);
  k.read(a, index_of(k, k.add(k.mul(y, n), i))).loops = {loop};
  k.read(b, index_of(k, k.add(k.mul(i, n), x))).loops = {loop};
  k.write(c, index_of(k, k.add(k.mul(y, n), x)));
  const NdRange range = range_2d(kN, kN, 16, 16);
  const auto slab = k.evaluate(range, {2 * 16, 6 * 16});
  const RangeSet expected({2 * 16 * kN * 4, 6 * 16 * kN * 4});
  EXPECT_EQ(slab[a].reads, expected);
  EXPECT_EQ(slab[b].reads, RangeSet({0, kN * kN * 4}));
  EXPECT_EQ(slab[c].must_write, expected);
  // Half a row of groups: 16 rows of 128 columns.
  const auto half = k.evaluate(range, {0, 8});
  EXPECT_EQ(half[a].reads, RangeSet({0, 16 * kN * 4}));
  EXPECT_EQ(half[b].reads, rows(0, 512, kN * 4, kN));
  EXPECT_EQ(half[c].must_write, rows(0, 512, kN * 4, 16));
  EXPECT_EQ(half[c].may_write, half[c].must_write);
}

TEST(FootprintShapes, TiledMatrixProductThroughLocalIds) {
  // A[(16·gy + ly)·n + 16·t + lx], as the tiled kernels load it.
  constexpr std::uint64_t kN = 128;
  KernelBuilder k;
  const auto a = k.buffer(kN * kN * 4);
  const auto loop = k.loop(k.constant(kN / 16 - 1));
  const NodeId row = k.add(k.times(k.group(1), 16), k.lid(1));
  const NodeId column = k.add(k.times(k.iteration(loop), 16), k.lid(0));
  k.read(a, k.add(k.times(row, kN), column)).loops = {loop};
  const auto f = k.evaluate(range_2d(kN, kN, 16, 16), {8, 16});
  EXPECT_EQ(f[a].reads, RangeSet({16 * kN * 4, 32 * kN * 4}));
}

TEST(FootprintShapes, TransposeWritesColumnsAsRows) {
  constexpr std::uint64_t kN = 64;
  KernelBuilder k;
  const auto in = k.buffer(kN * kN * 4);
  const auto out = k.buffer(kN * kN * 4);
  k.read(in, k.add(k.times(k.gid(1), kN), k.gid(0)));
  k.write(out, k.add(k.times(k.gid(0), kN), k.gid(1)));
  const auto f = k.evaluate(range_2d(kN, kN, 16, 16), {4, 8});  // the second row of groups
  EXPECT_EQ(f[in].reads, RangeSet({16 * kN * 4, 32 * kN * 4}));
  EXPECT_EQ(f[out].must_write, rows(16 * 4, 16 * 4, kN * 4, kN));
  EXPECT_EQ(f[out].may_write, f[out].must_write);
}

TEST(FootprintShapes, ClampedStencilReadsItsHaloAndNoMore) {
  constexpr std::int64_t kW = 64;
  constexpr std::int64_t kH = 64;
  KernelBuilder k;
  const auto in = k.buffer(kW * kH * 4);
  const auto out = k.buffer(kW * kH * 4);
  const NodeId x = int_gid(k, 0);
  const NodeId y = int_gid(k, 1);
  const auto clamp = [&](NodeId v, std::int64_t most) {
    return k.binary(Op::smin, k.binary(Op::smax, v, k.constant(0, 32)), k.constant(most, 32));
  };
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const NodeId row = k.times(clamp(k.plus(y, dy), kH - 1), kW);
      k.read(in, index_of(k, k.add(row, clamp(k.plus(x, dx), kW - 1))));
    }
  }
  k.write(out, index_of(k, k.add(k.times(y, kW), x)));
  const NdRange range = range_2d(kW, kH, 16, 16);
  const std::uint64_t row = kW * 4;
  EXPECT_EQ(k.evaluate(range, {4, 8})[in].reads, RangeSet({15 * row, 33 * row}));
  EXPECT_EQ(k.evaluate(range, {0, 4})[in].reads, RangeSet({0, 17 * row}));
  EXPECT_EQ(k.evaluate(range, {12, 16})[in].reads, RangeSet({47 * row, 64 * row}));
  // One inner group: 18 rows of 18 columns.
  EXPECT_EQ(k.evaluate(range, {5, 6})[in].reads, rows(15 * row + 15 * 4, 18 * 4, row, 18));
  EXPECT_EQ(k.evaluate(range, {4, 8})[out].must_write, RangeSet({16 * row, 32 * row}));
}

TEST(FootprintShapes, StencilThatSkipsTheBorderWritesTheInnerPart) {
  constexpr std::int64_t kW = 64;
  KernelBuilder k;
  const auto in = k.buffer(kW * kW * 4);
  const auto out = k.buffer(kW * kW * 4);
  const NodeId x = int_gid(k, 0);
  const NodeId y = int_gid(k, 1);
  std::vector<Guard> guards;
  for (const NodeId v : {x, y}) {
    guards.push_back({k.compare(Predicate::sge, v, k.constant(1, 32)), true});
    guards.push_back({k.compare(Predicate::slt, v, k.constant(kW - 1, 32)), true});
  }
  const NodeId centre = k.add(k.times(y, kW), x);
  k.read(in, index_of(k, k.plus(centre, -kW))).guards = guards;
  k.read(in, index_of(k, k.plus(centre, kW))).guards = guards;
  k.write(out, index_of(k, centre)).guards = guards;
  const auto f = k.evaluate(range_2d(kW, kW, 8, 8));
  EXPECT_EQ(f[out].must_write, rows((kW + 1) * 4, (kW - 2) * 4, kW * 4, kW - 2));
  EXPECT_EQ(f[in].reads, rows(4, (kW - 2) * 4, kW * 4, kW));
}

TEST(FootprintShapes, ReductionReadsTwoElementsAnItemAndWritesOneAGroup) {
  KernelBuilder k;
  const auto in = k.buffer(1u << 16);
  const auto out = k.buffer(1u << 10);
  const std::int64_t w = 64;
  const NodeId i = k.add(k.mul(k.group(), k.times(k.id(Op::local_size, 0), 2)), k.lid());
  k.read(in, i);
  k.read(in, k.add(i, k.id(Op::local_size, 0)));
  k.write(out, k.group()).guards = {{k.compare(Predicate::eq, k.lid(), k.constant(0)), true}};
  const auto f = k.evaluate(range_1d(64 * 64, w), {16, 48});
  EXPECT_EQ(f[in].reads, RangeSet({16 * 2 * 64 * 4, 48 * 2 * 64 * 4}));
  EXPECT_EQ(f[out].must_write, RangeSet({16 * 4, 48 * 4}));
}

TEST(FootprintShapes, AesBlocksOfFourByFour) {
  // index = (gy·width/4 + gx) + ly·width/4 + lx over uchar4, local 1x4 as in the SDK sample.
  constexpr std::int64_t kWidth = 256;
  KernelBuilder k;
  const auto in = k.buffer(kWidth * kWidth);
  const auto out = k.buffer(kWidth * kWidth);
  const NodeId quarter = k.binary(Op::udiv, k.scalar(kWidth), k.constant(4, 32));
  const NodeId pitch = k.cast(Op::zext, quarter, 64);
  const NodeId block_row = k.mul(k.times(k.group(1), 4), pitch);
  const NodeId index = k.add(k.add(block_row, k.group(0)), k.mul(k.lid(1), pitch));
  k.read(in, index, 4);
  k.write(out, index, 4);
  const auto f = k.evaluate(range_2d(kWidth / 4, kWidth, 1, 4), {2 * 64, 5 * 64});
  EXPECT_EQ(f[in].reads, RangeSet({2 * 4 * kWidth, 5 * 4 * kWidth}));
  EXPECT_EQ(f[out].must_write, RangeSet({2 * 4 * kWidth, 5 * 4 * kWidth}));
}

TEST(FootprintShapes, HistogramChunkLoopReadsTheGroupsChunk) {
  // for (i = group·CH + l; i < (group + 1)·CH; i += W), with the back-edge count that scalar evolution gives.
  constexpr std::int64_t kChunk = 1024;
  constexpr std::int64_t kW = 64;
  KernelBuilder k;
  const auto in = k.buffer(1u << 16);
  const NodeId start = k.add(k.times(k.group(), kChunk), k.lid());
  const NodeId end = k.times(k.plus(k.group(), 1), kChunk);
  const NodeId next = k.binary(Op::umax, end, k.plus(start, kW));
  const auto loop = k.loop(k.binary(Op::udiv, k.sub(k.plus(next, -1), start), k.constant(kW)));
  k.read(in, k.add(start, k.times(k.iteration(loop), kW)), 1).loops = {loop};
  EXPECT_EQ(k.evaluate(range_1d(16 * kW, kW), {3, 7})[in].reads, RangeSet({3 * kChunk, 7 * kChunk}));
}

TEST(FootprintShapes, GridStrideLoopWritesEveryElementOfAWholeLaunch) {
  constexpr std::int64_t kN = 10'000;
  constexpr std::int64_t kSize = 1024;
  KernelBuilder k;
  const auto out = k.buffer(kN * 4);
  const NodeId n = k.constant(kN);
  const NodeId stride = k.id(Op::global_size, 0);
  const NodeId backedges = k.binary(Op::udiv, k.sub(k.plus(n, -1), k.gid()), stride);
  const auto loop = k.loop(backedges);
  Access& access = k.write(out, k.add(k.gid(), k.mul(k.iteration(loop), stride)));
  access.loops = {loop};
  access.guards = {{k.compare(Predicate::ult, k.gid(), n), true}};
  const NdRange range = range_1d(kSize, 64);
  EXPECT_EQ(k.evaluate(range)[out].may_write, RangeSet({0, kN * 4}));
  // Groups 0 to 7 make ten trips, up to group 12 some items nine: nine trips are sure.
  const auto f = k.evaluate(range, {0, 8});
  EXPECT_EQ(f[out].must_write, f[out].may_write);
  EXPECT_EQ(f[out].must_write, rows(0, 8 * 64 * 4, kSize * 4, 10).intersection(RangeSet({0, kN * 4})));
  EXPECT_EQ(k.evaluate(range, {12, 13})[out].must_write, rows(12 * 64 * 4, 64 * 4, kSize * 4, 9));
}

TEST(FootprintShapes, NbodyReadsEverythingAndWritesItsOwn) {
  KernelBuilder k;
  const std::uint64_t bodies = 512;
  const auto position = k.buffer(bodies * 16);
  const auto next = k.buffer(bodies * 16);
  const auto loop = k.loop(k.plus(k.scalar(bodies), -1));
  k.read(position, k.cast(Op::sext, k.iteration(loop, 32), 64), 16).loops = {loop};
  k.write(next, k.gid(), 16);
  const auto f = k.evaluate(range_1d(bodies, 64), {2, 4});
  EXPECT_EQ(f[position].reads, RangeSet({0, bodies * 16}));
  EXPECT_EQ(f[next].must_write, RangeSet({128 * 16, 256 * 16}));
}

TEST(FootprintShapes, Fdtd3dWithPlanesInALoop) {
  // Columns of a volume: out[((z + r)·H + y + r)·P + x + r], reads ± r planes, as the radius-r stencil walks z.
  constexpr std::int64_t kP = 48;
  constexpr std::int64_t kH = 24;
  constexpr std::int64_t kZ = 10;
  constexpr std::int64_t kR = 2;
  KernelBuilder k;
  const std::uint64_t plane = kP * kH * 4;
  const auto in = k.buffer(plane * (kZ + 2 * kR));
  const auto out = k.buffer(plane * (kZ + 2 * kR));
  const auto loop = k.loop(k.constant(kZ - 1));
  const NodeId cell = k.add(k.times(k.plus(k.iteration(loop), kR), kP * kH),
                            k.add(k.times(k.plus(k.gid(1), kR), kP), k.plus(k.gid(0), kR)));
  for (std::int64_t r = -kR; r <= kR; ++r) {
    k.read(in, k.plus(cell, r * kP * kH)).loops = {loop};
    k.read(in, k.plus(cell, r * kP)).loops = {loop};
    k.read(in, k.plus(cell, r)).loops = {loop};
  }
  k.write(out, cell).loops = {loop};
  // 32 x 16 inner cells, groups of 16 x 4; groups 2 and 3 hold rows 4 to 7.
  const auto f = k.evaluate(range_2d(32, 16, 16, 4), {2, 4});
  RangeSet written;
  for (std::uint64_t z = kR; z < kZ + kR; ++z)
    written.add(rows(z * plane + ((4 + kR) * kP + kR) * 4, 32 * 4, kP * 4, 4));
  EXPECT_EQ(f[out].must_write, written);
  EXPECT_EQ(f[out].may_write, written);
  EXPECT_EQ(f[in].reads.hull().begin, ((4 + kR) * kP + kR) * 4u);
  EXPECT_EQ(f[in].reads.hull().end, (kZ + 2 * kR - 1) * plane + ((7 + kR) * kP + 32 + kR) * 4);
  EXPECT_LT(f[in].reads.bytes(), plane * (kZ + 2 * kR) / 2);
}

TEST(FootprintShapes, RowAndColumnDividedOutOfOneIndexRejoin) {
  KernelBuilder k;
  const auto out = k.buffer(1u << 14);
  const NodeId width = k.cast(Op::zext, k.scalar(37), 64);
  const NodeId row = k.binary(Op::udiv, k.gid(), width);
  const NodeId column = k.binary(Op::urem, k.gid(), width);
  k.write(out, k.add(k.mul(row, width), column));
  EXPECT_EQ(k.evaluate(range_1d(2048, 64), {5, 9})[out].must_write, RangeSet({5 * 64 * 4, 9 * 64 * 4}));
}

TEST(FootprintShapes, LocalIdSplitIntoRowAndColumnCoversTheTile) {
  // l = 16·r + c from a linear local id: tile[(4·group + r)·64 + c].
  KernelBuilder k;
  const auto out = k.buffer(1u << 14);
  const NodeId r = k.binary(Op::lshr, k.lid(), k.constant(4));
  const NodeId c = k.binary(Op::bit_and, k.lid(), k.constant(15));
  k.write(out, k.add(k.times(k.add(k.times(k.group(), 4), r), 64), c));
  EXPECT_EQ(k.evaluate(range_1d(512, 64), {1, 2})[out].must_write, rows(4 * 64 * 4, 64, 64 * 4, 4));
}

TEST(FootprintShapes, ScanWritesBothHalvesOfItsBlock) {
  KernelBuilder k;
  const auto out = k.buffer(1u << 14);
  const auto sums = k.buffer(1u << 10);
  k.write(out, k.times(k.gid(), 2));
  k.write(out, k.plus(k.times(k.gid(), 2), 1));
  const NodeId last = k.compare(Predicate::eq, k.lid(), k.plus(k.id(Op::local_size, 0), -1));
  k.write(sums, k.group()).guards = {{last, true}};
  const auto f = k.evaluate(range_1d(1024, 32), {8, 12});
  EXPECT_EQ(f[out].must_write, RangeSet({8 * 64 * 4, 12 * 64 * 4}));
  EXPECT_EQ(f[sums].must_write, RangeSet({8 * 4, 12 * 4}));
}

TEST(FootprintShapes, GuardOnGroupAndLocalTogetherClaimsNothingItCannotProve) {
  KernelBuilder k;
  const auto out = k.buffer(4096);
  Access& access = k.write(out, k.gid());
  access.guards = {{k.compare(Predicate::uge, k.lid(), k.constant(3)), true},
                   {k.compare(Predicate::ult, k.gid(), k.constant(22)), true}};
  const auto f = k.evaluate(range_1d(32, 8));
  EXPECT_TRUE(f[out].must_write.empty());
  EXPECT_TRUE(f[out].may_write.contains({19 * 4, 22 * 4}));
  EXPECT_LE(f[out].may_write.hull().end, 22u * 4);
}

TEST(FootprintShapes, GuardOnGroupAndLocalTogetherIsExactWhereGroupsAreWhole) {
  KernelBuilder k;
  const auto out = k.buffer(4096);
  k.write(out, k.gid()).guards = {{k.compare(Predicate::uge, k.lid(), k.constant(3)), true},
                                  {k.compare(Predicate::ult, k.gid(), k.constant(18)), true}};
  EXPECT_EQ(k.evaluate(range_1d(32, 8))[out].must_write, rows(12, 20, 32, 2));
}

}  // namespace
}  // namespace skmd::domain::test

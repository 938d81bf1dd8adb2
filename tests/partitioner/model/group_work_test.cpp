// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/group_work.h"

#include <gtest/gtest.h>

#include "tests/partitioner/kernel_builder.h"

namespace skmd::domain {
namespace {

using test::KernelBuilder;

TEST(GroupWork, CountsAccessesAndTheirBytes) {
  KernelBuilder kernel;
  const auto in = kernel.buffer(4096), out = kernel.buffer(4096);
  kernel.read(in, kernel.gid(), 4);
  kernel.write(out, kernel.gid(), 8);
  const GroupWork work = group_work(kernel.traits, test::range_1d(512, 64), kernel.arguments());
  EXPECT_DOUBLE_EQ(work.operations, 64 * 3);
  EXPECT_DOUBLE_EQ(work.bytes, 64 * 12);
}

TEST(GroupWork, ALoopTimesItsScalarAndTheLoopAroundIt) {
  KernelBuilder kernel;
  const auto in = kernel.buffer(1 << 20);
  const NodeId n = kernel.scalar(100);
  const auto outer = kernel.loop(kernel.plus(n, -1));
  const auto inner = kernel.loop(kernel.constant(9));
  kernel.read(in, kernel.iteration(outer)).loops = {outer};
  kernel.read(in, kernel.iteration(inner)).loops = {outer, inner};
  const GroupWork work = group_work(kernel.traits, test::range_1d(32, 32), kernel.arguments());
  EXPECT_DOUBLE_EQ(work.operations, 32 * (1 + 100 + 1000));
  EXPECT_DOUBLE_EQ(work.bytes, 32 * 4 * 1100);
}

TEST(GroupWork, AGroupThatDoesMoreThanItsNeighboursCountsInTheMean) {
  KernelBuilder kernel;
  const auto in = kernel.buffer(1 << 20);
  const auto loop = kernel.loop(kernel.group());  // 1 pass in the first group, 101 in the last
  kernel.read(in, kernel.iteration(loop)).loops = {loop};
  const GroupWork work = group_work(kernel.traits, test::range_1d(101 * 8, 8), kernel.arguments());
  EXPECT_DOUBLE_EQ(work.operations, 8 * (1 + 51));
}

TEST(GroupWork, MemoryThatDecidesIsNotGuessed) {
  KernelBuilder kernel;
  const auto in = kernel.buffer(1 << 20);
  const auto loop = kernel.loop(kNoNode);
  kernel.read(in, kernel.iteration(loop)).loops = {loop};
  const GroupWork work = group_work(kernel.traits, test::range_1d(64, 8), kernel.arguments());
  EXPECT_EQ(work.operations, 0.0);
  EXPECT_EQ(work.bytes, 0.0);
}

TEST(GroupWork, AnUnknownTripCountIsNotTakenForItsGreatest) {
  KernelBuilder kernel;
  const auto in = kernel.buffer(1 << 20);
  const auto loop = kernel.loop(kernel.node(Op::unknown, 64));
  kernel.read(in, kernel.iteration(loop)).loops = {loop};
  EXPECT_EQ(group_work(kernel.traits, test::range_1d(64, 8), kernel.arguments()).operations, 0.0);
}

}  // namespace
}  // namespace skmd::domain

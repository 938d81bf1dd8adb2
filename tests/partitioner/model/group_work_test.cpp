// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/group_work.h"

#include <gtest/gtest.h>

#include "tests/partitioner/kernel_builder.h"

namespace skmd::domain {
namespace {

using test::KernelBuilder;
using test::range_1d;

GroupWork work_of(const KernelBuilder& kernel, const NdRange& range) {
  return group_work(kernel.traits, range, kernel.arguments());
}

TEST(GroupWork, SumsOperationsAndBytesOverItems) {
  KernelBuilder kernel;
  const auto in = kernel.buffer(4096), out = kernel.buffer(4096);
  kernel.read(in, kernel.gid(), 4);
  kernel.write(out, kernel.gid(), 8);
  kernel.operations(5);
  const GroupWork work = work_of(kernel, test::range_2d(64, 32, 16, 4));
  EXPECT_DOUBLE_EQ(work.operations, 64 * 5);
  EXPECT_DOUBLE_EQ(work.bytes, 64 * 12);
  EXPECT_FALSE(work.data_decides);
}

TEST(GroupWork, ALoopTimesItsScalarAndTheLoopAroundIt) {
  KernelBuilder kernel;
  const auto in = kernel.buffer(1 << 20);
  const NodeId n = kernel.scalar(100);
  const auto outer = kernel.loop(kernel.plus(n, -1));
  const auto inner = kernel.loop(kernel.constant(9));
  kernel.read(in, kernel.iteration(outer)).loops = {outer};
  kernel.read(in, kernel.iteration(inner)).loops = {outer, inner};
  kernel.operations(2);
  kernel.operations(3).loops = {outer};
  kernel.operations(7).loops = {outer, inner};
  const GroupWork work = work_of(kernel, range_1d(32, 32));
  EXPECT_DOUBLE_EQ(work.operations, 32 * (2 + 3 * 100 + 7 * 1000));
  EXPECT_DOUBLE_EQ(work.bytes, 32 * 4 * 1100);
}

TEST(GroupWork, AGroupThatDoesMoreThanItsNeighboursCountsInTheMean) {
  KernelBuilder kernel;
  const auto loop = kernel.loop(kernel.group());  // 1 pass in the first group, 101 in the last
  kernel.operations(1).loops = {loop};
  EXPECT_DOUBLE_EQ(work_of(kernel, range_1d(101 * 8, 8)).operations, 8 * 51);
}

TEST(GroupWork, AnInnerLoopThatFollowsTheOuterOneCountsInTheMean) {
  KernelBuilder kernel;
  const auto outer = kernel.loop(kernel.constant(100));
  const auto inner = kernel.loop(kernel.iteration(outer));
  kernel.operations(2).loops = {outer, inner};
  EXPECT_DOUBLE_EQ(work_of(kernel, range_1d(8, 8)).operations, 8 * 2 * 101 * 51);  // 1 + 2 + … + 101, twice
}

TEST(GroupWork, MemoryThatDecidesIsNotGuessed) {
  KernelBuilder kernel;
  const auto in = kernel.buffer(1 << 20);
  const auto loop = kernel.loop(kNoNode);
  kernel.read(in, kernel.iteration(loop)).loops = {loop};
  kernel.operations(1);
  kernel.operations(1).loops = {loop};
  kernel.traits.facts = kFactDataDecidesWork;
  const GroupWork work = work_of(kernel, range_1d(64, 8));
  EXPECT_EQ(work.operations, 0.0);
  EXPECT_EQ(work.bytes, 0.0);
  EXPECT_TRUE(work.data_decides);
}

TEST(GroupWork, AnUnknownTripCountIsNotTakenForItsGreatest) {
  for (const std::uint8_t bits : {32, 64}) {
    KernelBuilder kernel;
    const auto loop = kernel.loop(kernel.cast(Op::zext, kernel.node(Op::unknown, bits), 64));
    kernel.operations(1).loops = {loop};
    EXPECT_EQ(work_of(kernel, range_1d(64, 8)).operations, 0.0) << int{bits};
  }
}

TEST(GroupWork, ALimitThatIsTheCountersTypeIsNone) {
  KernelBuilder kernel;
  const auto loop = kernel.loop(kernel.constant(0xFFFFFFFF), false);
  kernel.operations(1).loops = {loop};
  EXPECT_EQ(work_of(kernel, range_1d(64, 8)).operations, 0.0);
}

TEST(GroupWork, ALoopThatMayEndEarlyCountsToItsLimit) {
  KernelBuilder kernel;
  const auto loop = kernel.loop(kernel.plus(kernel.scalar(20), -1), false);
  kernel.operations(3).loops = {loop};
  kernel.traits.facts = kFactDataDecidesWork;
  const GroupWork work = work_of(kernel, range_1d(64, 8));
  EXPECT_DOUBLE_EQ(work.operations, 8 * 3 * 20);
  EXPECT_TRUE(work.data_decides);
}

TEST(GroupWork, AHalvedCounterCountsByTheLogarithm) {
  const auto with = [](std::int64_t ratio, std::uint8_t doublings) {
    KernelBuilder kernel;
    const auto loop = kernel.loop(kernel.constant(64), false);
    kernel.traits.loops[loop].ratio = kernel.scalar(ratio, 64);
    kernel.traits.loops[loop].doublings = doublings;
    kernel.operations(1).loops = {loop};
    return work_of(kernel, range_1d(64, 8)).operations / 8;
  };
  EXPECT_DOUBLE_EQ(with(128, 1), 8);  // 128, 64, …, 1
  EXPECT_DOUBLE_EQ(with(127, 1), 7);
  EXPECT_DOUBLE_EQ(with(1, 1), 1);
  EXPECT_DOUBLE_EQ(with(0, 1), 1);
  EXPECT_DOUBLE_EQ(with(256, 4), 3);  // 256, 16, 1
}

TEST(GroupWork, ConditionsOnIdsCountByTheirShare) {
  KernelBuilder kernel;
  const auto in = kernel.buffer(1 << 20);
  const NodeId n = kernel.scalar(50, 64), eight = kernel.constant(8), zero = kernel.constant(0);
  const Guard inside{kernel.compare(Predicate::ult, kernel.gid(), n), true};
  const Guard first{kernel.compare(Predicate::eq, kernel.lid(), zero), true};
  const Guard low{kernel.compare(Predicate::ult, kernel.lid(), eight), true};
  kernel.operations(1).guards = {first};
  kernel.operations(10).guards = {low};
  kernel.operations(100).guards = {{low.node, false}};
  kernel.operations(1000).guards = {inside};
  kernel.read(in, kernel.gid()).guards = {low};
  // One group of 64 items, of which 50 are inside.
  const GroupWork work = work_of(kernel, range_1d(64, 64));
  EXPECT_DOUBLE_EQ(work.operations, 1 + 10 * 8 + 100 * 56 + 1000 * 50);
  EXPECT_DOUBLE_EQ(work.bytes, 4 * 8);
}

TEST(GroupWork, ATripCountIsThatOfTheItemsThatGetThere) {
  KernelBuilder kernel;
  const NodeId n = kernel.scalar(40);
  const NodeId item = kernel.id(Op::global_id, 0, 32);
  const Guard inside{kernel.compare(Predicate::ult, item, n), true};
  // n - item - 1 wraps for items from n on, which do not come to the loop.
  const auto loop = kernel.loop(kernel.cast(Op::zext, kernel.plus(kernel.sub(n, item), -1), 64));
  OperationCount& count = kernel.operations(1);
  count.guards = {inside};
  count.loops = {loop};
  EXPECT_DOUBLE_EQ(work_of(kernel, range_1d(64, 64)).operations, 40 * (1 + 40) / 2.0);
}

TEST(GroupWork, ConditionsOnIterationsLeaveSomeOfThePasses) {
  KernelBuilder kernel;
  const auto loop = kernel.loop(kernel.constant(99));
  const Guard early{kernel.compare(Predicate::ult, kernel.iteration(loop), kernel.constant(10)), true};
  const Guard late{kernel.compare(Predicate::ult, kernel.iteration(loop), kernel.constant(30)), false};
  OperationCount& count = kernel.operations(1);
  count.guards = {early};
  count.loops = {loop};
  OperationCount& other = kernel.operations(1000);
  other.guards = {late};
  other.loops = {loop};
  EXPECT_DOUBLE_EQ(work_of(kernel, range_1d(8, 8)).operations, 8 * (10 + 1000 * 70));
}

TEST(GroupWork, WhatIsNeverDoneCountsNothingEvenIfItsLengthIsUnknown) {
  KernelBuilder kernel;
  const Guard never{kernel.compare(Predicate::ult, kernel.scalar(5), kernel.constant(3, 32)), true};
  OperationCount& count = kernel.operations(1);
  count.guards = {never};
  count.loops = {kernel.loop(kNoNode)};
  kernel.operations(2);
  EXPECT_DOUBLE_EQ(work_of(kernel, range_1d(8, 8)).operations, 16);
}

TEST(GroupWork, WhatNeitherIdsNorArgumentsDecideCountsAsMet) {
  KernelBuilder kernel;
  kernel.operations(3).guards = {{kernel.node(Op::unknown, 1), true}};
  EXPECT_DOUBLE_EQ(work_of(kernel, range_1d(8, 8)).operations, 24);
}

TEST(GroupWork, GroupsBeyondTheDataAreTooFewToCount) {
  KernelBuilder kernel;
  kernel.operations(4).guards = {{kernel.compare(Predicate::ult, kernel.gid(), kernel.scalar(1000, 64)), true}};
  EXPECT_DOUBLE_EQ(work_of(kernel, range_1d(1024, 16)).operations, 16 * 4);
}

TEST(GroupWork, BytesOfImagesAndOfCodeThatIsNotKnownAreNotKnown) {
  KernelBuilder kernel;
  const auto image = kernel.buffer(1 << 20);
  kernel.read(image, kNoNode, 1);
  EXPECT_EQ(work_of(kernel, range_1d(64, 8)).bytes, 0.0) << "no operations: not looked into";
  kernel.operations(2);
  EXPECT_DOUBLE_EQ(work_of(kernel, range_1d(64, 8)).bytes, 8.0);
  kernel.traits.parameters[image].kind = ParameterKind::image;
  const GroupWork work = work_of(kernel, range_1d(64, 8));
  EXPECT_EQ(work.bytes, 0.0);
  EXPECT_DOUBLE_EQ(work.operations, 16.0);
}

}  // namespace
}  // namespace skmd::domain

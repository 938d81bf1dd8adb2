// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "partitioner/plan/prediction.h"
#include "tests/partitioner/planned_machine.h"

namespace skmd::domain {
namespace {

using test::device;
using test::expect_tiles;
using test::groups_of;
using test::slices;
using Machine = test::PlannedMachine;

TEST(PartitionEqual, CutsAtTheFloors) {
  Machine m({device(0), device(5), device(0)}, 10, PartitionMode::equal);
  EXPECT_EQ(m.plan().slices, slices({{0, {0, 3}}, {1, {3, 6}}, {2, {6, 10}}}));
}

TEST(PartitionEqual, LeavesOutIneligibleDevices) {
  Machine m({device(0), device(0), device(0)}, 10, PartitionMode::equal);
  m.devices[1].eligible = false;
  EXPECT_EQ(m.plan().slices, slices({{0, {0, 5}}, {2, {5, 10}}}));
}

TEST(PartitionEqual, FewerGroupsThanDevicesDropsEmptySlices) {
  Machine m({device(0), device(0), device(0)}, 2, PartitionMode::equal);
  EXPECT_EQ(m.plan().slices, slices({{1, {0, 1}}, {2, {1, 2}}}));
}

TEST(PartitionEqual, HugeGroupCountsDoNotOverflow) {
  const std::uint64_t groups = ~std::uint64_t{0};
  Machine m({device(0), device(0), device(0)}, groups, PartitionMode::equal);
  expect_tiles(m.plan(), groups);
  EXPECT_EQ(m.plan().slices[0].span.last, groups / 3);
}

TEST(PartitionFixed, CutsByPercent) {
  Machine m({device(0), device(0), device(0)}, 10, PartitionMode::fixed);
  m.request.policy.percent = {30, 0, 70};
  EXPECT_EQ(m.plan().slices, slices({{0, {0, 3}}, {2, {3, 10}}}));
}

TEST(PartitionFixed, EveryWholePercentageOfAHundredGroupsIsExact) {
  for (int p = 1; p < 100; ++p) {
    Machine m({device(0), device(0)}, 100, PartitionMode::fixed);
    m.request.policy.percent = {static_cast<double>(p), static_cast<double>(100 - p)};
    ASSERT_EQ(groups_of(m.plan(), 0), static_cast<std::uint64_t>(p));
  }
}

TEST(PartitionFixed, IneligibleDevicesShareGoesToTheOthersInProportion) {
  Machine m({device(0), device(0), device(0)}, 90, PartitionMode::fixed);
  m.request.policy.percent = {50, 25, 25};
  m.devices[2].eligible = false;
  EXPECT_EQ(m.plan().slices, slices({{0, {0, 60}}, {1, {60, 90}}}));
}

TEST(PartitionLinear, FollowsRatesAndIgnoresTransfers) {
  Machine m({device(300), device(100)}, 100, PartitionMode::linear);
  m.request.bytes_to = [](std::uint32_t, const GroupSpan&) { return std::uint64_t{1} << 40; };
  EXPECT_EQ(m.plan().slices, slices({{0, {0, 75}}, {1, {75, 100}}}));
}

TEST(PartitionLinear, CountsWhatDoesNotGrowWithTheGroups) {
  Machine m({device(100), device(100)}, 100, PartitionMode::linear);
  m.devices[1].source = ModelSource::database;
  m.devices[1].launch_seconds = 2.0;  // 3 s for the launch that takes the other one 1
  EXPECT_EQ(m.plan().slices, slices({{0, {0, 75}}, {1, {75, 100}}}));
}

TEST(Partition, FurtherBoxesOfASliceTakeTime) {
  Machine m({device(1000), device(1000)}, 1000, PartitionMode::fixed);
  m.request.policy.percent = {55, 45};
  m.request.group_counts = {100, 10, 1};
  const double before = m.plan().predicted_seconds;
  m.devices[0].box_seconds = 1.0;  // five rows and a half: two boxes
  EXPECT_NEAR(m.plan().predicted_seconds, before + 1.0, 1e-9);
  m.request.group_counts = {0, 0, 0};
  EXPECT_NEAR(m.plan().predicted_seconds, before, 1e-9);
}

TEST(PartitionLinear, WithoutRatesSharesAreEqual) {
  Machine m({device(300), device(0)}, 100, PartitionMode::linear);
  EXPECT_EQ(m.plan().slices, slices({{0, {0, 50}}, {1, {50, 100}}}));
}

TEST(PartitionSingle, AnchorOrIndex) {
  Machine m({device(9), device(1), device(1)}, 100, PartitionMode::single);
  m.request.anchor = 2;
  EXPECT_EQ(m.plan().slices, slices({{2, {0, 100}}}));
  EXPECT_EQ(m.plan().reason, NotSplit::mode_single);
  m.request.policy.single_index = 1;
  EXPECT_EQ(m.plan().slices, slices({{1, {0, 100}}}));
  m.devices[1].eligible = false;
  EXPECT_EQ(m.plan().slices, slices({{2, {0, 100}}}));
}

TEST(Partition, OneGroupAndOneDeviceSaySo) {
  for (const auto mode : {PartitionMode::automatic, PartitionMode::equal, PartitionMode::linear}) {
    Machine one_group({device(1), device(5)}, 1, mode);
    EXPECT_EQ(one_group.plan().slices.size(), 1u);
    EXPECT_EQ(one_group.plan().reason, NotSplit::one_group);
    Machine one_device({device(1), device(5)}, 64, mode);
    one_device.devices[0].eligible = false;
    EXPECT_EQ(one_device.plan().slices, slices({{1, {0, 64}}}));
    EXPECT_EQ(one_device.plan().reason, NotSplit::one_device_eligible);
  }
}

TEST(Partition, NoGroupsNoSlices) {
  Machine m({device(1), device(1)}, 0);
  EXPECT_TRUE(m.plan().slices.empty());
}

TEST(PartitionAuto, EqualDevicesOnHeavyComputeShareEvenly) {
  Machine m({device(1000), device(1000)}, 1000);
  const Plan plan = m.plan();
  ASSERT_EQ(plan.slices.size(), 2u);
  EXPECT_NEAR(static_cast<double>(groups_of(plan, 0)), 500, 5);
  EXPECT_NEAR(plan.predicted_seconds, 0.5, 0.01);
}

TEST(PartitionAuto, SharesFollowRates) {
  Machine m({device(1000), device(3000), device(6000)}, 10'000);
  const Plan plan = m.plan();
  EXPECT_NEAR(static_cast<double>(groups_of(plan, 0)), 1000, 20);
  EXPECT_NEAR(static_cast<double>(groups_of(plan, 1)), 3000, 20);
  EXPECT_NEAR(static_cast<double>(groups_of(plan, 2)), 6000, 20);
}

TEST(PartitionAuto, TransfersCountAgainstADevice) {
  // Device 1 is as fast, but its data has to come over the link at a rate that halves it.
  Machine m({device(1000), device(1000)}, 1000);
  m.devices[1].bytes_to_per_second = 1e6;
  m.request.bytes_to = [](std::uint32_t d, const GroupSpan& span) { return d == 1 ? span.size() * 1000 : 0; };
  const Plan plan = m.plan();
  ASSERT_EQ(plan.slices.size(), 2u);
  EXPECT_NEAR(static_cast<double>(groups_of(plan, 0)), 667, 10);
}

TEST(PartitionAuto, NoDeviceComputesWhileTransfersBeforeAndAfterTakePlace) {
  // Device 1 is ten times as fast, and what it is sent takes as long as device 0 computes: sharing gains nothing.
  Machine m({device(1000), device(10'000)}, 1000);
  m.devices[1].bytes_to_per_second = 1e6;
  m.request.bytes_to = [](std::uint32_t d, const GroupSpan& span) { return d == 1 ? span.size() * 1000 : 0; };
  ASSERT_EQ(m.plan().slices.size(), 2u) << "while the launch runs, device 0 computes meanwhile";
  m.request.bytes_awaited = [](std::uint32_t) { return std::uint64_t{0}; };  // all is sent before the launch
  EXPECT_EQ(m.plan().slices, slices({{0, {0, 1000}}}));
}

TEST(PartitionAuto, DataThatIsAlreadyThereKeepsTheWorkThere) {
  Machine m({device(1000), device(1000)}, 1000);
  m.request.bytes_to = [](std::uint32_t d, const GroupSpan&) { return d == 0 ? std::uint64_t{100'000'000'000} : 0; };
  const Plan plan = m.plan();
  EXPECT_EQ(plan.slices, slices({{1, {0, 1000}}}));
  EXPECT_EQ(plan.reason, NotSplit::not_profitable);
}

TEST(PartitionAuto, GainWithinTheModelsErrorIsNotTaken) {
  Machine m({device(10'000, 0.3), device(1000, 0.3)}, 10'000);
  EXPECT_EQ(m.plan().slices, slices({{0, {0, 10'000}}}));
  EXPECT_EQ(m.plan().reason, NotSplit::not_profitable);
  Machine sure({device(10'000, 0.03), device(1000, 0.03)}, 10'000);
  EXPECT_EQ(sure.plan().slices.size(), 2u);
}

TEST(PartitionAuto, MergeCostCanMakeASplitPointless) {
  Machine m({device(1000), device(1000)}, 1000);
  m.request.split_seconds = 0.6;
  EXPECT_EQ(m.plan().slices.size(), 1u);
  EXPECT_EQ(m.plan().reason, NotSplit::not_profitable);
}

TEST(PartitionAuto, SmallLaunchGoesToTheFastestDeviceWhole) {
  Machine m({device(1e6), device(9e6)}, 10);
  EXPECT_EQ(m.plan().slices, slices({{1, {0, 10}}}));
  EXPECT_EQ(m.plan().reason, NotSplit::small_launch);
}

TEST(PartitionAuto, SmallLaunchFollowsTheOneBeforeWhereAnotherDeviceGainsLessThanTheHandOver) {
  Machine m({device(1e6), device(9e6)}, 10);
  m.request.hand_over_seconds = 27e-6;
  EXPECT_EQ(m.plan().slices, slices({{1, {0, 10}}})) << "it follows none";
  m.request.behind = 0;
  EXPECT_EQ(m.plan().slices, slices({{0, {0, 10}}})) << "9 us would be gained";
  EXPECT_EQ(whole_device(m.request), 0u);
  m.request.hand_over_seconds = 8e-6;
  EXPECT_EQ(m.plan().slices, slices({{1, {0, 10}}}));
  m.request.behind = 1;
  m.request.hand_over_seconds = 27e-6;
  EXPECT_EQ(m.plan().slices, slices({{1, {0, 10}}}));
  Machine three({device(1e6), device(1e6 / 1.2), device(1e6 / 1.3)}, 10);
  three.request.hand_over_seconds = 27e-6;
  three.request.behind = 2;
  EXPECT_EQ(three.plan().slices, slices({{2, {0, 10}}})) << "13 us for 37 and 39";
}

TEST(PartitionAuto, PreviousPlanIsKeptWhileTheGainIsSmall) {
  Machine m({device(1000), device(1000)}, 1000);
  Plan previous;
  previous.slices = {{0, {0, 490}}, {1, {490, 1000}}};
  m.request.previous = &previous;
  EXPECT_EQ(m.plan().slices, previous.slices);
  previous.slices = {{0, {0, 300}}, {1, {300, 1000}}};
  EXPECT_NE(m.plan().slices, previous.slices);
}

TEST(PartitionAuto, SharesOfTheSameDevicesChangeForAClearGainOnly) {
  Machine m({device(1000), device(1000), device(160)}, 1000);
  Plan previous;
  m.request.previous = &previous;
  m.devices[2].eligible = false;
  previous.slices = {{0, {0, 455}}, {1, {455, 1000}}};
  EXPECT_EQ(m.plan().slices, previous.slices) << "8 per cent, and what is written next was sent by these shares";
  previous.slices = {{0, {0, 430}}, {1, {430, 1000}}};
  EXPECT_NE(m.plan().slices, previous.slices);
  m.devices[2].eligible = true;
  previous.slices = {{0, {0, 500}}, {1, {500, 1000}}};
  EXPECT_EQ(m.plan().slices.size(), 3u) << "7 per cent by another device";
}

TEST(PartitionAuto, PreviousPlanOfAnotherLaunchIsNotTaken) {
  Machine m({device(1000), device(1000), device(0)}, 1000);
  m.devices[2].eligible = false;
  Plan previous;
  m.request.previous = &previous;
  for (const auto& wrong : {slices({{0, {0, 490}}, {1, {490, 900}}}), slices({{0, {0, 490}}, {2, {490, 1000}}}),
                            slices({{0, {0, 490}}, {7, {490, 1000}}}), slices({{0, {10, 490}}, {1, {490, 1000}}})}) {
    previous.slices = wrong;
    expect_tiles(m.plan(), 1000);
    EXPECT_NE(m.plan().slices, wrong);
  }
}

TEST(PartitionAuto, BordersFallOnWholeRowsWhereThatCostsLittle) {
  Machine m({device(1010), device(990)}, 6400);
  m.request.granularity = 64;
  const Plan plan = m.plan();
  ASSERT_EQ(plan.slices.size(), 2u);
  EXPECT_EQ(plan.slices[0].span.last % 64, 0u);
  m.request.groups = 70;  // a border at a multiple of 64 would leave one device with next to nothing
  EXPECT_NEAR(static_cast<double>(groups_of(m.plan(), 0)), 35, 2);
}

TEST(PartitionAuto, UselessDeviceIsLeftOut) {
  Machine m({device(1000), device(1000), device(1)}, 10'000);
  EXPECT_EQ(groups_of(m.plan(), 2), 0u);
  EXPECT_EQ(m.plan().slices.size(), 2u);
}

TEST(PartitionAuto, StepLikeBytesAreBalancedToo) {
  // A device that needs a whole matrix as soon as it takes part, and one that has it.
  Machine m({device(1000), device(4000)}, 10'000);
  m.devices[1].bytes_to_per_second = 1e9;
  m.request.bytes_to = [](std::uint32_t d, const GroupSpan& span) {
    return d == 1 && !span.empty() ? std::uint64_t{1'000'000'000} : 0;
  };
  // t = x/1000 = 1 + (10000 - x)/4000: x = 2800.
  EXPECT_NEAR(static_cast<double>(groups_of(m.plan(), 0)), 2800, 60);
}

TEST(PartitionAuto, AsksForTheBytesOfFewSpans) {
  // Each answer is an evaluation of footprints; a dozen for each device would cost more than planning may.
  Machine m({device(1000), device(2500), device(4000)}, 10'000);
  int asked = 0;
  m.request.bytes_to = [&](std::uint32_t d, const GroupSpan& span) {
    ++asked;
    return d * (50'000'000 + span.size() * 3000);
  };
  const Plan previous = m.plan();
  EXPECT_EQ(previous.slices.size(), 3u);
  m.request.previous = &previous;
  asked = 0;
  EXPECT_EQ(m.plan().slices, previous.slices);
  EXPECT_LE(asked, 18);
}

TEST(PartitionAuto, LinkThatMovesNothingTakesNoPart) {
  Machine m({device(1000), device(1000)}, 1000);
  m.devices[1].bytes_to_per_second = 0;
  m.request.bytes_to = [](std::uint32_t, const GroupSpan&) { return std::uint64_t{1}; };
  EXPECT_EQ(m.plan().slices, slices({{0, {0, 1000}}}));
  m.devices[0].bytes_to_per_second = 0;
  EXPECT_EQ(m.plan().slices.size(), 1u);
  EXPECT_EQ(m.plan().predicted_seconds, 0.0);
}

TEST(PartitionProperty, EveryGroupIsInExactlyOneSliceInEveryMode) {
  std::mt19937_64 random(31);
  const auto uniform = [&] { return static_cast<double>(random() % 10'000) / 10'000.0; };
  for (int round = 0; round < 20'000; ++round) {
    std::vector<DeviceModel> models(1 + random() % 6);
    for (DeviceModel& model : models) {
      model.eligible = random() % 5 != 0;
      model.measured = random() % 4 != 0;
      model.groups_per_second = random() % 20 == 0 ? (random() % 2 == 0 ? 0.0 : NAN) : std::exp(uniform() * 20);
      model.launch_seconds = uniform() * 1e-4;
      model.relative_error = uniform();
      model.bytes_to_per_second = std::exp(uniform() * 25);
    }
    Machine m(models, random() % 10 == 0 ? random() : random() % 3000, static_cast<PartitionMode>(random() % 5));
    m.request.anchor = static_cast<std::uint32_t>(random() % models.size());
    m.devices[m.request.anchor].eligible = true;
    double sum = 0;
    for (std::size_t i = 0; i < models.size(); ++i) sum += m.request.policy.percent.emplace_back(random() % 100);
    for (double& p : m.request.policy.percent) p *= sum > 0 ? 100 / sum : 0;
    m.request.granularity = random() % 3 == 0 ? 1 + random() % 100 : 1;
    const std::uint64_t fixed = random() % 1000;
    const std::uint64_t each = random() % 1000;
    if (random() % 2 == 0) {
      m.request.bytes_to = [=](std::uint32_t d, const GroupSpan& span) {
        return (d + 1) * (fixed + each * (span.size() % 100'000));
      };
      m.request.bytes_from = [=](std::uint32_t, const GroupSpan& span) { return each * (span.size() % 1000); };
    }
    const Plan plan = m.plan();
    ASSERT_NO_FATAL_FAILURE(expect_tiles(plan, m.request.groups)) << round;
    for (const Slice& slice : plan.slices) ASSERT_TRUE(m.devices[slice.device].eligible);
    ASSERT_TRUE(std::isfinite(plan.predicted_seconds) && plan.predicted_seconds >= 0);
    if (m.request.groups > 1 && m.request.policy.mode == PartitionMode::equal) {
      ASSERT_TRUE(plan.reason != NotSplit::small_launch);
    }
    Plan again = plan;
    m.request.previous = &again;
    ASSERT_NO_FATAL_FAILURE(expect_tiles(m.plan(), m.request.groups));
  }
}

TEST(PartitionProperty, AutoIsNeverPredictedWorseThanTheBestSingleDevice) {
  std::mt19937_64 random(32);
  for (int round = 0; round < 3000; ++round) {
    std::vector<DeviceModel> models;
    for (std::uint64_t n = 2 + random() % 3; n > 0; --n)
      models.push_back(device(1.0 + static_cast<double>(random() % 100'000)));
    Machine m(models, 2 + random() % 100'000);
    const std::uint64_t step = random() % 5'000'000;
    m.request.bytes_to = [=](std::uint32_t d, const GroupSpan& span) { return d * (step + span.size() * 64); };
    const double best = m.plan().predicted_seconds;
    for (std::uint32_t d = 0; d < models.size(); ++d) {
      m.request.policy = {PartitionMode::single, static_cast<int>(d), {}};
      ASSERT_LE(best, m.plan().predicted_seconds * (1 + 1e-9));
    }
  }
}

TEST(AloneBounds, IsNothingWhereNoDeviceIsMeasured) {
  test::PlannedMachine m({test::device(0), test::device(0)}, 1000);
  EXPECT_TRUE(alone_bounds(m.request).empty());
}

TEST(AloneBounds, IsALowerBoundOfWhatADeviceTakes) {
  constexpr double kOverhead = 10e-6;
  test::PlannedMachine m({test::device(1000), test::device(100), test::device(100), test::device(0), test::device(0),
                          test::device(0), test::device(0)},
                         1000);
  m.devices[1].measured_groups = 60;  // a short slice
  m.devices[3].strength = 2.0;        // never measured
  m.devices[4] = m.devices[5] = m.devices[0];
  m.devices[5].likeness = m.devices[0].likeness = 9;
  m.devices[4].eligible = false;
  const auto all = alone_bounds(m.request);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_NEAR(all[0].running_seconds, 1.0 + kOverhead, 1e-6);
  EXPECT_NEAR(all[1].running_seconds, 1.0 + kOverhead, 1e-6);
  EXPECT_NEAR(all[2].running_seconds, 10.0 + kOverhead, 1e-6);
  EXPECT_NEAR(all[1].at_most_running, 10.0 + kOverhead, 1e-6);
  m.devices[1].strength = 0.5;
  EXPECT_NEAR(alone_bounds(m.request)[1].running_seconds, 2.5 + kOverhead, 1e-6);
  m.devices[1].measured_groups = 300;
  EXPECT_NEAR(alone_bounds(m.request)[1].running_seconds, 10.0 + kOverhead, 1e-6) << "a third of the launch tells";
  for (const AloneBounds& one : all) {
    EXPECT_GE(one.seconds, one.running_seconds);
    EXPECT_GE(one.at_most, one.seconds);
  }
  EXPECT_EQ(m.devices[1].groups_per_second, 100) << "alone_bounds() must not change the request";
}

// Where this process has measured no notable part of the launch.
TEST(AloneBounds, GoByWhatFormerProcessesMeasured) {
  test::PlannedMachine m({test::device(1000), test::device(0), test::device(100), test::device(100)}, 1000);
  for (DeviceModel& device : m.devices) device.former_seconds = 4.0;
  m.devices[2].measured_groups = 60;
  const auto all = alone_bounds(m.request);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_NEAR(all[0].running_seconds, 1.0, 1e-3);
  EXPECT_NEAR(all[1].running_seconds, 4.0, 1e-3);
  EXPECT_NEAR(all[2].running_seconds, 4.0, 1e-3);
  EXPECT_NEAR(all[3].running_seconds, 10.0, 1e-3);
}

}  // namespace
}  // namespace skmd::domain

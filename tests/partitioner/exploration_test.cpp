// SPDX-License-Identifier: Apache-2.0
// `auto` among devices of which little is known.
#include <gtest/gtest.h>

#include "tests/partitioner/planned_machine.h"

namespace skmd::domain {
namespace {

using test::device;
using test::expect_tiles;
using test::groups_of;
using test::slices;
using Machine = test::PlannedMachine;

TEST(Exploration, UnknownKernelRunsOnTheStrongestDevice) {
  Machine m({device(0), device(0), device(0)}, 1000);
  m.devices[1].strength = 40;
  m.devices[2].strength = 30;
  EXPECT_EQ(m.plan().slices, slices({{1, {0, 1000}}}));
  EXPECT_TRUE(m.plan().unsettled);
  m.devices[1].eligible = false;
  EXPECT_EQ(m.plan().slices, slices({{2, {0, 1000}}}));
  m.request.groups = 1;
  EXPECT_EQ(m.plan().slices, slices({{2, {0, 1}}}));
}

TEST(Exploration, UnknownKernelRunsWhereItsBytesAreAmongDevicesAboutAsStrong) {
  Machine m({device(0), device(0), device(0)}, 1000);
  m.devices[1].strength = m.devices[2].strength = 40;
  m.request.bytes_to = [](std::uint32_t d, const GroupSpan&) { return d == 1 ? std::uint64_t{1'000'000} : 0; };
  EXPECT_EQ(m.plan().slices, slices({{2, {0, 1000}}}));
}

TEST(Exploration, UnmeasuredDeviceExploresWithATinySlice) {
  Machine m({device(1000), device(0)}, 4096);
  const Plan plan = m.plan();
  expect_tiles(plan, 4096);
  EXPECT_EQ(groups_of(plan, 1), 4u);
  EXPECT_TRUE(plan.exploring);
  EXPECT_TRUE(plan.unsettled);
  EXPECT_NEAR(plan.alone_seconds, 4.096, 0.001);
}

TEST(Exploration, WhereTransfersTakeTheTimeFirstSlicesAreLonger) {
  // Of 17 s for the launch its groups run 4.1; the rest is bytes on their way to device 0.
  Machine m({device(1000), device(0)}, 4096);
  m.devices[0].bytes_to_per_second = 1;
  m.request.bytes_to = [](std::uint32_t d, const GroupSpan&) { return std::uint64_t{d == 0 ? 13u : 0u}; };
  EXPECT_EQ(groups_of(m.plan(), 1), 16u);
  m.request.bytes_to = [](std::uint32_t d, const GroupSpan&) { return std::uint64_t{d == 0 ? 13'000u : 0u}; };
  EXPECT_EQ(groups_of(m.plan(), 1), 256u) << "not more than a sixteenth";
}

TEST(Exploration, AStrongDeviceThatComesLateRunsTheNextLaunch) {
  // The processor has run the first launches, of 64 ms, while the program was built for the other device.
  Machine m({device(1e6), device(0)}, 64'000);
  m.devices[1].strength = 40;
  m.devices[1].first_use_seconds = 1e-3;
  m.devices[1].eligible = false;
  EXPECT_EQ(m.plan().slices, slices({{0, {0, 64'000}}}));
  m.devices[1].eligible = true;
  EXPECT_EQ(m.plan().slices, slices({{1, {0, 64'000}}}));
  EXPECT_TRUE(m.plan().unsettled);
  // Its first use, with a compilation in it, says little yet: once more; but not if it was far slower.
  m.devices[1].first_use_groups_per_second = 0.6e6;
  EXPECT_EQ(groups_of(m.plan(), 1), 64'000u);
  m.devices[1].first_use_groups_per_second = 0.4e6;
  EXPECT_LE(groups_of(m.plan(), 1), 4'000u);
  m.devices[1].first_use_groups_per_second = 0;
  m.devices[1].strength = 3;
  EXPECT_LE(groups_of(m.plan(), 1), 4'000u) << "strengths are guesses";
  m.devices[1].strength = 40;
  m.request.bytes_to = [](std::uint32_t d, const GroupSpan&) { return d == 1 ? std::uint64_t{1'000'000'000} : 0; };
  EXPECT_LE(groups_of(m.plan(), 1), 4'000u) << "its bytes alone take longer";
}

/// Device 0 needs 10 ms for the launch, and former processes say 20 of device 1, with an error.
struct DoubtedMachine : Machine {
  explicit DoubtedMachine(double error) : Machine({device(6.4e6), device(3.2e6, error)}, 64'000) {
    devices[1].source = ModelSource::database;
    request.split_seconds = 4e-3;  // so that no split wins by what is known
    request.experience.seconds = 10.0;
  }
};

TEST(Exploration, AStoredModelWithALargeErrorIsLookedIntoWhereItMayWin) {
  const Plan last{slices({{0, {0, 64'000}}})};
  DoubtedMachine sure(0.1), unsure(2.0);
  sure.request.previous = unsure.request.previous = &last;
  EXPECT_EQ(sure.plan().slices.size(), 1u);
  EXPECT_FALSE(sure.plan().unsettled);
  EXPECT_TRUE(unsure.plan().exploring);
  EXPECT_EQ(groups_of(unsure.plan(), 1), 4000u) << "a sixteenth, which ends with the launch if the error is as large";
  unsure.devices[1].source = ModelSource::process;
  EXPECT_FALSE(unsure.plan().exploring) << "what this process has measured in a whole launch is so";
  unsure.devices[1].source = ModelSource::shipped;
  unsure.devices[1].groups_per_second /= 100;
  EXPECT_FALSE(unsure.plan().exploring) << "even nine times as fast it would gain nothing";
}

TEST(Exploration, DoubtedDevicesThatPlansUseAreMeasuredByThem) {
  DoubtedMachine m(2.0);
  EXPECT_FALSE(m.plan().exploring) << "what is known decides about the first plan";
  const Plan probe{.slices = slices({{0, {0, 60'000}}, {1, {60'000, 64'000}}}), .exploring = true};
  m.request.previous = &probe;
  EXPECT_FALSE(m.plan().exploring) << "what the slice has told comes first";
  const Plan split{slices({{0, {0, 60'000}}, {1, {60'000, 64'000}}})};
  m.request.previous = &split;
  EXPECT_FALSE(m.plan().exploring);
}

// The launch takes 10 ms on device 0, all of them for bytes that the application writes each time. At the rate of its
// slice of 0.5 ms device 1, in the host's memory, would take 16.
TEST(Exploration, AShortSliceThatMayHaveBeenItsStartIsTriedFourTimesAsLong) {
  Machine m({device(640e6), device(2e6)}, 32'000);
  m.devices[1].measured_groups = 1000;
  m.request.experience.seconds = 1.0;
  m.request.host_bytes_per_second = 20e9;
  m.devices[0].bytes_to_per_second = 10e9;
  m.request.bytes_to = [](std::uint32_t d, const GroupSpan& span) {
    const std::uint64_t bytes = span.size() * 3125;
    return d == 0 ? Moving(bytes, 0) : Moving(0, bytes);
  };
  m.request.bytes_awaited = [](std::uint32_t) { return std::uint64_t{0}; };
  EXPECT_TRUE(m.plan().exploring);
  EXPECT_EQ(groups_of(m.plan(), 1), 4000u);
  m.devices[1].groups_per_second = 400e3;
  EXPECT_FALSE(m.plan().exploring) << "so slow a slice was not all start";
}

TEST(Exploration, AShortSliceMayHaveBegunLate) {
  // Sixty-four groups took a millisecond; the launch takes ten on device 0. At that rate nothing is to be gained.
  Machine m({device(6.4e6), device(64e3)}, 64'000);
  m.devices[1].measured_groups = 64;
  m.request.experience.seconds = 1.0;
  EXPECT_TRUE(m.plan().exploring);
  m.devices[1].measured_groups = 6400;  // a hundred milliseconds say that it is as slow as it looks
  EXPECT_FALSE(m.plan().exploring);
}

TEST(Exploration, SlicesToLearnFromGrowUntilTheDeviceIsKnown) {
  Machine m({device(1000), device(1000)}, 4096);
  std::vector<std::uint64_t> lengths;
  m.devices[1].measured_groups = 4;
  for (int i = 0; i < 5; ++i) {
    const Plan plan = m.plan();
    expect_tiles(plan, 4096);
    EXPECT_EQ(plan.exploring, i < 3) << i;
    lengths.push_back(groups_of(plan, 1));
    m.devices[1].measured_groups = lengths.back();
  }
  EXPECT_EQ(lengths, std::vector<std::uint64_t>({64, 1024, 2048, 2048, 2048}));
}

TEST(Exploration, DeviceThatProvedFarSlowerIsLeftAlone) {
  // Its four groups took as long as the whole launch elsewhere.
  Machine m({device(1000), device(1)}, 4096);
  m.devices[1].measured_groups = 4;
  const Plan plan = m.plan();
  EXPECT_EQ(plan.slices, slices({{0, {0, 4096}}}));
  EXPECT_FALSE(plan.unsettled);
}

TEST(Exploration, ExplorationIsPaidByWhatLaunchesTook) {
  Machine m({device(1000), device(0)}, 4096);
  m.devices[1].first_use_seconds = 20;  // five times the launch
  EXPECT_FALSE(m.plan().exploring);
  EXPECT_TRUE(m.plan().unsettled);
  m.request.experience.seconds = 200;
  EXPECT_TRUE(m.plan().exploring);
  m.request.experience.lost_seconds = 100;
  EXPECT_FALSE(m.plan().exploring);
}

TEST(Exploration, FirstUseThatTookLongIsNotRepeatedLightly) {
  Machine m({device(1000), device(0)}, 16);
  m.request.experience.seconds = 1;
  EXPECT_TRUE(m.plan().exploring);
  m.devices[1].first_use_groups_per_second = 0.01;
  EXPECT_FALSE(m.plan().exploring);
}

TEST(Exploration, WithoutSearchNobodyAsksForTheBytesOfSlices) {
  Machine m({device(1000), device(1000), device(0)}, 4096);
  m.request.may_search = false;
  m.request.bytes_to = [](std::uint32_t, const GroupSpan& span) {
    EXPECT_EQ(span.size(), 4096u);
    return std::uint64_t{0};
  };
  m.request.joining_seconds = [] {
    ADD_FAILURE();
    return 0.0;
  };
  EXPECT_EQ(m.plan().slices.size(), 1u);
  EXPECT_TRUE(m.plan().unsettled);
}

TEST(Exploration, ClearDecisionsAskForTheBytesOfOneDevice) {
  Machine m({device(10), device(1000)}, 4096);
  m.request.bytes_to = [](std::uint32_t d, const GroupSpan&) {
    EXPECT_EQ(d, 1u);
    return std::uint64_t{0};
  };
  EXPECT_EQ(m.plan().slices, slices({{1, {0, 4096}}}));
}

TEST(Exploration, FewGroupsThatWereFastDoNotGetALongLaunchWhole) {
  for (const std::uint64_t longest : {4096u, 1000u}) {
    Machine m({device(1000), device(1e6)}, 4096);
    m.devices[0].measured_groups = longest;
    m.devices[1].measured_groups = 4;
    const Plan plan = m.plan();
    expect_tiles(plan, 4096);
    EXPECT_EQ(groups_of(plan, 1), 64u);  // 16 times as many
    EXPECT_TRUE(plan.exploring);
  }
}

TEST(Exploration, ASearchThatCannotBeAffordedYetIsNotForgotten) {
  Machine m({device(1000), device(1000)}, 4096);
  m.request.may_search = false;
  Plan plan = m.plan();
  EXPECT_EQ(plan.slices.size(), 1u);
  EXPECT_TRUE(plan.unsettled);
  m.request.may_search = true;
  m.request.previous = &plan;
  const Plan next = m.plan();
  EXPECT_EQ(next.slices.size(), 2u);
  EXPECT_FALSE(next.unsettled);
}

TEST(Exploration, ASplitThatMayLoseIsTriedWhenLaunchesCanPayForIt) {
  Machine m({device(1000, 0.3), device(300, 0.3)}, 10'000);  // would win by 0.23
  EXPECT_EQ(m.plan().slices.size(), 1u);
  m.request.experience.seconds = 1000;
  EXPECT_EQ(m.plan().slices.size(), 2u);
  m.request.experience.lost_seconds = 1000;
  EXPECT_EQ(m.plan().slices.size(), 1u);
}

TEST(Exploration, ASplitIsKeptWithoutAskingForItsBytes) {
  Machine m({device(1000), device(1000)}, 4096);
  const Plan plan = m.plan();
  ASSERT_EQ(plan.slices.size(), 2u);
  m.request.previous = &plan;
  m.request.may_search = false;
  m.request.bytes_to = [](std::uint32_t, const GroupSpan& span) {
    EXPECT_EQ(span.size(), 4096u);
    return std::uint64_t{0};
  };
  EXPECT_EQ(m.plan().slices, plan.slices);
  EXPECT_EQ(m.plan().predicted_seconds, plan.predicted_seconds);
}

/// Two equal devices with the bytes where the former plan wanted them; halves would win 0.3 of 1.3 s, and moving them
/// takes two.
struct UnevenPlan {
  UnevenPlan() {
    plan.slices = {{0, {0, 1300}}, {1, {1300, 2000}}};
    plan.predicted_seconds = 1.3;
    m.devices[1].bytes_to_per_second = 1.0;
    m.request.bytes_to = [](std::uint32_t d, const GroupSpan& span) {
      return d == 1 && span.first < 1300 ? (1300 - span.first) / 150 : 0;
    };
    m.request.previous = &plan;
  }
  UnevenPlan(const UnevenPlan&) = delete;
  UnevenPlan& operator=(const UnevenPlan&) = delete;
  Machine m{{device(1000), device(1000)}, 2000};
  Plan plan;
};

TEST(Exploration, AWayIsTakenWhenAsMuchWasMissedAsItCosts) {
  UnevenPlan uneven;
  Machine& m = uneven.m;
  Plan& plan = uneven.plan;
  int launches = 0;
  for (; launches < 20; ++launches) {
    const Plan next = m.plan();
    if (next.slices != plan.slices) break;
    EXPECT_TRUE(next.unsettled);
    plan = next;
  }
  EXPECT_NEAR(launches, 6, 2);
  EXPECT_NEAR(static_cast<double>(groups_of(m.plan(), 0)), 1000, 40);
  EXPECT_EQ(m.plan().missed.ways, 1u);
  plan.missed.ways = 10;  // bytes did not stay, again and again
  EXPECT_EQ(m.plan().slices, plan.slices);
}

/// Two equal devices, the first of which has all bytes; halves would win 1 of 2 s, and moving them takes 10.
struct BytesOnOne {
  explicit BytesOnOne(bool explored) {
    plan.slices = {{0, {0, 2000}}};
    if (explored) plan.slices = {{0, {0, 1900}}, {1, {1900, 2000}}};
    plan.exploring = explored;
    m.devices[1].bytes_to_per_second = 100.0;
    m.request.bytes_to = [](std::uint32_t d, const GroupSpan& span) { return d == 1 ? span.size() : 0; };
    m.request.previous = &plan;
  }
  BytesOnOne(const BytesOnOne&) = delete;
  BytesOnOne& operator=(const BytesOnOne&) = delete;
  /// Launches until a plan is a split.
  int launches_until_split() {
    int launches = 0;
    for (; launches < 40; ++launches) {
      const Plan next = m.plan();
      if (next.slices.size() > 1) break;
      EXPECT_FALSE(next.moves_in);
      EXPECT_TRUE(next.unsettled);
      plan = next;
    }
    return launches;
  }
  Machine m{{device(1000), device(1000)}, 2000};
  Plan plan;
};

TEST(Exploration, ASplitWithItsBordersWhereTheBytesAreIsNotTakenIfAnotherIsWorthTheWay) {
  for (const bool explored : {false, true}) {
    BytesOnOne bytes(explored);
    EXPECT_NEAR(bytes.launches_until_split(), 10, 3) << explored;
    const Plan next = bytes.m.plan();
    EXPECT_NEAR(static_cast<double>(groups_of(next, 0)), 1000, 40) << "not 1833, which would win 0.17 s at once";
    EXPECT_TRUE(next.moves_in);
  }
}

TEST(Exploration, LaunchesBetweenPlansHaveMissedAsMuch) {
  UnevenPlan uneven;
  Machine& m = uneven.m;
  Plan& plan = uneven.plan;
  int planned = 0;  // each fifth launch, of which each second one may search
  for (; planned < 20; ++planned) {
    plan.missed.launches += 5;
    m.request.may_search = planned % 2 == 1;
    const Plan next = m.plan();
    if (next.slices != plan.slices) break;
    EXPECT_EQ(next.missed.launches, m.request.may_search ? 0u : 5u);
    plan = next;
  }
  EXPECT_EQ(planned, 1) << "ten launches have passed";
}

TEST(Exploration, LaunchesBeforeABetterPlanWasKnownHaveMissedNothing) {
  UnevenPlan uneven;
  uneven.plan.slices = {{0, {0, 1000}}, {1, {1000, 2000}}};
  uneven.plan.predicted_seconds = 1.0;
  uneven.plan.missed = {0.5, 2, 1000};
  uneven.m.request.bytes_to = [](std::uint32_t, const GroupSpan&) { return std::uint64_t{0}; };
  const Plan next = uneven.m.plan();
  EXPECT_EQ(next.slices, uneven.plan.slices);
  EXPECT_EQ(next.missed.seconds, 0.0);
  EXPECT_EQ(next.missed.ways, 2u);
  EXPECT_EQ(next.missed.launches, 0u);
}

TEST(Exploration, WhatASplitGainsAroundTheLaunchTheLaunchMayTake) {
  // Each needs a second for its bytes before the launch, and a tenth for its groups.
  Machine m({device(10'000), device(10'000)}, 1000);
  for (DeviceModel& model : m.devices) model.bytes_to_per_second = 1000;
  m.request.bytes_to = [](std::uint32_t, const GroupSpan& span) { return span.size(); };
  m.request.bytes_awaited = [](std::uint32_t) { return std::uint64_t{0}; };
  const Plan plan = m.plan();
  ASSERT_EQ(plan.slices.size(), 2u);
  EXPECT_NEAR(plan.alone_round_seconds, 1.1, 0.01);
  EXPECT_NEAR(plan.alone_seconds, 0.6, 0.01) << "half a second less is sent to each";
}

TEST(Exploration, BarredSplitsStayWhole) {
  Machine m({device(1000), device(1000)}, 4096);
  ASSERT_EQ(m.plan().slices.size(), 2u);
  m.request.experience.split_barred = true;
  EXPECT_EQ(m.plan().slices.size(), 1u);
}

TEST(Exploration, WholeLaunchesArePredictedByWholeLaunches) {
  // Half of the launch takes as long as all of it: the rate of halves says nothing about splitting.
  Machine m({device(1000), device(1000)}, 4096);
  m.devices[0].whole_groups_per_second = 2000;
  EXPECT_EQ(m.plan().slices, slices({{0, {0, 4096}}}));
}

TEST(Exploration, ExploringDoesNotTakeMoreThanItsTransfersAreWorth) {
  Machine m({device(1000), device(0)}, 1600);
  m.request.bytes_to = [](std::uint32_t d, const GroupSpan&) { return d == 1 ? std::uint64_t{1} << 40 : 0; };
  EXPECT_EQ(m.plan().slices, slices({{0, {0, 1600}}}));
}

TEST(Exploration, UnknownKernelRunsWholeOnTheAnchorFirst) {
  Machine m({device(0), device(0)}, 1000);
  m.request.anchor = 1;
  EXPECT_EQ(m.plan().slices, slices({{1, {0, 1000}}}));
  EXPECT_EQ(m.plan().predicted_seconds, 0.0);
}

}  // namespace
}  // namespace skmd::domain

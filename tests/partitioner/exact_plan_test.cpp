// SPDX-License-Identifier: Apache-2.0
// `auto` on machines of up to 64 known devices, against the best plan that there is.
#include <gtest/gtest.h>

#include "tests/partitioner/exact_plan.h"
#include "tests/partitioner/random_machine.h"
#include "tests/seed.h"

namespace skmd::domain {
namespace {

using test::Chance;
using test::RandomMachine;

constexpr double kOff = 1.02;                // plans may be so much longer than the best one
constexpr double kOffInPhases = 1.25;        // where something moves before or after, and groups are few
constexpr double kOffMostly = 1.05;          // but for one in fifty of those
constexpr double kOffManyInPhases = 1.1;     // where there are many groups; hundreds of tries stay below 1.02
constexpr std::uint64_t kSeeds = 1'000'000;  // between one test's and another's

std::uint64_t first_seed(std::uint64_t test) { return (1 + test + 16 * skmd::test::seed_offset()) * kSeeds; }

/// Launches that are so short are not planned at all.
bool is_planned(const Plan& plan) { return plan.reason != NotSplit::small_launch; }

TEST(ExactPlan, FewDevicesAndFewGroups) {
  int phased = 0, off_in_phases = 0;
  for (std::uint64_t seed = first_seed(0), end = seed + 600; seed < end; ++seed) {
    Chance chance(~seed);
    const RandomMachine machine(seed, 2 + chance.below(3), 2 + chance.below(19));
    const PartitionRequest request = machine.request();
    const Plan plan = partition(request);
    ASSERT_NO_FATAL_FAILURE(test::expect_tiles(plan, machine.groups)) << machine;
    if (!is_planned(plan)) continue;
    const double best = test::EveryPlan(request).seconds();
    const bool in_phases = !machine.moves_within_the_launch();
    EXPECT_LE(plan.predicted_seconds, (in_phases ? kOffInPhases : kOff) * best) << machine;
    phased += in_phases ? 1 : 0;
    off_in_phases += in_phases && plan.predicted_seconds > kOffMostly * best ? 1 : 0;
  }
  EXPECT_LE(off_in_phases, phased / 50) << "seeds from " << first_seed(0);
}

TEST(ExactPlan, CutsWithinRows) {
  for (std::uint64_t seed = first_seed(1), end = seed + 300; seed < end; ++seed) {
    Chance chance(~seed);
    const Extent3 counts{2 + chance.below(5), 2 + chance.below(3), 1};
    RandomMachine machine(seed, 2 + chance.below(2), counts[0] * counts[1]);
    machine.counts = counts;
    for (DeviceModel& model : machine.devices) model.box_seconds = chance.between(0.0, 10e-6);
    const PartitionRequest request = machine.request();
    const Plan plan = partition(request);
    ASSERT_NO_FATAL_FAILURE(test::expect_tiles(plan, machine.groups)) << machine;
    if (!is_planned(plan)) continue;
    // Where borders lie is chosen before boxes are counted: a slice may have one more at each end.
    double box = 0.0;
    for (const DeviceModel& model : machine.devices) box = std::max(box, model.box_seconds);
    const double off = machine.moves_within_the_launch() ? kOff : kOffInPhases;
    EXPECT_LE(plan.predicted_seconds, off * test::EveryPlan(request).seconds() + 2 * box) << machine;
  }
}

TEST(ExactPlan, ManyDevicesAndManyGroups) {
  for (std::uint64_t seed = first_seed(2), end = seed + 300; seed < end; ++seed) {
    Chance chance(~seed);
    const auto groups = static_cast<std::uint64_t>(chance.order_between(64, 1e7));
    RandomMachine machine(seed, 2 + chance.below(63), groups);
    machine.move_within_the_launch();
    const PartitionRequest request = machine.request();
    const Plan plan = partition(request);
    ASSERT_NO_FATAL_FAILURE(test::expect_tiles(plan, machine.groups)) << machine;
    if (!is_planned(plan)) continue;
    EXPECT_LE(plan.predicted_seconds, kOff * test::exact_seconds(request)) << machine;
  }
}

TEST(ExactPlan, ManyDevicesBetweenWritesAndReads) {
  for (std::uint64_t seed = first_seed(3), end = seed + 60; seed < end; ++seed) {
    Chance chance(~seed);
    const auto devices = static_cast<std::uint64_t>(chance.order_between(2, 65));
    const RandomMachine machine(seed, devices,
                                devices * 100 + static_cast<std::uint64_t>(chance.order_between(1, 1e6)));
    const PartitionRequest request = machine.request();
    const Plan plan = partition(request);
    ASSERT_NO_FATAL_FAILURE(test::expect_tiles(plan, machine.groups)) << machine;
    if (!is_planned(plan)) continue;
    EXPECT_LE(plan.predicted_seconds, kOffManyInPhases * test::BestPhases(request).seconds()) << machine;
  }
}

// Each of them is a 64th of the machine.
TEST(ExactPlan, SixtyFourEqualDevices) {
  for (const std::uint64_t groups : {64u, 640u, 100'000u}) {
    test::PlannedMachine m(std::vector<DeviceModel>(64, test::device(1000, 0.01)), groups);
    EXPECT_LE(m.plan().predicted_seconds, kOff * test::exact_seconds(m.request)) << groups;
  }
}

}  // namespace
}  // namespace skmd::domain

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
constexpr std::uint64_t kSeeds = 1'000'000;  // between one test's and another's

std::uint64_t first_seed(std::uint64_t test) { return (1 + test + 16 * skmd::test::seed_offset()) * kSeeds; }

/// Launches that are so short are not planned at all.
bool is_planned(const Plan& plan) { return plan.reason != NotSplit::small_launch; }

TEST(ExactPlan, FewDevicesAndFewGroups) {
  for (std::uint64_t seed = first_seed(0), end = seed + 600; seed < end; ++seed) {
    Chance chance(~seed);
    const RandomMachine machine(seed, 2 + chance.below(3), 2 + chance.below(19));
    const PartitionRequest request = machine.request();
    const Plan plan = partition(request);
    ASSERT_NO_FATAL_FAILURE(test::expect_tiles(plan, machine.groups)) << machine;
    if (!is_planned(plan)) continue;
    EXPECT_LE(plan.predicted_seconds, kOff * test::EveryPlan(request).seconds()) << machine;
  }
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
    EXPECT_LE(plan.predicted_seconds, kOff * test::EveryPlan(request).seconds() + 2 * box) << machine;
  }
}

TEST(ExactPlan, ManyDevicesAndManyGroups) {
  for (std::uint64_t seed = first_seed(2), end = seed + 300; seed < end; ++seed) {
    Chance chance(~seed);
    const auto groups = static_cast<std::uint64_t>(chance.order_between(64, 1e7));
    const RandomMachine machine(seed, 2 + chance.below(63), groups);
    const PartitionRequest request = machine.request();
    const Plan plan = partition(request);
    ASSERT_NO_FATAL_FAILURE(test::expect_tiles(plan, machine.groups)) << machine;
    if (!is_planned(plan)) continue;
    EXPECT_LE(plan.predicted_seconds, kOff * test::exact_seconds(request)) << machine;
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

// SPDX-License-Identifier: Apache-2.0
// What holds of every plan of `auto` over known devices, on random machines.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "partitioner/plan/prediction.h"
#include "tests/partitioner/random_machine.h"
#include "tests/seed.h"

namespace skmd::domain {
namespace {

using test::Chance;
using test::groups_of;
using test::RandomMachine;

constexpr std::uint64_t kSeeds = 1'000'000;  // between one test's and another's
constexpr double kOff = 1.02;                // plans may be so much longer than the best one
constexpr double kOffInPhases = 1.25;        // where something moves before or after

/// Machines whose devices are known more or less well.
template <class Check>
void for_machines(std::uint64_t test, std::uint64_t count, Check check) {
  const std::uint64_t first = (32 + test + 64 * skmd::test::seed_offset()) * kSeeds;
  for (std::uint64_t seed = first; seed < first + count && !testing::Test::HasFatalFailure(); ++seed) {
    Chance chance(~seed);
    const std::uint64_t devices = 2 + chance.below(chance.one_in(5) ? 62 : 6);
    RandomMachine machine(seed, devices, 2 * devices + static_cast<std::uint64_t>(chance.order_between(1, 1e6)));
    if (chance.one_in(2))
      for (DeviceModel& model : machine.devices) model.relative_error = chance.order_between(0.01, 1.0);
    check(machine, chance);
  }
}

TEST(PlanProperty, EachGroupOnce) {
  for_machines(0, 2000, [](RandomMachine& machine, Chance& chance) {
    if (machine.groups > 16) machine.counts = {16, machine.groups / 16, 1};
    if (machine.groups > 16) machine.groups = machine.groups / 16 * 16;
    for (DeviceModel& model : machine.devices) {
      model.eligible = !chance.one_in(6);
      model.measured = !chance.one_in(6);
      model.box_seconds = chance.between(0.0, 5e-6);
    }
    machine.devices[0].eligible = true;
    const Plan plan = partition(machine.request());
    ASSERT_NO_FATAL_FAILURE(test::expect_tiles(plan, machine.groups)) << machine;
    std::vector<bool> busy(machine.devices.size());
    for (const Slice& slice : plan.slices) {
      EXPECT_TRUE(machine.devices[slice.device].eligible) << machine;
      EXPECT_FALSE(busy[slice.device]) << machine;
      busy[slice.device] = true;
    }
  });
}

TEST(PlanProperty, NeverPredictedWorseThanASingleDevice) {
  for_machines(1, 2000, [](RandomMachine& machine, Chance& chance) {
    PartitionRequest request = machine.request();
    const auto check = [&] {
      const Plan plan = partition(request);
      if (plan.missed.ways > 0) return;  // launches behind the next one gain what that loses
      const double seconds = plan.predicted_seconds;
      for (std::uint32_t d = 0; d < machine.devices.size(); ++d)
        ASSERT_LE(seconds, finish_seconds(request, d, {0, machine.groups}) * (1 + 1e-9)) << d << " of " << machine;
    };
    ASSERT_NO_FATAL_FAILURE(check());
    // Nor is a split kept that is no longer better.
    Plan previous = partition(request);
    if (previous.slices.size() == 1) return;
    const auto device = previous.slices[chance.below(previous.slices.size())].device;
    machine.devices[device].groups_per_second *= chance.order_between(0.3, 1.0);
    request.previous = &previous;
    ASSERT_NO_FATAL_FAILURE(check());
  });
}

TEST(PlanProperty, TheOrderOfDevicesDoesNotMatter) {
  for_machines(2, 2000, [](RandomMachine& machine, Chance& chance) {
    const Plan plan = partition(machine.request());
    std::vector<std::uint32_t> order(machine.devices.size());
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[chance.below(i + 1)]);
    RandomMachine other = machine;
    for (std::size_t i = 0; i < order.size(); ++i) {
      other.devices[i] = machine.devices[order[i]];
      other.in_place[i] = machine.in_place[order[i]];
    }
    const Plan again = partition(other.request());
    const bool in_phases = !machine.moves_within_the_launch();
    const double off = in_phases ? kOffInPhases - 1.0 : 5e-3;
    EXPECT_NEAR(again.predicted_seconds, plan.predicted_seconds, off * plan.predicted_seconds) << machine;
    // Where one device waits for another's transfers, or has to be sent much however small its slice, many plans are
    // equally good.
    if (in_phases || machine.moved.to_fixed > 0) return;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      const auto one = static_cast<double>(groups_of(plan, order[i]));
      // Groups are no longer exchanged where little is gained.
      EXPECT_NEAR(static_cast<double>(groups_of(again, i)), one, 2.0 + 0.05 * one) << order[i] << " of " << machine;
    }
  });
}

// What is little known may not keep what is known better from being used: but for what a split must win by.
TEST(PlanProperty, OneMoreDeviceIsNeverPredictedWorse) {
  for_machines(3, 2000, [](RandomMachine& machine, Chance& chance) {
    const auto last = static_cast<std::uint32_t>(chance.below(machine.devices.size()));
    RandomMachine fewer = machine;
    fewer.devices[last].eligible = false;
    const Plan before = partition(fewer.request());
    const Plan plan = partition(machine.request());
    double margin = 0.0;
    if (before.slices.size() > 1)
      for (const Slice& slice : before.slices)
        margin = std::max(margin, std::min(0.4, machine.devices[slice.device].relative_error));
    const double off = machine.moves_within_the_launch() ? kOff : kOffInPhases;
    EXPECT_LE(plan.predicted_seconds * (1.0 - margin), off * before.predicted_seconds) << last << " of " << machine;
  });
}

}  // namespace
}  // namespace skmd::domain

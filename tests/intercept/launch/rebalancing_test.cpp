// SPDX-License-Identifier: Apache-2.0
// Launches of which one slice takes much longer than was planned: what is left of it is divided anew, each group runs
// once, and every byte is as if nothing had been stopped. By counts: what devices report as times is made up.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/launch/rebalancing.h"
#include "intercept/launch/running_constants.h"
#include "intercept/object/kernel.h"
#include "partitioner/plan/rebalance_constants.h"
#include "tests/intercept/launch/fixture.h"
#include "tests/intercept/launch/words.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kLocal = 16, kAllGroups = kItems / kLocal;
/// Of a group. The host's clock comes nowhere near what slices are told to have taken, on however busy a machine.
constexpr std::uint64_t kGroupNs = 100'000'000;

struct World : FakeMachine {
  explicit World(StopForm form, const std::vector<bool>& discrete = {true, true})
      : FakeMachine(discrete, "auto"), x(filled(ramp(0))), y(filled(ramp(5000))), before(fakes.size()) {
    machine.settings.preempt.mode = PreemptMode::automatic;
    machine.settings.preempt.seconds = 1.0;
    for (const auto& fake : fakes) {
      fake->set_stops(form);
      fake->answers[CL_DEVICE_MAX_COMPUTE_UNITS] = 1;
      fake->ns_per_group = kGroupNs;
    }
  }
  cl_int run(const std::shared_ptr<BuiltKernel>& kernel) {
    for (std::size_t i = 0; i < fakes.size(); ++i) before[i] = fakes[i]->counters.groups;
    std::vector<LaunchArgument> arguments = {whole(y), whole(x)};
    if (kernel->traits().parameters.size() > 2) arguments.emplace_back(value_of(kernel == add ? 2u : kItems));
    return launch(kernel, line(kItems, kLocal), std::move(arguments))->wait();
  }
  /// Until the devices' shares are as their rates are.
  void settle(const std::shared_ptr<BuiltKernel>& kernel) {
    for (int i = 0; i < 8; ++i) ASSERT_EQ(run(kernel), CL_COMPLETE);
    for (const auto& fake : fakes) ASSERT_EQ(groups(fake), kAllGroups / fakes.size());
  }
  /// From now on the device takes so many times as long for a group, and waits before it tells what groups take until
  /// all others have nothing to do. Later it waits for longer than until the slices are looked at again.
  void slow_down(std::size_t device, std::uint64_t times) {
    FakeDevice& slow = *fakes[device];
    slow.ns_per_group = times * kGroupNs;
    slow.on_group = [this, device, &slow] {
      const std::uint64_t own = slow.counters.groups - before[device];
      if (own == 8) std::this_thread::sleep_for(2 * std::chrono::nanoseconds(tuning::kFirstLookNs));
      if (own != domain::tuning::kTellingGroups - 1) return;
      for (std::size_t i = 0; i < fakes.size(); ++i)
        while (i != device && !(groups(fakes[i]) != 0 && fakes[i]->idle()))
          std::this_thread::sleep_for(std::chrono::microseconds(50));
    };
  }
  /// Of the last launch.
  [[nodiscard]] std::uint64_t groups(const std::shared_ptr<FakeDevice>& fake) const {
    for (std::size_t i = 0; i < fakes.size(); ++i)
      if (fakes[i] == fake) return fake->counters.groups - before[i];
    return 0;
  }
  [[nodiscard]] std::uint64_t all_groups() const {
    std::uint64_t all = 0;
    for (const auto& fake : fakes) all += groups(fake);
    return all;
  }
  std::shared_ptr<Storage> x, y;
  std::vector<std::uint64_t> before;
  std::shared_ptr<BuiltKernel> add = kernel(axpy_traits());
};

Words times(Words y, const Words& x, int launches) {
  for (int i = 0; i < launches; ++i) y = axpy_of(y, x);
  return y;
}

constexpr StopForm kForms[] = {StopForm::cut, StopForm::group};

TEST(Rebalancing, WhatASlowDeviceHasLeftGoesToTheOther) {
  for (const StopForm form : kForms) {
    World w(form);
    w.settle(w.add);
    w.slow_down(1, 10);
    EXPECT_EQ(w.run(w.add), CL_COMPLETE);
    EXPECT_LE(w.groups(w.fakes[1]), 20u) << "of the 32 that it was to run";
    EXPECT_GE(w.groups(w.fakes[0]), 44u);
    EXPECT_EQ(w.all_groups(), kAllGroups);
    EXPECT_EQ(w.contents(w.y), times(ramp(5000), ramp(0), 9));
  }
}

TEST(Rebalancing, TheModelLearnsHowSlowItIs) {
  for (const StopForm form : kForms) {
    World w(form);
    w.settle(w.add);
    w.slow_down(1, 10);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(w.run(w.add), CL_COMPLETE);
      EXPECT_EQ(w.all_groups(), kAllGroups);
      w.fakes[1]->on_group = nullptr;
    }
    const auto rate = [&](std::uint32_t device) {
      return w.model.predict(w.add->id(), device, line(kItems, kLocal)).groups_per_second;
    };
    EXPECT_NEAR(rate(0), 1e9 / kGroupNs, 0.3e9 / kGroupNs);
    EXPECT_LT(rate(1), 0.3e9 / kGroupNs);
  }
}

TEST(Rebalancing, ALaunchThatRunsAsPlannedIsLeftAlone) {
  for (const StopForm form : kForms) {
    World w(form);
    w.settle(w.add);
    w.slow_down(1, 1);
    EXPECT_EQ(w.run(w.add), CL_COMPLETE);
    EXPECT_EQ(w.groups(w.fakes[0]), kAllGroups / 2);
    EXPECT_EQ(w.groups(w.fakes[1]), kAllGroups / 2);
  }
}

/// Whether a launch that was divided so is watched at all.
bool is_watched(World& w, bool moves_in) {
  const Launch launch{w.add, line(kItems, kLocal), {whole(w.y), whole(w.x), value_of(2u)}};
  const LaunchView view(w.machine, launch);
  Decision decision;
  decision.moves_in = moves_in;
  for (std::uint32_t device = 0; device < 2; ++device) {
    const domain::GroupSpan half{device * kAllGroups / 2, (device + 1) * kAllGroups / 2};
    decision.slices.push_back({device, half, view.shape().footprint(half)});
    decision.slices.back().predicted_seconds = 1.0;
  }
  return Rebalancing::of(w.machine, launch, view, decision, {}) != nullptr;
}

TEST(Rebalancing, WhatMovesForLaterLaunchesIsNotGivenBack) {
  World w(StopForm::group);
  EXPECT_TRUE(is_watched(w, false));
  EXPECT_FALSE(is_watched(w, true));
}

TEST(Rebalancing, OffLeavesALaunchAsItWasDivided) {
  for (const auto mode : {PreemptMode::off, PreemptMode::automatic}) {
    World w(StopForm::group);
    w.settle(w.add);
    w.machine.settings.preempt.mode = mode;
    if (mode == PreemptMode::automatic) w.machine.settings.policy.mode = domain::PartitionMode::linear;
    w.slow_down(1, 10);
    EXPECT_EQ(w.run(w.add), CL_COMPLETE);
    EXPECT_EQ(w.groups(w.fakes[1]), kAllGroups / 2) << (mode == PreemptMode::off ? "off" : "linear");
    EXPECT_EQ(w.contents(w.y), times(ramp(5000), ramp(0), 9));
  }
}

/// Ways of joining results, and memory.
TEST(Rebalancing, NoByteDependsOnIt) {
  for (const std::vector<bool>& discrete :
       std::vector<std::vector<bool>>{{true, true}, {false, true}, {true, false}, {true, true, true, true}})
    for (const StopForm form : kForms)
      for (const char* name : {"add", "odd", "scatter", "sums"}) {
        World w(form, discrete);
        const std::string which = name;
        const auto kernel = which == "add"       ? w.add
                            : which == "odd"     ? w.kernel(odd_traits())
                            : which == "scatter" ? w.kernel(scatter_traits())
                                                 : w.kernel(stencil_traits());
        for (int i = 0; i < 8; ++i) ASSERT_EQ(w.run(kernel), CL_COMPLETE);
        std::uint64_t most = 0;
        std::size_t slow = 0;
        for (std::size_t i = 0; i < w.fakes.size(); ++i)
          if (const std::uint64_t own = w.groups(w.fakes[i]); own > most) most = own, slow = i;
        const Words last = w.contents(w.y);
        w.fakes[slow]->ns_per_group = 20 * kGroupNs;
        EXPECT_EQ(w.run(kernel), CL_COMPLETE);
        EXPECT_EQ(w.all_groups(), kAllGroups) << "each group once";
        const Words expected = which == "add"       ? axpy_of(last, ramp(0))
                               : which == "scatter" ? ramp(1)
                               : which == "sums"    ? sums_of(ramp(0))
                                                    : last;
        EXPECT_EQ(w.contents(w.y), expected) << which << " on " << discrete.size() << " devices";
      }
}

TEST(Rebalancing, OfFourDevicesAllThatAreFreeHelp) {
  World w(StopForm::group, {true, true, true, true});
  w.settle(w.add);
  w.slow_down(2, 10);
  EXPECT_EQ(w.run(w.add), CL_COMPLETE);
  EXPECT_LE(w.groups(w.fakes[2]), 10u) << "of 16";
  int helped = 0;
  for (const std::size_t i : {0, 1, 3}) helped += w.groups(w.fakes[i]) > kAllGroups / 4 ? 1 : 0;
  EXPECT_GE(helped, 2);
  EXPECT_EQ(w.all_groups(), kAllGroups);
  EXPECT_EQ(w.contents(w.y), times(ramp(5000), ramp(0), 9));
}

TEST(Rebalancing, ADeviceThatFailsWithWhatItWasGivenIsRescued) {
  for (const StopForm form : kForms) {
    World w(form);
    w.settle(w.add);
    w.slow_down(1, 10);
    const auto slow = w.fakes[1]->on_group;
    w.fakes[1]->on_group = [&] {
      slow();
      // The other one has ended its slice.
      if (w.groups(w.fakes[1]) == domain::tuning::kTellingGroups - 1) w.fakes[0]->fail_runs = 1;
    };
    EXPECT_EQ(w.run(w.add), CL_COMPLETE);
    EXPECT_EQ(w.all_groups(), kAllGroups) << w.groups(w.fakes[0]) << " and " << w.groups(w.fakes[1]);
    EXPECT_TRUE(w.fakes[0]->health()->aside()) << (form == StopForm::cut ? "cut" : "group");
  }
}

TEST(Rebalancing, WhatIsBoundToItsDeviceStaysThere) {
  domain::KernelTraits traits = axpy_traits();
  traits.facts |= domain::kFactPointerInMemory;
  World w(StopForm::group);
  const auto bound = w.kernel(traits);
  for (int i = 0; i < 6; ++i) ASSERT_EQ(w.run(bound), CL_COMPLETE);
  const std::size_t where = w.groups(w.fakes[0]) != 0 ? 0 : 1;
  w.fakes[where]->ns_per_group = 20 * kGroupNs;
  EXPECT_EQ(w.run(bound), CL_COMPLETE);
  EXPECT_EQ(w.groups(w.fakes[where]), kAllGroups);
}

TEST(Rebalancing, ADeviceThatHasShownItsSpeedOnFewGroupsGetsAllThatItCanRun) {
  World w(StopForm::group);
  const auto teach = [&](std::uint32_t device, std::uint64_t groups, std::uint64_t ns_per_group) {
    for (int i = 0; i < 8; ++i)
      w.model.learn({w.add->id(), device, line(kItems, kLocal), {0, groups}, groups * ns_per_group});
  };
  teach(0, 1, kGroupNs);
  teach(1, kAllGroups, kGroupNs / 4);  // it takes forty times as long
  w.fakes[1]->ns_per_group = 10 * kGroupNs;
  w.fakes[1]->on_group = [&] {
    if (w.groups(w.fakes[1]) != 8) return;
    while (!w.fakes[0]->idle()) std::this_thread::sleep_for(std::chrono::microseconds(50));
    std::this_thread::sleep_for(2 * std::chrono::nanoseconds(tuning::kFirstLookNs));
  };
  EXPECT_EQ(w.run(w.add), CL_COMPLETE);
  EXPECT_EQ(w.all_groups(), kAllGroups);
  EXPECT_GT(w.groups(w.fakes[0]), 40u) << "more than sixteen times the span that its rate comes from";
  EXPECT_EQ(w.contents(w.y), times(ramp(5000), ramp(0), 1));
}

TEST(Rebalancing, ALaunchThatStaysWholeMovesToADeviceThatIsFaster) {
  domain::KernelTraits traits = scatter_traits();
  traits.facts |= domain::kFactAtomicResultUsed;  // its results cannot be merged
  World w(StopForm::group);
  w.fakes[1]->ns_per_group = 2 * kGroupNs;
  const auto kernel = w.kernel(traits);
  for (int i = 0; i < 6; ++i) ASSERT_EQ(w.run(kernel), CL_COMPLETE);
  const std::size_t where = w.groups(w.fakes[0]) != 0 ? 0 : 1, other = 1 - where;
  ASSERT_EQ(w.groups(w.fakes[where]), kAllGroups);
  for (int i = 0; i < 8; ++i)
    w.model.learn({kernel->id(),
                   static_cast<std::uint32_t>(other),
                   line(kItems, kLocal),
                   {0, kAllGroups},
                   kAllGroups * 3 * kGroupNs});
  w.fakes[where]->ns_per_group = 40 * kGroupNs;
  // Longer than until the slices are looked at for the first time: what groups take is made up.
  w.fakes[where]->on_group = [&] {
    if (w.groups(w.fakes[where]) == 8) std::this_thread::sleep_for(2 * std::chrono::nanoseconds(tuning::kFirstLookNs));
  };
  EXPECT_EQ(w.run(kernel), CL_COMPLETE);
  EXPECT_EQ(w.all_groups(), kAllGroups);
  EXPECT_GT(w.groups(w.fakes[other]), kAllGroups / 2);
  EXPECT_EQ(w.contents(w.y), ramp(1));
}

}  // namespace
}  // namespace skmd::icd::test

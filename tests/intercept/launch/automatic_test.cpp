// SPDX-License-Identifier: Apache-2.0
// What `auto` learns from measured times. The times are the fakes', not a clock's.
#include <gtest/gtest.h>

#include "intercept/launch/decision.h"
#include "tests/intercept/launch/allocation_counter.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kGroups = 64, kLocal = 16;
constexpr std::uint64_t kMillisecond = 1'000'000;

class Automatic {
 public:
  Automatic(const std::vector<bool>& discrete, const std::vector<std::uint64_t>& ns_per_group) : m(discrete, "auto") {
    for (std::size_t i = 0; i < ns_per_group.size(); ++i) m.fakes[i]->ns_per_group = ns_per_group[i];
    x = m.storage(kGroups * kLocal * 4);
    y = m.storage(kGroups * kLocal * 4);
    kernel = m.kernel(axpy_traits());
  }

  void run() {
    EXPECT_EQ(m.launch(kernel, line(kGroups * kLocal, kLocal), {whole(y), whole(x), value_of(1u)})->wait(),
              CL_COMPLETE);
  }

  /// Groups that each device got of one more launch.
  std::vector<std::uint64_t> shares() {
    std::vector<std::uint64_t> before, shares;
    for (const auto& fake : m.fakes) before.push_back(fake->counters.groups);
    run();
    for (std::size_t i = 0; i < m.fakes.size(); ++i) shares.push_back(m.fakes[i]->counters.groups - before[i]);
    return shares;
  }

  FakeMachine m;
  std::shared_ptr<Storage> x, y;
  std::shared_ptr<BuiltKernel> kernel;
};

TEST(Auto, SplitsInHalvesOverTwoEqualDevices) {
  Automatic a({true, true}, {kMillisecond, kMillisecond});
  for (int i = 0; i < 12; ++i) a.run();
  const auto shares = a.shares();
  EXPECT_NEAR(static_cast<double>(shares[0]), kGroups / 2.0, 3);
  EXPECT_EQ(shares[0] + shares[1], kGroups);
}

TEST(Auto, GivesTheFasterDeviceMore) {
  Automatic a({true, true}, {kMillisecond, 3 * kMillisecond});
  for (int i = 0; i < 12; ++i) a.run();
  const auto shares = a.shares();
  EXPECT_NEAR(static_cast<double>(shares[0]), kGroups * 0.75, 4);
}

TEST(Auto, LeavesTinyLaunchesOnOneDevice) {
  Automatic a({true, true}, {10, 10});
  for (int i = 0; i < 12; ++i) a.run();
  const auto shares = a.shares();
  EXPECT_TRUE(shares[0] == 0 || shares[1] == 0) << shares[0] << " and " << shares[1];
}

TEST(Auto, CountsWhatJoiningCosts) {
  // Half of a launch saves less time than the difference of 4 MB takes, and more than nothing.
  for (const bool joined : {false, true}) {
    FakeMachine m({true, true}, "auto");
    if (joined) m.machine.settings.rungs = *domain::parse_rungs("diff");
    for (const auto& fake : m.fakes) fake->ns_per_group = 300;
    constexpr std::uint64_t kItems = 1u << 20;
    const auto x = m.storage(kItems * 4);
    const auto y = m.storage(kItems * 4);
    const auto kernel = m.kernel(axpy_traits());
    for (int i = 0; i < 12; ++i)
      ASSERT_EQ(m.launch(kernel, line(kItems, 256), {whole(y), whole(x), value_of(1u)})->wait(), CL_COMPLETE);
    const Launch launch{kernel, line(kItems, 256), {whole(y), whole(x), value_of(1u)}};
    const auto decision = decide(m.machine, launch, LaunchView(m.machine, launch));
    EXPECT_EQ(decision->slices.size(), joined ? 1u : 2u);
    EXPECT_EQ(decision->whole == domain::NotSplit::not_profitable, joined);
  }
}

TEST(Auto, FollowsADeviceThatBecomesSlower) {
  Automatic a({true, true}, {kMillisecond, kMillisecond});
  for (int i = 0; i < 12; ++i) a.run();
  a.m.fakes[0]->ns_per_group = 4 * kMillisecond;
  for (int i = 0; i < 30; ++i) a.run();
  const auto shares = a.shares();
  EXPECT_GT(shares[1], 2 * shares[0]);
}

TEST(Auto, DecidesRepeatedLaunchesWithoutAllocating) {
  Automatic a({true, true, true}, {kMillisecond, kMillisecond, kMillisecond});
  for (int i = 0; i < 20; ++i) a.run();
  const Launch launch{a.kernel, line(kGroups * kLocal, kLocal), {whole(a.y), whole(a.x), value_of(1u)}};
  const LaunchView view(a.m.machine, launch);
  const auto first = decide(a.m.machine, launch, view);
  const std::size_t before = allocations();
  const auto second = decide(a.m.machine, launch, view);
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(first, second);
  EXPECT_GT(first->slices.size(), 1u);
}

}  // namespace
}  // namespace skmd::icd::test

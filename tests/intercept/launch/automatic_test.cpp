// SPDX-License-Identifier: Apache-2.0
// What `auto` learns from measured times. The times are the fakes', not a clock's.
#include <gtest/gtest.h>

#include "intercept/launch/decide.h"
#include "intercept/launch/decide_launch.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/frozen_launch.h"
#include "intercept/launch/make_launch.h"
#include "intercept/launch/moving_bytes.h"
#include "intercept/launch/question.h"
#include "intercept/memory/link_rates.h"
#include "intercept/memory/memory_constants.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
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

  Ref<Event> enqueue() { return m.launch(kernel, line(kGroups * kLocal, kLocal), {whole(y), whole(x), value_of(1u)}); }
  void run() { EXPECT_EQ(enqueue()->wait(), CL_COMPLETE); }
  /// So many, all enqueued before one ends; `meanwhile` is called between.
  void run_in_a_row(int launches, const std::function<void()>& meanwhile) {
    for (const auto& fake : m.fakes) fake->pause();
    std::vector<Ref<Event>> events;
    for (int i = 0; i < launches; ++i) events.push_back(enqueue());
    meanwhile();
    for (const auto& fake : m.fakes) fake->resume();
    for (const auto& event : events) EXPECT_EQ(event->wait(), CL_COMPLETE);
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

TEST(Auto, LearnsFromLaunchesThatAreEnqueuedAllAtOnce) {
  Automatic a({true, true}, {kMillisecond, kMillisecond});
  a.run_in_a_row(20, [] {});
  EXPECT_GT(a.m.fakes[0]->counters.groups, 7 * kGroups);
  EXPECT_GT(a.m.fakes[1]->counters.groups, 4 * kGroups);
}

TEST(Auto, SubmitsShortLaunchesWithoutWaiting) {
  for (const std::uint64_t ns : {10u, 0u}) {  // 0: the devices tell no times
    Automatic a({true, true}, {ns, ns});
    a.run_in_a_row(40, [] {});
    std::atomic<int> submitted{0};
    for (const auto& fake : a.m.fakes) fake->on_submit = [&submitted] { ++submitted; };
    a.run_in_a_row(20, [&submitted] { EXPECT_EQ(submitted, 20); });
  }
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
    for (const auto& fake : m.fakes) fake->ns_per_group = 100;
    constexpr std::uint64_t kItems = 1u << 20;
    const auto x = m.storage(kItems * 4);
    const auto y = m.storage(kItems * 4);
    const auto kernel = m.kernel(axpy_traits());
    for (int i = 0; i < 40; ++i)
      ASSERT_EQ(m.launch(kernel, line(kItems, 256), {whole(y), whole(x), value_of(1u)})->wait(), CL_COMPLETE);
    const Launch launch{kernel, line(kItems, 256), {whole(y), whole(x), value_of(1u)}};
    const LaunchView view(m.machine, launch);
    decide_launch(m.machine, launch, view);
    // As planned: rounds, which judge plans, are real time here.
    const auto decision = view.shape().decisions().last(nullptr);
    EXPECT_EQ(decision->slices.size(), joined ? 1u : 2u);
    EXPECT_EQ(decision->whole == domain::NotSplit::not_profitable, joined);
  }
}

TEST(Auto, RoundsOfTheApplicationJudgePlans) {
  FakeMachine m({true, true}, "auto");
  const auto x = m.storage(kGroups * kLocal * 4), y = m.storage(kGroups * kLocal * 4);
  const Launch launch{m.kernel(axpy_traits()), line(kGroups * kLocal, kLocal), {whole(y), whole(x), value_of(1u)}};
  const LaunchView view(m.machine, launch);
  LaunchShape& shape = view.shape();
  const auto alone = whole_on(launch, view, 0, domain::NotSplit::not_profitable);
  auto both = std::make_shared<Decision>();
  both->slices = {{0, {0, kGroups / 2}, shape.footprint({0, kGroups / 2})},
                  {1, {kGroups / 2, kGroups}, shape.footprint({kGroups / 2, kGroups})}};
  std::uint64_t now = kMillisecond;
  const auto round = [&](const std::shared_ptr<const Decision>& wanted) {
    shape.decisions().remember(wanted, {});
    const auto instead = shape.rounds().instead_of(*wanted);
    const auto followed = instead ? shape.decisions().followed(*instead) : wanted;
    shape.rounds().ended(*followed, now += (followed->slices.size() == 1 ? 10 : 15) * kMillisecond);
    return followed;
  };
  for (int i = 0; i < 10; ++i) EXPECT_EQ(round(alone), alone);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(round(both), both) << "it is tried";
  EXPECT_EQ(round(both), alone) << "though each launch of it may have been short";
  both->slices[0].predicted_seconds = 1e-3;  // of a round of ten milliseconds
  both->predicted_seconds = 10e-3;
  shape.rounds().devices_changed(1, both.get());
  EXPECT_EQ(round(both), alone) << "a kernel that is a small part of its rounds tells nothing of them";
  auto exploring = std::make_shared<Decision>(*both);
  exploring->exploring = true;
  EXPECT_EQ(round(exploring), alone) << "it adds a slice to a plan that was given up";
  both->predicted_seconds = 2e-3;
  shape.rounds().devices_changed(2, both.get());
  EXPECT_EQ(round(exploring), exploring) << "nothing is known against it";
  EXPECT_EQ(round(both), both) << "what rounds took before says nothing of devices that became others";
}

// Rounds of 0.1 s on a GPU, for which 1 ms is predicted; 30 are predicted of the processor, so that no split is worth
// it.
TEST(Auto, WhatTouchesMemoryForTheFirstTimeIsTriedOnceAsMuchWasMissed) {
  constexpr std::uint64_t kLarge = std::uint64_t{4} << 30;  // 0.86 s for two of them, thirteen rounds' gain
  const auto on_processor = [](bool touched, int launches) {
    FakeMachine m({true, false}, "auto");
    const auto x = m.storage(kLarge), y = m.storage(kLarge);
    if (touched) x->note_touched(domain::ByteRange{0, kLarge}), y->note_touched(domain::ByteRange{0, kLarge});
    const Launch launch{m.kernel(axpy_traits()), line(kGroups * kLocal, kLocal), {whole(y), whole(x), value_of(1u)}};
    const LaunchView view(m.machine, launch);
    for (const std::uint32_t device : {0u, 1u})
      m.model.learn({launch.kernel->id(), device, launch.range, {0, kGroups}, (1 + 29 * device) * kMillisecond});
    std::uint64_t now = kMillisecond;
    int count = 0;
    for (int i = 0; i < launches; ++i) {
      const auto decision = decide_launch(m.machine, launch, view);
      count += decision->slices.front().device == 1 ? 1 : 0;
      view.shape().rounds().ended(*decision, now += 100 * kMillisecond);
    }
    return count;
  };
  EXPECT_GT(on_processor(true, 12), 0);
  EXPECT_EQ(on_processor(false, 12), 0);
  EXPECT_GT(on_processor(false, 40), 0);
}

TEST(Auto, DevicesOfOneMakeAreTriedOnce) {
  FakeMachine m({true, true, false}, "auto");
  domain::DeviceModel gpu;
  gpu.likeness = 7;
  m.model.set_device(0, gpu);
  m.model.set_device(1, gpu);
  const auto x = m.storage(kGroups * kLocal * 4), y = m.storage(kGroups * kLocal * 4);
  const Launch launch{m.kernel(axpy_traits()), line(kGroups * kLocal, kLocal), {whole(y), whole(x), value_of(1u)}};
  const LaunchView view(m.machine, launch);
  EXPECT_TRUE(candidates_of(Question(m.machine, launch, view).request()).empty()) << "nothing is measured";
  for (const std::uint32_t device : {1u, 2u})
    m.model.learn({launch.kernel->id(), device, launch.range, {0, kGroups}, kMillisecond});
  const auto candidates = candidates_of(Question(m.machine, launch, view).request());
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_EQ(candidates[0].plan, 1u) << "as fast as its twin was measured";
  EXPECT_EQ(candidates[1].plan, 4u);
  EXPECT_GE(candidates[0].seconds, 1e-3);
}

TEST(Auto, ALinkIsTakenForItsTwinsUntilItHasToldEnough) {
  const FakeMachine m({true, true}, "auto");
  std::vector<domain::DeviceModel> models(2);
  models[0].likeness = models[1].likeness = 7;
  LinkRates& links = LinkRates::get();
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 30;
  const auto rate_of_second = [&] {
    set_links(m.machine, models);
    return models[1].bytes_to_per_second;
  };
  for (int i = 0; i < 20; ++i) links.learn_to(0, kLarge, 30'000'000);
  const double twins = static_cast<double>(kLarge) / 0.03;
  for (std::uint32_t told = 0; told < tuning::kOwnTransfers; ++told) {
    EXPECT_NEAR(rate_of_second(), twins, 0.01 * twins) << told;
    links.learn_to(1, kLarge, 60'000'000);
  }
  EXPECT_NEAR(rate_of_second(), twins / 2, 0.01 * twins);
}

TEST(Auto, LaunchesOfARoundMoveTogether) {
  FakeMachine m({true, true}, "auto");
  const auto x = m.storage(kGroups * kLocal * 4), y = m.storage(kGroups * kLocal * 4);
  const Launch launch{m.kernel(axpy_traits()), line(kGroups * kLocal, kLocal), {whole(y), whole(x), value_of(1u)}};
  const LaunchView view(m.machine, launch);
  for (const std::uint32_t device : {0u, 1u})
    m.model.learn({launch.kernel->id(), device, launch.range, {0, kGroups}, (1 + 9 * device) * kMillisecond});
  const auto device_now = [&] { return decide_launch(m.machine, launch, view)->slices.front().device; };
  const std::vector<domain::AloneBounds> other = {{0, 1e-3, 1e-3, 1e-3, 1e-3}, {1, 1e-3, 1e-3, 1e-3, 1e-3}};
  EXPECT_EQ(device_now(), 0u);
  constexpr std::uint64_t kLeader = 4711;
  EXPECT_EQ(m.machine.rounds.launched(kLeader, true, other).role, RoundRoles::Role::leader);
  EXPECT_EQ(device_now(), 0u) << "the leader was told nothing";
  m.machine.rounds.led(2, true);
  EXPECT_EQ(decide_launch(m.machine, launch, view)->slices.size(), 1u);
  EXPECT_EQ(device_now(), 1u);
  m.machine.rounds.launched(kLeader, true, other);
  EXPECT_EQ(device_now(), 0u) << "a round later";
  m.machine.rounds.led(2, false);
  EXPECT_EQ(device_now(), 1u) << "the leader has come there by itself";
  m.machine.rounds.led(4, true);
  EXPECT_EQ(device_now(), 0u) << "no device of this launch's";
}

// Program-scope variables live on one device, and groups that wait for each other have to be resident together.
TEST(Auto, LaunchesThatMustStayDoNotFollowTheirRound) {
  const std::uint32_t kState = domain::kFactMutableProgramScope;
  for (const std::uint32_t fact : {kState, std::uint32_t{domain::kFactSpinning},
                                   std::uint32_t{domain::kFactPointerInMemory}, kState | domain::kFactAtomicResultUsed,
                                   kState | domain::kFactDeviceScopeSync, kState | domain::kFactSpinning}) {
    FakeMachine m({true, true}, "auto");
    const auto x = m.storage(kGroups * kLocal * 4), y = m.storage(kGroups * kLocal * 4);
    auto traits = axpy_traits();
    traits.facts |= fact;
    const Launch launch{m.kernel(traits), line(kGroups * kLocal, kLocal), {whole(y), whole(x), value_of(1u)}};
    const LaunchView view(m.machine, launch);
    const std::uint32_t home = decide_launch(m.machine, launch, view)->slices.front().device;
    m.machine.rounds.launched(4711, true, {});
    m.machine.rounds.led(home == 0 ? 2 : 1, true);
    EXPECT_EQ(decide_launch(m.machine, launch, view)->slices.front().device, home) << fact;
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

TEST(Auto, TakesBackSplitsThatLose) {
  Automatic a({true, true}, {kMillisecond, kMillisecond});
  a.m.model.joining_ns = 100 * kMillisecond;  // a launch alone takes 64
  int splits = 0;
  for (int i = 0; i < 60; ++i) {
    const auto shares = a.shares();
    splits += shares[0] != 0 && shares[1] != 0 ? 1 : 0;
  }
  EXPECT_GE(splits, 1);
  EXPECT_LE(splits, 10);  // exploring, and two that lost
}

TEST(Auto, UnknownKernelsRunOnTheStrongestDevice) {
  for (const std::uint32_t strong : {0u, 1u}) {
    Automatic a({true, true}, {kMillisecond, kMillisecond});
    domain::DeviceModel strength;
    strength.strength = 40;
    a.m.model.set_device(strong, strength);
    a.m.model.set_device(1 - strong, {});
    EXPECT_EQ(a.shares()[strong], kGroups);
    const std::uint64_t one = kLocal;  // a launch that cannot be split
    const auto before = a.m.fakes[strong]->counters.groups.load();
    EXPECT_EQ(a.m.launch(a.m.kernel(axpy_traits()), line(one, kLocal), {whole(a.y), whole(a.x), value_of(1u)})->wait(),
              CL_COMPLETE);
    EXPECT_EQ(a.m.fakes[strong]->counters.groups, before + 1);
  }
}

TEST(Auto, SlowDeviceGetsOneGroupToLearnFromAndNoMore) {
  Automatic a({true, true}, {kMillisecond, 100 * kMillisecond});
  for (int i = 0; i < 30; ++i) a.run();
  EXPECT_GE(a.m.fakes[1]->counters.groups, 1u);
  EXPECT_LE(a.m.fakes[1]->counters.groups, 2u);  // the first one may have been a compilation
}

/// y[row · 32 + column] = row, of 16 columns: a range for each row.
domain::KernelTraits pitched_traits() {
  TraitsBuilder b("pitched");
  b.buffer();
  const auto row = b.op(domain::Op::mul, b.global_id(1), b.constant(32));
  b.access(domain::AccessKind::write, 0, b.op(domain::Op::add, row, b.global_id(0)), 4);
  return b.take();
}

TEST(Auto, PlansNoSplitThatCostsMoreThanAFewPercentOfTheLaunches) {
  constexpr std::uint64_t kRows = 4096;
  for (const bool dear : {true, false}) {
    FakeMachine m({true, true}, "auto");
    const Body body = [](const auto& a, const auto& id) {
      a[0].template as<std::uint32_t>()[id[1] * 32 + id[0]] = static_cast<std::uint32_t>(id[1]);
    };
    for (const auto& fake : m.fakes) {
      fake->add_bodies({{"pitched", body}});
      fake->ns_per_group = dear ? 1000 : kMillisecond;
    }
    const auto y = m.storage(kRows * 32 * 4);
    const auto kernel = m.kernel(pitched_traits());
    const domain::NdRange range{2, {0, 0, 0}, {16, kRows, 1}, {16, 8, 1}};
    const Launch launch{kernel, range, {whole(y)}};
    // 512 groups take half a millisecond or half a second; footprints of 4096 rows, several times, more than one.
    const LaunchView view(m.machine, launch);
    EXPECT_GT(view.shape().planning_costs().planning, 1e-3);
    EXPECT_LT(view.shape().planning_costs().planning, 1e-2);
    for (int i = 0; i < 20; ++i) ASSERT_EQ(m.launch(kernel, range, {whole(y)})->wait(), CL_COMPLETE);
    EXPECT_EQ(m.fakes[1]->counters.groups == 0, dear);
    std::uint32_t last = 0;
    m.read(y, ((kRows - 1) * 32 + 15) * 4, &last, 4);
    EXPECT_EQ(last, kRows - 1);
  }
}

TEST(Auto, AsksNotAtEveryShortLaunchWhatItCannotAffordToFindOut) {
  Automatic a({true, true}, {1000, 1000});  // 64 us
  domain::DeviceModel dear;
  dear.first_use_seconds = 10;
  a.m.model.set_device(1, dear);
  for (int i = 0; i < 4; ++i) a.run();
  const Launch launch{a.kernel, line(kGroups * kLocal, kLocal), {whole(a.y), whole(a.x), value_of(1u)}};
  const LaunchView view(a.m.machine, launch);
  int asked = 0;
  auto before = decide_launch(a.m.machine, launch, view);
  EXPECT_TRUE(before->unsettled);
  for (int i = 0; i < 100; ++i) {
    auto now = decide_launch(a.m.machine, launch, view);
    asked += now != before ? 1 : 0;
    before = std::move(now);
  }
  EXPECT_GE(asked, 5);
  EXPECT_LE(asked, 60);
}

TEST(Auto, DecidesRepeatedLaunchesWithoutAllocating) {
  Automatic a({true, true, true}, {kMillisecond, kMillisecond, kMillisecond});
  for (int i = 0; i < 20; ++i) a.run();
  const Launch launch{a.kernel, line(kGroups * kLocal, kLocal), {whole(a.y), whole(a.x), value_of(1u)}};
  const LaunchView view(a.m.machine, launch);
  const auto first = decide_launch(a.m.machine, launch, view);
  const std::size_t before = allocations();
  const auto second = decide_launch(a.m.machine, launch, view);
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(first, second);
  EXPECT_GT(first->slices.size(), 1u);
}

TEST(Auto, RepeatedLaunchesAllocateLittle) {
  FakeMachine m({true}, "auto");
  const auto x = m.storage(kGroups * kLocal * 4);
  const auto y = m.storage(kGroups * kLocal * 4);
  const std::shared_ptr<const Launch> launch = std::make_shared<const FrozenLaunch>(
      m.machine, Launch{m.kernel(axpy_traits()), line(kGroups * kLocal, kLocal), {whole(y), whole(x), value_of(1u)}});
  const auto row = [&](int count) {
    Ref<Event> last;
    for (int i = 0; i < count; ++i)
      last = m.queue->enqueue(CL_COMMAND_NDRANGE_KERNEL,
                              repeat_launch(m.machine, std::shared_ptr<const Launch>(launch), false), {});
    return last;
  };
  EXPECT_EQ(row(20)->wait(), CL_COMPLETE);
  m.fakes[0]->pause();  // native arguments are shared while one of them is under way
  const std::size_t before = allocations();
  const auto last = row(100);
  // The event, the command, the lock of its ranges, and what the fake keeps of its batch.
  EXPECT_LE(allocations() - before, 100u * 4);
  m.fakes[0]->resume();
  EXPECT_EQ(last->wait(), CL_COMPLETE);
}

}  // namespace
}  // namespace skmd::icd::test

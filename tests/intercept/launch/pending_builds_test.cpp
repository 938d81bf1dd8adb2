// SPDX-License-Identifier: Apache-2.0
// Launches of programs that are not built on every device yet. Nothing is built in the background here: a device joins
// when the test, or a launch that needs it, builds for it.
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "intercept/launch/account.h"
#include "intercept/launch/decide_launch.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/frozen_launch.h"
#include "intercept/launch/make_launch.h"
#include "intercept/machine/running_launches.h"
#include "intercept/object/build_queue.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "intercept/object/native_builds.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint32_t kItems = 1024;
using Words = std::vector<std::uint32_t>;
using Devices = std::set<std::uint32_t>;

struct World : FakeMachine {
  explicit World(const std::string& policy = "auto", std::size_t devices = 2)
      : FakeMachine(std::vector<bool>(devices, true), policy), x(storage(kItems * 4)), y(storage(kItems * 4)) {
    Words values(kItems);
    for (std::uint32_t i = 0; i < kItems; ++i) values[i] = i;
    write(x, 0, values.data(), kItems * 4);
    write(y, 0, Words(kItems).data(), kItems * 4);
  }
  /// A kernel of a program that is built on `now`.
  std::shared_ptr<BuiltKernel> kernel_on(const Devices& now, domain::KernelTraits traits = axpy_traits()) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < fakes.size(); ++i) order.push_back(i);
    const auto builds = std::make_shared<NativeBuilds>(order, [this](std::uint32_t device) -> NativeBuilds::Made {
      if (on_build.count(device) != 0) on_build.at(device)();
      if (refusing.count(device) != 0) return {nullptr, "refused"};
      return {std::make_shared<FakeProgram>(), {}};
    });
    for (const std::uint32_t device : now) builds->run(device);
    return std::make_shared<BuiltKernel>(machine, std::move(traits), false, "program", builds);
  }
  Launch launch_of(const std::shared_ptr<BuiltKernel>& kernel, std::uint32_t factor = 1) {
    return {kernel, line(kItems, 64), {whole(y), whole(x), value_of(factor)}};
  }
  cl_int run(const std::shared_ptr<BuiltKernel>& kernel, std::uint32_t factor = 1) {
    return launch(kernel, line(kItems, 64), launch_of(kernel, factor).arguments)->wait();
  }
  void expect(std::uint32_t factor) {
    Words seen(kItems);
    read(y, 0, seen.data(), kItems * 4);
    for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(seen[i], factor * i) << i;
  }
  std::vector<std::uint64_t> runs() {
    std::vector<std::uint64_t> counts;
    for (const auto& fake : fakes) counts.push_back(fake->counters.runs);
    return counts;
  }
  Devices refusing;
  std::map<std::uint32_t, std::function<void()>> on_build;
  std::shared_ptr<Storage> x, y;
};

TEST(PendingBuilds, ALaunchGoesToWhatIsBuiltAndOthersTakePartWhenTheyAre) {
  World w("equal");
  const auto kernel = w.kernel_on({1});
  EXPECT_EQ(w.run(kernel), CL_COMPLETE);
  EXPECT_EQ(w.runs(), (std::vector<std::uint64_t>{0, 1}));
  EXPECT_TRUE(kernel->builds().open(0)) << "nothing is built that the launch does not need";
  kernel->builds().run(0);
  EXPECT_EQ(w.run(kernel), CL_COMPLETE);
  EXPECT_EQ(w.runs(), (std::vector<std::uint64_t>{1, 2})) << "the same launch, but both devices are there";
  w.expect(2);
}

TEST(PendingBuilds, RememberedLaunchesAreMadeAnewWhenADeviceJoins) {
  World w("equal");
  const auto kernel = w.kernel_on({0});
  const auto frozen = std::make_shared<const FrozenLaunch>(w.machine, w.launch_of(kernel));
  EXPECT_NE(repeat_launch(w.machine, std::shared_ptr<const Launch>(frozen), true), nullptr);
  kernel->builds().run(1);
  EXPECT_EQ(repeat_launch(w.machine, std::shared_ptr<const Launch>(frozen), true), nullptr);
  const auto anew = std::make_shared<const FrozenLaunch>(w.machine, w.launch_of(kernel));
  EXPECT_NE(&anew->view().shape(), &frozen->view().shape());
  EXPECT_EQ(anew->view().shape().eligible().count(), 2u);
  EXPECT_EQ(frozen->view().shape().eligible().count(), 1u);
}

TEST(PendingBuilds, WhatLaunchesToldHoldsWhenADeviceJoins) {
  World w("auto");
  const auto kernel = w.kernel_on({0});
  const Launch launch = w.launch_of(kernel);
  const LaunchView before(w.machine, launch);
  before.shape().first_uses().mark(0, false);
  const auto alone = whole_on(launch, before, 0, domain::NotSplit::not_profitable);
  for (std::uint64_t round = 1; round < 8; ++round) before.shape().rounds().ended(*alone, round * 10'000'000);
  kernel->builds().run(1);
  const LaunchView after(w.machine, launch);
  ASSERT_NE(&after.shape(), &before.shape());
  EXPECT_EQ(after.shape().whole(), before.shape().whole()) << "which depends on no device, and may take long";
  EXPECT_TRUE(after.shape().first_uses().is_marked(0, false)) << "it was used";
  EXPECT_FALSE(after.shape().first_uses().is_marked(1, false));
  const auto other = whole_on(launch, after, 1, domain::NotSplit::not_profitable);
  for (std::uint64_t round = 1; round < 8; ++round) after.shape().rounds().ended(*other, round * 20'000'000);
  EXPECT_EQ(after.shape().rounds().instead_of(*other), 1u) << "rounds were shorter on the device before";
  const Launch another = w.launch_of(kernel, 2);
  EXPECT_EQ(&LaunchView(w.machine, another).shape(), &after.shape()) << "which has its shape once";
}

/// A build for a device that does not end before it is let.
class SlowBuild {
 public:
  SlowBuild(World& w, std::uint32_t device) {
    w.on_build[device] = [this] { end_.get_future().wait(); };
  }
  ~SlowBuild() { EXPECT_FALSE(thread_.joinable()); }
  SlowBuild(const SlowBuild&) = delete;
  SlowBuild& operator=(const SlowBuild&) = delete;
  void begin(const std::shared_ptr<BuiltKernel>& kernel, std::uint32_t device) {
    thread_ = std::thread([=] { kernel->builds().run(device); });
    while (!kernel->builds().under_way()) std::this_thread::yield();
  }
  void end() {
    end_.set_value();
    thread_.join();
  }

 private:
  std::promise<void> end_;
  std::thread thread_;
};

/// Of seven launches, groups of so many nanoseconds: one, and six that are enqueued in a row before device 1 joins.
/// Returns how many ran on device 1.
std::uint64_t joined_by(std::uint64_t group_ns) {
  World w;
  for (const auto& fake : w.fakes) fake->ns_per_group = group_ns;
  SlowBuild build(w, 1);
  const auto kernel = w.kernel_on({0});
  for (std::uint32_t device = 0; device < 2; ++device)
    for (int i = 0; i < 8; ++i)
      w.machine.model->learn({kernel->id(), device, line(kItems, 64), {0, 16}, 16 * group_ns, false, {}, 0});
  build.begin(kernel, 1);
  EXPECT_EQ(w.run(kernel), CL_COMPLETE);
  w.fakes[0]->pause();
  std::vector<Ref<Event>> events;
  for (int i = 0; i < 6; ++i) events.push_back(w.launch(kernel, line(kItems, 64), w.launch_of(kernel).arguments));
  build.end();
  w.fakes[0]->resume();
  for (const auto& event : events) EXPECT_EQ(event->wait(), CL_COMPLETE);
  w.expect(7);
  return w.runs()[1];
}

TEST(PendingBuilds, LaunchesInARowAreDecidedWhenADeviceHasJoined) {
  EXPECT_GE(joined_by(1'000'000), 4u) << "all but the first, which was on its way";
}

TEST(PendingBuilds, ShortLaunchesInARowAreNotKeptWaiting) {
  EXPECT_EQ(joined_by(1000), 0u) << "they were decided when they were enqueued";
}

TEST(PendingBuilds, RoundsWithinThemTellNothing) {
  World w("auto", 3);
  SlowBuild build(w, 2);
  const auto kernel = w.kernel_on({0, 1});
  const Launch launch = w.launch_of(kernel);
  const LaunchView view(w.machine, launch);
  std::uint64_t now = 0;
  const auto rounds = [&](std::uint32_t device, std::uint64_t each) {
    const auto alone = whole_on(launch, view, device, domain::NotSplit::not_profitable);
    for (int i = 0; i < 8; ++i) learn_outcome(w.machine, launch, view.shape(), *alone, {now += each, 0.0, 0});
    return alone;
  };
  build.begin(kernel, 2);
  rounds(0, 10'000'000);
  build.end();
  EXPECT_FALSE(view.shape().rounds().instead_of(*rounds(1, 20'000'000))) << "nothing is known of device 0";
  rounds(0, 10'000'000);
  EXPECT_EQ(view.shape().rounds().instead_of(*rounds(1, 20'000'000)), 1u);
}

TEST(PendingBuilds, AreBegunByLaunchesOnADeviceThatWasStartedAgain) {
  World w("equal");
  RunningLaunches running(w.machine);
  BuildQueue queue(1);
  w.machine.running = &running;
  w.machine.builds = &queue;
  const auto kernel = w.kernel_on({0});
  EXPECT_EQ(w.run(kernel), CL_COMPLETE);
  EXPECT_FALSE(kernel->builds().wants_more()) << "only what the program's build asked for is built";
  ASSERT_TRUE(running.stop(1).ok());
  EXPECT_EQ(w.run(kernel), CL_COMPLETE);
  EXPECT_TRUE(kernel->builds().open(1));
  ASSERT_TRUE(running.start(1).ok());
  EXPECT_EQ(w.run(kernel), CL_COMPLETE);
  EXPECT_TRUE(kernel->builds().wants_more() || !kernel->builds().open(1)) << "it is queued";
  kernel->builds().wait(1);
  EXPECT_EQ(w.run(kernel), CL_COMPLETE);
  EXPECT_EQ(w.runs(), (std::vector<std::uint64_t>{4, 1}));
  w.expect(4);
  w.machine.builds = nullptr;
}

TEST(PendingBuilds, RememberedLaunchesAreMadeAnewWhenADeviceIsStoppedOrStarted) {
  World w("equal");
  RunningLaunches running(w.machine);
  w.machine.running = &running;
  const auto kernel = w.kernel_on({0, 1});
  const auto both = std::make_shared<const FrozenLaunch>(w.machine, w.launch_of(kernel));
  ASSERT_TRUE(running.stop(1).ok());
  EXPECT_EQ(repeat_launch(w.machine, std::shared_ptr<const Launch>(both), true), nullptr);
  const auto one = std::make_shared<const FrozenLaunch>(w.machine, w.launch_of(kernel));
  EXPECT_EQ(one->view().shape().eligible().eligible, (std::vector<bool>{true, false}));
  EXPECT_EQ(one->view().shape().eligible().why_not[1], "it is stopped");
  ASSERT_TRUE(running.start(1).ok());
  EXPECT_EQ(repeat_launch(w.machine, std::shared_ptr<const Launch>(one), true), nullptr);
  EXPECT_NE(repeat_launch(w.machine, std::shared_ptr<const Launch>(both), true), nullptr);
  const auto again = std::make_shared<const FrozenLaunch>(w.machine, w.launch_of(kernel));
  EXPECT_EQ(&again->view().shape(), &both->view().shape()) << "what was known with both devices holds again";
}

TEST(PendingBuilds, SoAreTheyWhenOneFails) {
  World w("equal");
  w.refusing = {1};
  const auto kernel = w.kernel_on({0});
  const auto frozen = std::make_shared<const FrozenLaunch>(w.machine, w.launch_of(kernel));
  EXPECT_EQ(frozen->view().shape().eligible().pending, std::vector<std::uint32_t>{1});
  kernel->builds().run(1);
  EXPECT_EQ(w.run(kernel), CL_COMPLETE);
  const auto anew = std::make_shared<const FrozenLaunch>(w.machine, w.launch_of(kernel));
  EXPECT_TRUE(anew->view().shape().eligible().pending.empty());
  EXPECT_EQ(anew->view().shape().eligible().why_not[1], "the program is not built for it");
}

TEST(PendingBuilds, WhereNothingIsBuiltTheLaunchBuildsOnTheAnchor) {
  World w;
  const auto kernel = w.kernel_on({});
  EXPECT_EQ(w.run(kernel), CL_COMPLETE);
  EXPECT_TRUE(kernel->built_on(0));
  EXPECT_TRUE(kernel->builds().open(1));
  w.expect(1);
}

TEST(PendingBuilds, AndOnTheNextWhereTheAnchorFails) {
  World w;
  w.refusing = {0};
  const auto kernel = w.kernel_on({});
  EXPECT_EQ(w.run(kernel), CL_COMPLETE);
  EXPECT_TRUE(kernel->built_on(1));
  w.expect(1);
}

TEST(PendingBuilds, ALaunchThatNoBuiltDeviceTakesWaitsForOneThatDoes) {
  World w;
  w.fakes[0]->answers[CL_DEVICE_MAX_MEM_ALLOC_SIZE] = 16;
  const auto kernel = w.kernel_on({0});
  EXPECT_EQ(w.run(kernel), CL_COMPLETE);
  EXPECT_EQ(w.runs(), (std::vector<std::uint64_t>{0, 1}));
  w.expect(1);
}

TEST(PendingBuilds, OneThatNoDeviceCanTakeBuildsNothing) {
  World w;
  for (const auto& fake : w.fakes) fake->answers[CL_DEVICE_MAX_MEM_ALLOC_SIZE] = 16;
  const auto kernel = w.kernel_on({0});
  EXPECT_FALSE(make_launch(w.machine, w.launch_of(kernel)));
  EXPECT_TRUE(kernel->builds().open(1));
}

TEST(PendingBuilds, AnAnchorThatAnswersForItselfIsBuiltFirst) {
  World w;
  for (const auto& fake : w.fakes) fake->answers[CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE] = 16;
  auto traits = axpy_traits();
  traits.parameters[1].kind = domain::ParameterKind::constant_pointer;
  const auto kernel = w.kernel_on({1}, std::move(traits));
  EXPECT_EQ(w.run(kernel), CL_COMPLETE);
  EXPECT_EQ(w.runs(), (std::vector<std::uint64_t>{1, 0}));
}

TEST(PendingBuilds, AKernelWithStateWaitsForItsHomeAndStaysThere) {
  World w;
  auto traits = axpy_traits();
  traits.facts |= domain::kFactMutableProgramScope;
  const auto kernel = w.kernel_on({1}, std::move(traits));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(w.run(kernel), CL_COMPLETE);
  EXPECT_EQ(w.runs(), (std::vector<std::uint64_t>{3, 0}));
}

TEST(PendingBuilds, WhereTheAnchorFailsTheStateLivesOnTheNextFromTheFirstLaunchOn) {
  World w;
  w.refusing = {0};
  auto traits = axpy_traits();
  traits.facts |= domain::kFactMutableProgramScope;
  const auto kernel = w.kernel_on({}, std::move(traits));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(w.run(kernel), CL_COMPLETE);
  EXPECT_EQ(w.runs(), (std::vector<std::uint64_t>{0, 3}));
}

TEST(PendingBuilds, GroupsThatWaitForEachOtherWaitForAGpu) {
  World w("auto", 3);
  for (const std::size_t gpu : {1u, 2u}) w.fakes[gpu]->set_kind(DeviceKind::gpu);
  auto traits = axpy_traits();
  traits.facts |= domain::kFactSpinning;
  w.refusing = {1};
  const auto kernel = w.kernel_on({0}, std::move(traits));
  EXPECT_EQ(w.run(kernel), CL_COMPLETE);
  EXPECT_EQ(w.runs(), (std::vector<std::uint64_t>{0, 0, 1}));
}

TEST(PendingBuilds, OrForTheAnchorWhereThereIsNone) {
  World w("auto", 3);
  auto traits = axpy_traits();
  traits.facts |= domain::kFactSpinning;
  const auto kernel = w.kernel_on({2}, std::move(traits));
  EXPECT_EQ(w.run(kernel), CL_COMPLETE);
  EXPECT_EQ(w.runs(), (std::vector<std::uint64_t>{1, 0, 0}));
  EXPECT_TRUE(kernel->builds().open(1));
}

TEST(PendingBuilds, WhatFailsOnTheOnlyDeviceThatIsBuiltRunsOnOneThatIsBuiltForIt) {
  World w("single");
  w.fakes[0]->fail_runs = 1;
  const auto kernel = w.kernel_on({0});
  EXPECT_EQ(w.run(kernel), CL_COMPLETE);
  EXPECT_TRUE(kernel->built_on(1));
  w.expect(1);
}

}  // namespace
}  // namespace skmd::icd::test

// SPDX-License-Identifier: Apache-2.0
// Launches that give way while they run: after any stop, and wherever the rest goes on, each group has run once and
// every byte is as if nothing had been stopped.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "intercept/launch/make_launch.h"
#include "intercept/machine/running_launches.h"
#include "intercept/object/kernel.h"
#include "tests/intercept/launch/fixture.h"
#include "tests/intercept/launch/words.h"

namespace skmd::icd::test {
namespace {

struct World : FakeMachine {
  explicit World(const std::vector<bool>& discrete, const std::string& policy = "auto", StopForm form = StopForm::cut)
      : FakeMachine(discrete, policy), x(filled(ramp(0))), y(filled(ramp(5000))) {
    machine.settings.preempt.mode = PreemptMode::automatic;
    for (const auto& fake : fakes) {
      fake->set_stops(form);
      fake->answers[CL_DEVICE_MAX_COMPUTE_UNITS] = 1;
    }
  }
  /// Every piece is followed by a stop.
  void stop_always(PreemptTest::Then then, std::uint32_t device = 0) {
    machine.settings.preempt.test = PreemptTest{1, 1, then, device};
  }
  cl_int axpy() { return launch(add, line(kItems, 64), {whole(y), whole(x), value_of(2u)})->wait(); }
  cl_int sums() { return launch(stencil, line(kItems, 64), {whole(y), whole(x), value_of(kItems)})->wait(); }
  cl_int scatter() { return launch(kernel(scatter_traits()), line(kItems, 64), {whole(y), whole(x)})->wait(); }
  cl_int odd() { return launch(kernel(odd_traits()), line(kItems, 64), {whole(y), whole(x)})->wait(); }
  [[nodiscard]] std::uint64_t groups() const {
    std::uint64_t groups = 0;
    for (const auto& fake : fakes) groups += fake->counters.groups;
    return groups;
  }
  [[nodiscard]] std::uint64_t runs() const {
    std::uint64_t runs = 0;
    for (const auto& fake : fakes) runs += fake->counters.runs;
    return runs;
  }
  Ref<Queue> made_queue(cl_command_queue_properties properties) {
    return make_object<Queue>(context, properties, std::vector<cl_queue_properties>{}, executor);
  }
  std::shared_ptr<Storage> x, y;
  Ref<Queue> second = made_queue(0);  // whose launches could come between
  std::shared_ptr<BuiltKernel> add = kernel(axpy_traits()), stencil = kernel(stencil_traits());
};

Words odd_of(Words y, const Words& x) {
  for (std::size_t i = 1; i < kItems; i += 2) y[i] = x[i] + 1;
  return y;
}

// Without, its end would be taken from the piece that follows it.
TEST(Preemption, ALaunchBesideALongOneHasAnEndOfItsOwn) {
  World w({true}, "single:0");
  const std::atomic<std::uint64_t>& quiet = w.fakes[0]->counters.quiet_batches;
  const auto launches = [&w] {  // whose events the application has not; most are not timed
    for (int i = 0; i < 40; ++i) {
      auto command = make_launch(w.machine, {w.add, line(kItems, 64), {whole(w.y), whole(w.x), value_of(2u)}}, false);
      ASSERT_TRUE(command.ok());
      EXPECT_EQ(w.queue->enqueue(CL_COMMAND_NDRANGE_KERNEL, *command, {})->wait(), CL_SUCCESS);
    }
  };
  launches();
  EXPECT_GT(quiet, 0u);
  const std::uint64_t before = quiet;
  w.machine.long_slices[0] = 1;
  launches();
  EXPECT_EQ(quiet, before);
}

TEST(Preemption, ALaunchThatIsKnownToBeLongIsCut) {
  World w({true});
  w.fakes[0]->ns_per_group = 1'000'000;  // 16 ms in all, where 10 are allowed
  EXPECT_EQ(w.axpy(), CL_COMPLETE);
  EXPECT_EQ(w.axpy(), CL_COMPLETE);  // the first one's time did not count: a driver may have compiled
  const std::uint64_t before = w.runs();
  EXPECT_EQ(w.axpy(), CL_COMPLETE);
  EXPECT_EQ(w.runs() - before, 4u) << "pieces of 4 groups: none is to take more than 5 ms";
  EXPECT_EQ(w.groups(), 3 * kGroups);
  EXPECT_EQ(w.contents(w.y), axpy_of(axpy_of(axpy_of(ramp(5000), ramp(0)), ramp(0)), ramp(0)));
}

TEST(Preemption, ALaunchThatNothingCanComeBetweenIsNotCut) {
  World w({true});
  w.fakes[0]->ns_per_group = 1'000'000;
  const auto runs_of_one = [&] {
    const std::uint64_t before = w.runs();
    EXPECT_EQ(w.axpy(), CL_COMPLETE);
    return w.runs() - before;
  };
  for (int i = 0; i < 2; ++i) (void)runs_of_one();
  w.second = {};
  EXPECT_EQ(runs_of_one(), 1u);
  {
    const auto unordered = w.made_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    EXPECT_EQ(runs_of_one(), 4u);
  }
  EXPECT_EQ(runs_of_one(), 1u);
  RunningLaunches running(w.machine);
  w.machine.running = &running;
  EXPECT_EQ(runs_of_one(), 4u) << "skmd-ctl may ask it to leave";
  w.machine.running = nullptr;
  w.machine.settings.preempt.mode = PreemptMode::cut;
  EXPECT_EQ(runs_of_one(), 4u);
}

// A device takes about as long for one group as for as many as it has room for.
TEST(Preemption, StopsOfTestsLeaveALaunchInFewPieces) {
  // A unit of a processor has room for one group, that of a GPU for all 128.
  for (const auto& [kind, pieces] : {std::pair{DeviceKind::cpu, 128u}, {DeviceKind::gpu, 16u}}) {
    World w({true});
    w.fakes[0]->set_kind(kind);
    w.fakes[0]->ns_per_group = 1'000'000'000;
    w.stop_always(PreemptTest::Then::stay);
    EXPECT_EQ(w.launch(w.add, line(kItems, 8), {whole(w.y), whole(w.x), value_of(2u)})->wait(), CL_COMPLETE);
    EXPECT_EQ(w.runs(), pieces);
  }
}

TEST(Preemption, ASliceOfASplitLaunchIsCutWithoutAnotherQueue) {
  World w({true, true}, "equal");
  w.second = {};
  for (const auto& fake : w.fakes) fake->ns_per_group = 2'000'000;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(w.axpy(), CL_COMPLETE);
  const std::uint64_t before = w.runs();
  EXPECT_EQ(w.axpy(), CL_COMPLETE);
  EXPECT_GT(w.runs() - before, 2u);
}

// Each group takes longer than a device is to be held.
TEST(Preemption, ASliceIsLeftInsideOnlyIfSomethingMayWantIt) {
  World w({true, true}, "equal");
  w.second = {};
  for (const auto& fake : w.fakes) {
    fake->set_stops_inside();
    fake->ns_per_group = 20'000'000;
  }
  const auto inside = [&w] {
    EXPECT_EQ(w.axpy(), CL_COMPLETE);
    return w.fakes[0]->counters.runs_inside.exchange(0) != 0;
  };
  for (int i = 0; i < 2; ++i) (void)inside();
  EXPECT_FALSE(inside()) << "it is alone, and takes as long as before";
  w.second = w.made_queue(0);
  EXPECT_TRUE(inside()) << "another queue's launch could come";
  w.second = {};
  EXPECT_FALSE(inside());
  w.machine.settings.preempt.mode = PreemptMode::item;
  EXPECT_TRUE(inside());
}

TEST(Preemption, AShortLaunchIsOneBatchAsEver) {
  World w({true});
  w.fakes[0]->ns_per_group = 1000;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(w.axpy(), CL_COMPLETE);
  const std::uint64_t before = w.runs();
  const std::uint64_t batches = w.fakes[0]->counters.batches;
  EXPECT_EQ(w.axpy(), CL_COMPLETE);
  EXPECT_EQ(w.runs() - before, 1u);
  EXPECT_EQ(w.fakes[0]->counters.batches - batches, 1u);
}

TEST(Preemption, OffLeavesLongLaunchesWhole) {
  World w({true});
  w.machine.settings.preempt.mode = PreemptMode::off;
  w.fakes[0]->ns_per_group = 1'000'000;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(w.axpy(), CL_COMPLETE);
  EXPECT_EQ(w.runs(), 4u);
}

TEST(Preemption, GroupsThatWaitForEachOtherAreNeverTakenApart) {
  World w({true});
  w.stop_always(PreemptTest::Then::stay);
  domain::KernelTraits traits = axpy_traits();
  traits.facts |= domain::kFactSpinning;
  EXPECT_EQ(w.launch(w.kernel(traits), line(kItems, 64), {whole(w.y), whole(w.x), value_of(2u)})->wait(), CL_COMPLETE);
  EXPECT_EQ(w.runs(), 1u);
}

TEST(Preemption, AnotherQueuesLaunchComesBetweenThePieces) {
  World w({true}, "single:0");
  FakeDevice& device = *w.fakes[0];
  device.ns_per_group = 1'000'000;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(w.axpy(), CL_COMPLETE);
  // The small launch is submitted while the long one's first piece runs, and has ended before the long one's last.
  auto small = w.filled(ramp(1));
  const Ref<Queue> other =
      make_object<Queue>(w.context, cl_command_queue_properties{0}, std::vector<cl_queue_properties>{}, w.executor);
  const std::uint64_t before = device.counters.groups;
  Ref<Event> event;
  bool ended_between = false;
  device.on_group = [&] {
    const std::uint64_t groups = device.counters.groups - before;
    if (groups == 1 && !event) {
      auto command = make_launch(w.machine, {w.add, line(64, 64), {whole(small), whole(w.x), value_of(2u)}});
      ASSERT_TRUE(command.ok());
      event = other->enqueue(CL_COMMAND_NDRANGE_KERNEL, *command, {});
    }
    // Another thread tells that it has ended.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (groups == kGroups && event && !ended_between && std::chrono::steady_clock::now() < deadline)
      ended_between = event->status() == CL_COMPLETE;
  };
  EXPECT_EQ(w.axpy(), CL_COMPLETE);
  ASSERT_NE(event.get(), nullptr);
  EXPECT_EQ(event->wait(), CL_COMPLETE);
  device.on_group = nullptr;
  EXPECT_TRUE(ended_between);
  EXPECT_EQ(device.counters.groups - before, kGroups + 1);
}

/// Devices, of which each has a memory of its own or uses the host's, and what becomes of stopped slices.
TEST(Preemption, NoByteDependsOnStops) {
  const std::vector<std::vector<bool>> machines = {{true}, {false}, {true, true}, {false, true}, {true, false, true}};
  for (const std::vector<bool>& discrete : machines)
    for (const char* policy : {"equal", "auto", "single:0"})
      for (const StopForm form : {StopForm::cut, StopForm::group})
        for (const auto then : {PreemptTest::Then::stay, PreemptTest::Then::other, PreemptTest::Then::device}) {
          World w(discrete, policy, form);
          w.stop_always(then, static_cast<std::uint32_t>(discrete.size() - 1));
          const std::string what = std::string(policy) + " on " + std::to_string(discrete.size()) + " devices";
          EXPECT_EQ(w.axpy(), CL_COMPLETE);
          EXPECT_EQ(w.contents(w.y), axpy_of(ramp(5000), ramp(0))) << what;
          EXPECT_EQ(w.axpy(), CL_COMPLETE);
          EXPECT_EQ(w.contents(w.y), axpy_of(axpy_of(ramp(5000), ramp(0)), ramp(0))) << what;
          EXPECT_EQ(w.groups(), 2 * kGroups) << "each group once";
          EXPECT_EQ(w.odd(), CL_COMPLETE);
          EXPECT_EQ(w.contents(w.y), odd_of(axpy_of(axpy_of(ramp(5000), ramp(0)), ramp(0)), ramp(0))) << what;
          EXPECT_EQ(w.scatter(), CL_COMPLETE);
          EXPECT_EQ(w.contents(w.y), ramp(1)) << what;
          EXPECT_EQ(w.sums(), CL_COMPLETE);
          EXPECT_EQ(w.contents(w.y), sums_of(ramp(0))) << what;
        }
}

TEST(Preemption, TheRestOfAStoppedLaunchRunsOnAnotherDevice) {
  for (const StopForm form : {StopForm::cut, StopForm::group}) {
    World w({true, true}, "single:0", form);
    w.stop_always(PreemptTest::Then::device, 1);
    EXPECT_EQ(w.axpy(), CL_COMPLETE);
    EXPECT_GT(w.fakes[0]->counters.groups, 0u);
    EXPECT_GT(w.fakes[1]->counters.groups, 0u);
    EXPECT_EQ(w.groups(), kGroups);
    EXPECT_EQ(w.contents(w.y), axpy_of(ramp(5000), ramp(0)));
  }
}

TEST(Preemption, AKernelWhoseResultsCannotBeMergedMoves) {
  World w({true, true}, "auto");
  w.stop_always(PreemptTest::Then::other);
  domain::KernelTraits traits = scatter_traits();
  traits.facts |= domain::kFactAtomicResultUsed;
  EXPECT_EQ(w.launch(w.kernel(traits), line(kItems, 64), {whole(w.y), whole(w.x)})->wait(), CL_COMPLETE);
  EXPECT_GT(w.fakes[0]->counters.groups, 0u);
  EXPECT_GT(w.fakes[1]->counters.groups, 0u);
  EXPECT_EQ(w.contents(w.y), ramp(1));
}

TEST(Preemption, WhatIsBoundToItsDeviceStaysThere) {
  for (const auto fact :
       {domain::kFactPointerInMemory, domain::kFactDeviceSpecificCode, domain::kFactMutableProgramScope}) {
    World w({true, true}, "auto");
    w.stop_always(PreemptTest::Then::other);
    domain::KernelTraits traits = axpy_traits();
    traits.facts |= fact;
    EXPECT_EQ(w.launch(w.kernel(traits), line(kItems, 64), {whole(w.y), whole(w.x), value_of(2u)})->wait(),
              CL_COMPLETE);
    EXPECT_TRUE(w.fakes[0]->counters.groups == 0 || w.fakes[1]->counters.groups == 0);
    EXPECT_GT(w.runs(), 1u) << "it is cut all the same";
    EXPECT_EQ(w.contents(w.y), axpy_of(ramp(5000), ramp(0)));
  }
}

TEST(Preemption, APieceThatFailsIsRescuedWithTheWholeSlice) {
  for (const int after : {0, 1, 2}) {
    World w({true, true}, "single:0");
    w.machine.settings.preempt.test = PreemptTest{1, 1'000'000'000'000, PreemptTest::Then::stay, 0};
    w.machine.settings.preempt.seconds = 1e-4;
    w.fakes[0]->ns_per_group = 40'000;
    EXPECT_EQ(w.sums(), CL_COMPLETE);  // the pace is known from here on
    std::atomic<int> batches{0};
    w.fakes[0]->on_execute = [&] {
      if (batches++ == after) w.fakes[0]->fail_runs = 1;
    };
    EXPECT_EQ(w.sums(), CL_COMPLETE);
    EXPECT_EQ(w.contents(w.y), sums_of(ramp(0))) << after;
    EXPECT_GT(w.fakes[1]->counters.groups, 0u);
    EXPECT_TRUE(w.fakes[0]->health()->aside());
  }
}

/// Every launch is stopped in the middle of a group.
struct StoppedInside : World {
  explicit StoppedInside(PreemptTest::Then then, const std::string& policy = "equal")
      : World({true, true}, policy, StopForm::group) {
    machine.settings.preempt.mode = PreemptMode::item;
    for (const auto& fake : fakes) fake->set_stops_inside();
    stop_always(then);
  }
};

TEST(Preemption, GroupsThatWereStoppedInsideGoOnWhereverTheyAreSent) {
  for (const auto then : {PreemptTest::Then::stay, PreemptTest::Then::other}) {
    StoppedInside w(then);
    EXPECT_EQ(w.axpy(), CL_COMPLETE);
    EXPECT_EQ(w.contents(w.y), axpy_of(ramp(5000), ramp(0)));
    EXPECT_EQ(w.groups(), kGroups);
  }
}

// They have overwritten what they read: a rescue that began them anew would be wrong.
TEST(Preemption, GroupsThatWereStoppedInsideGoOnBehindTheRescueOfAnotherSlice) {
  for (const Fault fault : {Fault::device, Fault::resources}) {
    StoppedInside w(PreemptTest::Then::stay);
    w.fakes[1]->run_fault = fault;
    w.fakes[1]->fail_runs = 1;
    EXPECT_EQ(w.axpy(), CL_COMPLETE);
    EXPECT_EQ(w.contents(w.y), axpy_of(ramp(5000), ramp(0)));
    EXPECT_EQ(w.groups(), kGroups);
  }
}

// An upload fails before the launch: saved states and buffers are unchanged, and the groups resume on their device.
TEST(Preemption, GroupsThatWereStoppedInsideGoOnWhereTheyWereIfTheirUploadsFail) {
  StoppedInside w(PreemptTest::Then::other, "single:0");
  w.fakes[1]->fail_writes = 1;
  EXPECT_EQ(w.axpy(), CL_COMPLETE);
  EXPECT_EQ(w.contents(w.y), axpy_of(ramp(5000), ramp(0)));
  EXPECT_EQ(w.groups(), kGroups);
  EXPECT_EQ(w.fakes[1]->fail_writes, 0);
}

// The launch ends with an error: a device may remove saved states before it refuses, and inputs are overwritten.
TEST(Preemption, GroupsOfALaunchThatIsRefusedEndTheLaunch) {
  StoppedInside w(PreemptTest::Then::other, "single:0");
  w.fakes[1]->refuse_runs = 1;
  EXPECT_LT(w.axpy(), 0);
  EXPECT_LT(w.groups(), kGroups);
}

// The upload to one device fails, and the other one refuses the launch.
TEST(Preemption, GroupsThatNoDeviceGoesOnWithEndTheLaunch) {
  StoppedInside w(PreemptTest::Then::other, "single:0");
  w.fakes[1]->fail_writes = 1;
  w.fakes[1]->on_execute = [&w] { w.fakes[0]->refuse_runs = 100; };  // when they come to it
  EXPECT_LT(w.axpy(), 0);
  EXPECT_LT(w.groups(), kGroups);
}

// As above, of a device that failed while it ran them.
TEST(Preemption, GroupsThatFailedAfterTheyWentOnEndTheLaunch) {
  StoppedInside w(PreemptTest::Then::other, "single:0");
  w.fakes[1]->fail_runs = 1;
  EXPECT_LT(w.axpy(), 0);
}

TEST(Preemption, NoPieceRunsWithoutItsUploads) {
  World w({true, true}, "single:0");
  w.machine.settings.preempt.test = PreemptTest{1, 1'000'000'000'000, PreemptTest::Then::stay, 0};
  w.fakes[0]->fail_writes = 1;
  EXPECT_EQ(w.axpy(), CL_COMPLETE);
  EXPECT_EQ(w.fakes[0]->counters.groups, 0u);
  EXPECT_EQ(w.fakes[1]->counters.groups, kGroups);
  EXPECT_EQ(w.contents(w.y), axpy_of(ramp(5000), ramp(0)));
}

TEST(Preemption, ADeviceThatFailsWithTheRestIsRescued) {
  World w({true, true, true}, "single:0");
  w.stop_always(PreemptTest::Then::device, 1);
  w.fakes[1]->fail_runs = 1;
  EXPECT_EQ(w.sums(), CL_COMPLETE);
  EXPECT_EQ(w.contents(w.y), sums_of(ramp(0)));
  EXPECT_TRUE(w.fakes[1]->health()->aside());
}

}  // namespace
}  // namespace skmd::icd::test

// SPDX-License-Identifier: Apache-2.0
// Launches whose devices fail in the middle: what can be rescued is, what cannot ends with an error, and the
// application goes on with the devices that are left.
#include <CL/cl_ext.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "intercept/launch/conductor.h"
#include "intercept/launch/make_launch.h"
#include "intercept/memory/range_lock.h"
#include "intercept/object/kernel.h"
#include "tests/intercept/launch/fixture.h"
#include "tests/intercept/launch/words.h"

namespace skmd::icd::test {
namespace {

struct World : FakeMachine {
  explicit World(const std::vector<bool>& discrete, const std::string& policy = "equal")
      : FakeMachine(discrete, policy), x(filled(ramp(0))), y(filled(ramp(5000))) {}
  bool readable(const std::shared_ptr<Storage>& storage) {
    const domain::RangeSet all(domain::ByteRange{0, storage->bytes()});
    const RangeLock lock = RangeLock::take({claim_on(storage, all, false)});
    return storage->gather(all, "test").ok();
  }
  Ref<Event> axpy(const std::shared_ptr<Storage>& to, const std::shared_ptr<Storage>& from) {
    return launch(add, line(kItems, 64), {whole(to), whole(from), value_of(2u)});
  }
  Ref<Event> sums(const std::shared_ptr<Storage>& to, const std::shared_ptr<Storage>& from) {
    return launch(stencil, line(kItems, 64), {whole(to), whole(from), value_of(kItems)});
  }
  /// The first device, paused so far, goes on until a batch has failed and its end is known.
  void pause_when_told() {
    fakes[0]->on_failure = [this] { fakes[0]->pause(); };
    fakes[0]->resume();
    while (fakes[0]->health()->failures() == 0) std::this_thread::yield();
    fakes[0]->on_failure = nullptr;
  }
  [[nodiscard]] bool aside(std::size_t device) const { return fakes[device]->health()->aside(); }
  std::shared_ptr<Storage> x, y;
  std::shared_ptr<BuiltKernel> add = kernel(axpy_traits()), stencil = kernel(stencil_traits());
};

TEST(Rescue, ASliceThatFailedRunsOnAnotherDeviceAndItsDeviceIsSetAside) {
  for (const std::vector<bool>& discrete : {std::vector{true, true}, {false, true}, {true, false}, {true, true, true}})
    for (std::size_t failing = 0; failing < discrete.size(); ++failing) {
      World w(discrete);
      w.fakes[failing]->fail_runs = 1;
      w.fakes[failing]->fail_late = true;
      EXPECT_EQ(w.sums(w.y, w.x)->wait(), CL_COMPLETE);
      EXPECT_EQ(w.contents(w.y), sums_of(ramp(0))) << failing;
      EXPECT_TRUE(w.aside(failing));
      const std::uint64_t before = w.fakes[failing]->counters.batches;
      EXPECT_EQ(w.axpy(w.y, w.x)->wait(), CL_COMPLETE);
      EXPECT_EQ(w.contents(w.y), axpy_of(sums_of(ramp(0)), ramp(0)));
      EXPECT_EQ(w.fakes[failing]->counters.batches, before) << "nothing more is asked of it";
    }
}

TEST(Rescue, OnlyTheGroupsWithoutResultsRunAgain) {
  World w({true, true});
  w.fakes[1]->fail_runs = 1;
  EXPECT_EQ(w.axpy(w.y, w.x)->wait(), CL_COMPLETE);
  EXPECT_EQ(w.contents(w.y), axpy_of(ramp(5000), ramp(0)));
  EXPECT_EQ(w.fakes[0]->counters.groups, kGroups);
}

TEST(Rescue, AMergeByDifferenceJoinsWhatCompletedAndThenTheRest) {
  for (const std::size_t failing : {0, 1})
    for (const std::vector<bool>& discrete : {std::vector{false, true}, {true, true}, {false, false, true}}) {
      World w(discrete);
      w.fakes[failing]->fail_runs = 1;
      w.fakes[failing]->fail_late = true;
      EXPECT_EQ(w.launch(w.kernel(scatter_traits()), line(kItems, 64), {whole(w.y), whole(w.x)})->wait(), CL_COMPLETE);
      EXPECT_EQ(w.contents(w.y), ramp(1)) << failing;
    }
}

TEST(Rescue, AWholeLaunchThatFailedAfterSubmissionRunsElsewhere) {
  for (const bool late : {false, true}) {
    World w({true, true}, "single:0");
    w.fakes[0]->fail_runs = 1;
    w.fakes[0]->fail_late = late;
    EXPECT_EQ(w.axpy(w.y, w.x)->wait(), CL_COMPLETE) << "the host still has what y was before";
    EXPECT_EQ(w.contents(w.y), axpy_of(ramp(5000), ramp(0)));
    EXPECT_EQ(w.fakes[1]->counters.groups, kGroups);
  }
}

// A kernel's trap would come again on any device (SKMD_CHECK=stop).
TEST(Rescue, ALaunchThatATrapEndedRunsNowhereAgain) {
  for (const std::string policy : {"single:0", "equal"}) {
    World w({true, true}, policy);
    w.fakes[0]->fail_runs = 1;
    w.fakes[0]->run_fault = Fault::command;
    w.fakes[0]->run_code = CL_COMMAND_TERMINATED_ITSELF_WITH_FAILURE_ARM;
    EXPECT_EQ(w.axpy(w.y, w.x)->wait(), CL_COMMAND_TERMINATED_ITSELF_WITH_FAILURE_ARM) << policy;
    EXPECT_EQ(w.fakes[1]->counters.groups, policy == "equal" ? kGroups / 2 : 0u);
    EXPECT_FALSE(w.aside(0));
  }
}

TEST(Rescue, LaunchesBehindAFailedOneRunAgainAfterIt) {
  World w({true, true}, "single:0");
  const auto z = w.filled(ramp(7));
  w.fakes[0]->pause();
  w.fakes[0]->fail_runs = 1;
  const auto first = w.sums(w.y, w.x);
  const auto second = w.axpy(z, w.y);  // behind it, from its results
  const auto third = w.sums(w.y, z);   // overwrites them
  w.fakes[0]->resume();
  EXPECT_EQ(first->wait(), CL_COMPLETE);
  EXPECT_EQ(second->wait(), CL_COMPLETE);
  EXPECT_EQ(third->wait(), CL_COMPLETE);
  const Words sum = axpy_of(ramp(7), sums_of(ramp(0)));
  EXPECT_EQ(w.contents(z), sum);
  EXPECT_EQ(w.contents(w.y), sums_of(sum));
}

TEST(Rescue, ALaunchSubmittedWhileAFailureIsBeingToldRunsAgainAfterIt) {
  World w({true, true}, "single:0");
  const auto z = w.filled(ramp(7));
  Ref<Event> second;
  w.fakes[0]->on_failure = [&] { second = w.axpy(z, w.y); };  // from the results that there will not be
  w.fakes[0]->refuse_runs = 1;
  const auto first = w.sums(w.y, w.x);
  EXPECT_EQ(first->wait(), CL_COMPLETE);
  EXPECT_EQ(second->wait(), CL_COMPLETE);
  EXPECT_EQ(w.contents(w.y), sums_of(ramp(0)));
  EXPECT_EQ(w.contents(z), axpy_of(ramp(7), sums_of(ramp(0))));
}

TEST(Rescue, ALaunchBehindOneThatCountedOnAFailedOneRunsAgainAsWell) {
  World w({true, true}, "single:0");
  const auto z = w.filled(ramp(7)), v = w.filled(ramp(9));
  w.fakes[0]->pause();
  w.fakes[0]->refuse_runs = 1;
  const auto first = w.sums(w.y, w.x);
  const auto second = w.axpy(z, w.y);
  w.pause_when_told();
  const auto third = w.axpy(v, z);  // the first has failed, the second's outcome is not known
  EXPECT_EQ(third->chained_on(), w.fakes[0].get());
  w.fakes[0]->resume();
  for (const auto& launch : {first, second, third}) EXPECT_EQ(launch->wait(), CL_COMPLETE);
  const Words sum = axpy_of(ramp(7), sums_of(ramp(0)));
  EXPECT_EQ(w.contents(z), sum);
  EXPECT_EQ(w.contents(v), axpy_of(ramp(9), sum));
}

TEST(Rescue, WhatSuchALaunchOverwroteIsTakenBackBeforeWhatItCountedOn) {
  World w({true, true}, "single:0");
  const auto z = w.filled(ramp(7));
  w.fakes[0]->pause();
  w.fakes[0]->refuse_runs = 1;
  const auto first = w.sums(w.y, w.x);
  const auto second = w.axpy(z, w.y);
  std::atomic<int> submissions{0};
  w.fakes[0]->on_submit = [&] { ++submissions; };
  w.pause_when_told();
  while (submissions == 0) std::this_thread::yield();  // the batch that tells when everything before it has ended
  const auto third = w.axpy(z, w.x);                   // adds to what the second made
  // The third does not run before something else is asked of the device: that batch was not the last word.
  w.fakes[0]->on_execute = [&, executed = 0]() mutable {
    if (++executed == 2)
      while (submissions == 2) std::this_thread::yield();
  };
  w.fakes[0]->resume();
  for (const auto& launch : {first, second, third}) EXPECT_EQ(launch->wait(), CL_COMPLETE) << "z was in host memory";
  EXPECT_EQ(w.contents(z), axpy_of(axpy_of(ramp(7), sums_of(ramp(0))), ramp(0)));
  w.queue->finish();
}

TEST(Rescue, ALaunchThatCountedOnUploadsOfAFailedOneRunsAgain) {
  World w({true, true}, "single:0");
  const auto z = w.storage(kItems * 4);
  const auto other = make_object<Queue>(w.context, cl_command_queue_properties{0}, std::vector<cl_queue_properties>{},
                                        *w.machine.executor);
  w.fakes[0]->pause();
  w.fakes[0]->fail_writes = 1;
  const auto first = w.sums(w.y, w.x);  // sends x, in vain
  auto command = make_launch(w.machine, {w.stencil, line(kItems, 64), {whole(z), whole(w.x), value_of(kItems)}});
  const auto second = other->enqueue(CL_COMMAND_NDRANGE_KERNEL, *command, {});
  w.fakes[0]->resume();
  EXPECT_EQ(first->wait(), CL_COMPLETE);
  EXPECT_EQ(second->wait(), CL_COMPLETE);
  EXPECT_EQ(w.contents(w.y), sums_of(ramp(0)));
  EXPECT_EQ(w.contents(z), sums_of(ramp(0)));
}

TEST(Rescue, WhatALaterLaunchOverwroteIsThereForTheFailedOne) {
  World w({true, true}, "single:0");
  const auto z = w.filled(ramp(7));
  w.fakes[0]->pause();
  w.fakes[0]->fail_writes = 1;
  const auto first = w.sums(w.y, w.x);  // sends x, in vain
  const auto second = w.axpy(w.x, z);   // adds to what the first reads, twice
  const auto third = w.axpy(w.x, z);
  w.fakes[0]->resume();
  EXPECT_EQ(first->wait(), CL_COMPLETE);
  EXPECT_EQ(second->wait(), CL_COMPLETE);
  EXPECT_EQ(third->wait(), CL_COMPLETE);
  EXPECT_EQ(w.contents(w.y), sums_of(ramp(0)));
  EXPECT_EQ(w.contents(w.x), axpy_of(axpy_of(ramp(0), ramp(7)), ramp(7)));
}

TEST(Rescue, WhatALaterLaunchOverwroteForGoodIsNotTakenForAnInput) {
  World w({true, true}, "single:0");
  const auto z = w.filled(ramp(7));
  EXPECT_EQ(w.axpy(w.x, z)->wait(), CL_COMPLETE);  // x is on the device only
  w.fakes[0]->pause();
  w.fakes[0]->refuse_runs = 1;  // the device stays
  const auto first = w.sums(w.y, w.x);
  const auto second = w.axpy(w.x, z);
  w.fakes[0]->resume();
  EXPECT_NE(first->wait(), CL_COMPLETE) << "its input is gone";
  EXPECT_NE(second->wait(), CL_COMPLETE);
}

TEST(Rescue, InputsThatTheFailedRunOverwroteAreGone) {
  World w({true, true}, "single:0");
  EXPECT_EQ(w.axpy(w.y, w.x)->wait(), CL_COMPLETE);  // y is on device 0 only
  w.fakes[0]->fail_runs = 1;
  EXPECT_EQ(w.axpy(w.y, w.x)->wait(), CL_OUT_OF_RESOURCES);
  EXPECT_TRUE(w.aside(0));
  EXPECT_FALSE(w.readable(w.y)) << "lost with the device";
  EXPECT_EQ(w.contents(w.x), ramp(0)) << "inputs that were not written are there";
  w.write(w.y, 0, ramp(9).data(), kItems * 4);
  EXPECT_EQ(w.axpy(w.y, w.x)->wait(), CL_COMPLETE) << "written again, good again";
  EXPECT_EQ(w.contents(w.y), axpy_of(ramp(9), ramp(0)));
}

TEST(Rescue, ALaunchThatWasNotAcceptedHasOverwrittenNothing) {
  for (const char* policy : {"single:0", "equal"}) {
    World w({true, true}, policy);
    EXPECT_EQ(w.axpy(w.y, w.x)->wait(), CL_COMPLETE);
    w.fakes[0]->refuse_runs = 1;
    EXPECT_EQ(w.axpy(w.y, w.x)->wait(), CL_COMPLETE) << policy;
    EXPECT_EQ(w.contents(w.y), axpy_of(axpy_of(ramp(5000), ramp(0)), ramp(0))) << policy;
    EXPECT_FALSE(w.aside(0)) << "once may be the kernel's fault";
  }
}

TEST(Rescue, ADeviceThatRefusesAgainAndAgainIsSetAside) {
  World w({true, true}, "single:0");
  w.fakes[0]->refuse_runs = 100;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(w.sums(w.y, w.x)->wait(), CL_COMPLETE);
  EXPECT_TRUE(w.aside(0));
  EXPECT_EQ(w.contents(w.y), sums_of(ramp(0)));
}

TEST(Rescue, TheLastDeviceStays) {
  World w({true}, "single");
  w.fakes[0]->fail_runs = 1;
  EXPECT_EQ(w.sums(w.y, w.x)->wait(), CL_OUT_OF_RESOURCES);
  EXPECT_FALSE(w.aside(0));
  EXPECT_EQ(w.sums(w.y, w.x)->wait(), CL_COMPLETE);
  EXPECT_EQ(w.contents(w.y), sums_of(ramp(0)));
}

TEST(Rescue, AKernelThatTakesEveryDeviceDownIsNotGivenToAllOfThem) {
  World w({true, true, true, true}, "single:0");
  for (const auto& fake : w.fakes) fake->fail_runs = 1;
  EXPECT_EQ(w.sums(w.y, w.x)->wait(), CL_OUT_OF_RESOURCES);
  EXPECT_TRUE(w.aside(0));
  EXPECT_TRUE(w.aside(1));
  EXPECT_FALSE(w.aside(2));
  EXPECT_FALSE(w.aside(3));
}

TEST(Rescue, ProgramScopeVariablesDoNotMove) {
  World w({true, true});
  auto traits = stencil_traits();
  traits.facts |= domain::kFactMutableProgramScope;
  const auto stays = w.kernel(std::move(traits));
  w.fakes[0]->fail_runs = 1;
  EXPECT_EQ(w.launch(stays, line(kItems, 64), {whole(w.y), whole(w.x), value_of(kItems)})->wait(), CL_OUT_OF_RESOURCES);
  const auto again = make_launch(w.machine, {stays, line(kItems, 64), {whole(w.y), whole(w.x), value_of(kItems)}});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, CL_OUT_OF_RESOURCES);
  EXPECT_NE(again.error().reason.find("program-scope"), std::string::npos) << again.error().reason;
  EXPECT_EQ(w.sums(w.y, w.x)->wait(), CL_COMPLETE) << "others go on";
}

TEST(Rescue, BytesThatALostDeviceSharesComeFromTheOther) {
  World w({true, true}, "single:0");
  EXPECT_EQ(w.sums(w.y, w.x)->wait(), CL_COMPLETE);
  EXPECT_EQ(w.contents(w.y), sums_of(ramp(0)));  // and now the host has it as well
  w.fakes[0]->fail_runs = 1;
  const auto z = w.storage(kItems * 4);
  EXPECT_EQ(w.axpy(z, w.y)->wait(), CL_COMPLETE);
  EXPECT_EQ(w.contents(w.y), sums_of(ramp(0)));
  EXPECT_EQ(w.contents(z), axpy_of(Words(kItems, 0), sums_of(ramp(0))));
}

TEST(Rescue, ADependantOfAFailureEndsWithItWhateverItDid) {
  World w({true}, "single");
  const auto z = w.filled(ramp(3));
  EXPECT_EQ(w.sums(w.y, w.x)->wait(), CL_COMPLETE);  // x is there
  w.fakes[0]->pause();
  w.fakes[0]->fail_runs = 1;
  const auto first = w.sums(w.y, w.x);
  const auto second = w.sums(z, w.x);
  w.fakes[0]->resume();
  EXPECT_EQ(first->wait(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(second->wait(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  // It had run already: its results are there, for every reader alike.
  EXPECT_EQ(w.contents(z), sums_of(ramp(0)));
  EXPECT_EQ(w.sums(w.y, z)->wait(), CL_COMPLETE);
  EXPECT_EQ(w.contents(w.y), sums_of(sums_of(ramp(0))));
}

TEST(Rescue, TheContextIsTold) {
  static std::atomic<int> told;
  told = 0;
  World w({true, true});
  w.context = make_object<Context>(
      w.machine, std::vector<cl_context_properties>{},
      +[](const char* text, const void*, std::size_t, void*) {
        told += std::string(text).find("the fake fails on request; 8 work-groups run on fake 0") != std::string::npos;
      },
      nullptr);
  w.queue =
      make_object<Queue>(w.context, cl_command_queue_properties{0}, std::vector<cl_queue_properties>{}, w.executor);
  w.fakes[1]->fail_runs = 1;
  w.fakes[1]->fail_late = true;
  EXPECT_EQ(w.sums(w.y, w.x)->wait(), CL_COMPLETE);
  std::atomic<bool> reached{false};
  w.executor.post_callback([&] { reached = true; });
  while (!reached) std::this_thread::yield();
  EXPECT_EQ(told, 1);
}

TEST(Rescue, GroupsThatHaveBegunAreNotRunAgainFromTheirBeginning) {
  Unfinished unfinished;
  leave_to_rescue({{{3, 5}, 0}}, unfinished);
  EXPECT_TRUE(unfinished.inputs_intact);
  leave_to_rescue({{{7, 9}, 1, std::make_shared<SavedGroups>(), {7, 8}}}, unfinished);
  EXPECT_TRUE(unfinished.inputs_intact);
  EXPECT_EQ(unfinished.spans.size(), 1u);
  ASSERT_EQ(unfinished.stopped.size(), 1u);
  EXPECT_EQ(unfinished.stopped[0].span.first, 7u);
}

}  // namespace
}  // namespace skmd::icd::test

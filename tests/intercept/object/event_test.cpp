// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <future>

#include "intercept/backend/port/host_clock.h"
#include "tests/intercept/object/graph_fixture.h"

namespace skmd::icd::test {
namespace {

using Events = Graph;
using Profiling = Graph;

TEST_F(Events, AUserEventStartsSubmittedAndIsSetOnce) {
  const auto event = user_event();
  EXPECT_EQ(event->status(), CL_SUBMITTED);
  EXPECT_TRUE(event->complete(-42));
  EXPECT_FALSE(event->complete(CL_COMPLETE));
  EXPECT_EQ(event->wait(), -42);
}

TEST_F(Events, ANegativeUserEventEndsItsDependantsWithMinus14) {
  auto in_order = queue();
  const auto gate = user_event();
  const auto waiting = enqueue(in_order, [] { return CL_COMPLETE; }, {gate});
  gate->complete(-5);
  EXPECT_EQ(waiting->wait(), kDependencyFailed);
  // A dependency that failed earlier still counts.
  EXPECT_EQ(enqueue(in_order, [] { return CL_COMPLETE; }, {gate})->wait(), kDependencyFailed);
}

TEST_F(Events, ADroppedUserEventStillReleasesItsDependants) {
  auto in_order = queue();
  auto gate = user_event();
  const auto waiting = enqueue(in_order, [] { return CL_COMPLETE; }, {gate});
  Event* raw = gate.get();
  gate = nullptr;  // what a release before the set amounts to: the command still holds it
  raw->complete(CL_COMPLETE);
  EXPECT_EQ(waiting->wait(), CL_COMPLETE);
}

TEST_F(Events, SettingAUserEventRunsNothingOnTheCallersThread) {
  const auto event = user_event();
  const auto where = std::make_shared<std::promise<std::thread::id>>();
  ASSERT_TRUE(event->when_ended([where](cl_int) { where->set_value(std::this_thread::get_id()); }));
  event->complete(CL_COMPLETE);
  EXPECT_NE(where->get_future().get(), std::this_thread::get_id());
}

TEST_F(Events, TheStatusNeverGoesBackwards) {
  auto in_order = queue();
  const auto gate = user_event();
  const auto event = enqueue(in_order, [] { return CL_COMPLETE; }, {gate});
  event->advance(CL_RUNNING);
  event->advance(CL_SUBMITTED);
  EXPECT_EQ(event->status(), CL_RUNNING);
  gate->complete(CL_COMPLETE);
  event->wait();
  event->advance(CL_RUNNING);
  EXPECT_EQ(event->status(), CL_COMPLETE);
}

TEST_F(Events, CallbacksOfAllTypesFireOnceInOrderOfTheStates) {
  auto in_order = queue();
  const auto gate = user_event();
  const auto event = enqueue(in_order, [] { return CL_COMPLETE; }, {gate});
  struct Seen {
    std::vector<cl_int> list;  // of the one callback thread
    std::promise<void> all;
  };
  const auto seen = std::make_shared<Seen>();
  for (const cl_int type : {CL_COMPLETE, CL_RUNNING, CL_SUBMITTED})
    event->on_status(type, [seen](cl_int status) {
      seen->list.push_back(status);
      if (seen->list.size() == 3) seen->all.set_value();
    });
  gate->complete(CL_COMPLETE);
  seen->all.get_future().wait();
  EXPECT_EQ(seen->list, (std::vector<cl_int>{CL_SUBMITTED, CL_RUNNING, CL_COMPLETE}));
}

TEST_F(Events, AllPendingCallbacksGetTheNegativeStatus) {
  const auto event = user_event();
  const auto told = std::make_shared<std::promise<cl_int>>();
  event->on_status(CL_COMPLETE, [told](cl_int status) { told->set_value(status); });
  event->complete(-9);
  EXPECT_EQ(told->get_future().get(), -9);
}

TEST_F(Events, ALateRegistrationFiresAtOnceOnTheCallbackThread) {
  const auto event = user_event();
  event->complete(CL_COMPLETE);
  const auto told = std::make_shared<std::promise<std::pair<cl_int, std::thread::id>>>();
  event->on_status(CL_RUNNING, [told](cl_int status) { told->set_value({status, std::this_thread::get_id()}); });
  const auto [status, where] = told->get_future().get();
  EXPECT_EQ(status, CL_RUNNING);
  EXPECT_NE(where, std::this_thread::get_id());
}

TEST_F(Events, ACallbackMayEnqueueAndWait) {
  auto in_order = queue();
  const auto event = user_event();
  const auto nested = std::make_shared<std::promise<cl_int>>();
  event->on_status(CL_COMPLETE,
                   [=](cl_int) { nested->set_value(enqueue(in_order, [] { return CL_COMPLETE; })->wait()); });
  event->complete(CL_COMPLETE);
  EXPECT_EQ(nested->get_future().get(), CL_COMPLETE);
}

// Every worker of the executor is busy; more come when that has lasted for a while, so this may take several tries.
TEST_F(Events, WhoWaitsRunsWhatNobodyHasBegunAndWhatThatWaitsFor) {
  std::promise<void> open;
  const auto gate = open.get_future().share();
  const std::size_t workers = std::max<std::size_t>(4, std::thread::hardware_concurrency());
  std::atomic<std::size_t> busy{0};
  const auto others = queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const auto block_one = [&] {
    enqueue(others, [&] {
      ++busy;
      gate.wait();
      return CL_COMPLETE;
    });
  };
  for (std::size_t i = 0; i < workers; ++i) block_one();
  while (busy < workers) std::this_thread::yield();
  bool here = false;
  for (int tries = 0; tries < 50 && !here; ++tries) {
    const auto in_order = queue();
    std::vector<std::thread::id> where(3);
    Ref<Event> last;
    for (auto& place : where)
      last = enqueue(in_order, [&place] {
        place = std::this_thread::get_id();
        return CL_COMPLETE;
      });
    EXPECT_EQ(last->wait(), CL_COMPLETE);
    here = where == std::vector<std::thread::id>(3, std::this_thread::get_id());
    if (!here) block_one();  // the thread that came meanwhile
  }
  open.set_value();
  others->finish();
  EXPECT_TRUE(here);
}

TEST_F(Events, WhenEndedDoesNotKeepAFunctionOfAnEndedEvent) {
  const auto event = user_event();
  event->complete(CL_COMPLETE);
  auto witness = std::make_shared<int>(0);
  EXPECT_FALSE(event->when_ended([witness](cl_int) {}));
  EXPECT_EQ(witness.use_count(), 1);
}

TEST_F(Profiling, TimesAscendAndNeverShowADurationOfZero) {
  auto profiled = queue(CL_QUEUE_PROFILING_ENABLE);
  std::uint64_t last_end = 0;
  for (int i = 0; i < 200; ++i) {
    const auto event = i % 2 == 0 ? enqueue(profiled, [] { return CL_COMPLETE; })
                                  : profiled->enqueue_marker(CL_COMMAND_MARKER, {}, false);
    event->wait();
    const std::uint64_t queued = *event->profile(CL_PROFILING_COMMAND_QUEUED);
    const std::uint64_t submit = *event->profile(CL_PROFILING_COMMAND_SUBMIT);
    const std::uint64_t start = *event->profile(CL_PROFILING_COMMAND_START);
    const std::uint64_t end = *event->profile(CL_PROFILING_COMMAND_END);
    EXPECT_LE(queued, submit);
    EXPECT_LE(submit, start);
    EXPECT_LT(start, end);
    EXPECT_EQ(end, *event->profile(CL_PROFILING_COMMAND_COMPLETE));
    EXPECT_GE(start, last_end);
    last_end = end;
  }
}

TEST_F(Profiling, InOrderCommandsDoNotOverlapEvenIfTheirWorkWasReportedSo) {
  ManualDevice device;
  auto profiled = queue(CL_QUEUE_PROFILING_ENABLE);
  const auto first = profiled->enqueue(CL_COMMAND_NDRANGE_KERNEL, std::make_shared<DeviceCommand>(device), {});
  const auto second = profiled->enqueue(CL_COMMAND_NDRANGE_KERNEL, std::make_shared<DeviceCommand>(device), {});
  const std::uint64_t now = host_now();
  first->work_started(now);
  second->work_started(now + 1);
  first->work_ended(now + 1000);
  second->work_ended(now + 500);
  device.finish_next();
  device.finish_next();
  EXPECT_EQ(*first->profile(CL_PROFILING_COMMAND_END), now + 1000);
  EXPECT_GE(*second->profile(CL_PROFILING_COMMAND_START), now + 1000);
  EXPECT_GT(*second->profile(CL_PROFILING_COMMAND_END), *second->profile(CL_PROFILING_COMMAND_START));
}

TEST_F(Profiling, IsNotAvailableWithoutTheQueuePropertyBeforeTheEndAfterFailureAndForUserEvents) {
  const auto code = [](const Ref<Event>& event, cl_profiling_info name = CL_PROFILING_COMMAND_END) {
    const auto result = event->profile(name);
    return result.ok() ? CL_SUCCESS : result.error().code;
  };
  const auto gate = user_event();
  auto profiled = queue(CL_QUEUE_PROFILING_ENABLE);
  const auto plain = queue()->enqueue_marker(CL_COMMAND_MARKER, {}, false);
  const auto open = enqueue(profiled, [] { return CL_INVALID_VALUE; }, {gate});
  EXPECT_EQ(code(plain), CL_PROFILING_INFO_NOT_AVAILABLE);
  EXPECT_EQ(code(open), CL_PROFILING_INFO_NOT_AVAILABLE);
  gate->complete(CL_COMPLETE);
  open->wait();
  EXPECT_EQ(code(open), CL_PROFILING_INFO_NOT_AVAILABLE);
  EXPECT_EQ(code(gate), CL_PROFILING_INFO_NOT_AVAILABLE);
  EXPECT_EQ(code(open, 0x1234), CL_INVALID_VALUE);
}

}  // namespace
}  // namespace skmd::icd::test

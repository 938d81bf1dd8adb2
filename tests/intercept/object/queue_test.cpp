// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <future>
#include <thread>

#include "tests/intercept/object/graph_fixture.h"

namespace skmd::icd::test {
namespace {

using InOrder = Graph;
using OutOfOrder = Graph;
using Chained = Graph;

constexpr cl_command_queue_properties kOutOfOrder = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

TEST_F(InOrder, CommandsRunInTheOrderOfEnqueue) {
  auto in_order = queue();
  std::vector<int> seen;
  for (int i = 0; i < 100; ++i) enqueue(in_order, [&seen, i] { return seen.push_back(i), CL_COMPLETE; });
  in_order->finish();
  ASSERT_EQ(seen.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST_F(InOrder, SuccessorsAlreadyQueuedEndWithMinus14AndLaterCommandsRun) {
  auto in_order = queue();
  const auto gate = user_event();
  bool ran = false;
  const auto failing = enqueue(in_order, [] { return CL_OUT_OF_RESOURCES; }, {gate});
  const auto queued = enqueue(in_order, [&] { return ran = true, CL_COMPLETE; });
  const auto marker = in_order->enqueue_marker(CL_COMMAND_MARKER, {}, false);
  gate->complete(CL_COMPLETE);
  in_order->finish();
  EXPECT_EQ(failing->status(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(queued->status(), kDependencyFailed);
  EXPECT_EQ(marker->status(), kDependencyFailed);
  EXPECT_FALSE(ran);
  const auto later = enqueue(in_order, [&] { return ran = true, CL_COMPLETE; });
  EXPECT_EQ(later->wait(), CL_COMPLETE);
  EXPECT_TRUE(ran);
}

TEST_F(InOrder, ABlockingCommandAfterAFailureThatIsOverRuns) {
  auto in_order = queue();
  enqueue(in_order, [] { return CL_OUT_OF_RESOURCES; })->wait();
  const auto blocking = in_order->enqueue_and_wait(CL_COMMAND_READ_BUFFER, make_step([] { return CL_COMPLETE; }), {});
  EXPECT_EQ(blocking->status(), CL_COMPLETE);
}

TEST_F(InOrder, ABlockingCommandRunsOnTheCallersThreadAfterItsPredecessors) {
  auto in_order = queue();
  std::atomic<int> before{0};
  for (int i = 0; i < 10; ++i) enqueue(in_order, [&] { return ++before, CL_COMPLETE; });
  std::thread::id where;
  const auto event = in_order->enqueue_and_wait(CL_COMMAND_READ_BUFFER, make_step([&] {
                                                  where = std::this_thread::get_id();
                                                  return before == 10 ? CL_COMPLETE : CL_INVALID_VALUE;
                                                }),
                                                {});
  EXPECT_EQ(event->status(), CL_COMPLETE);
  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST_F(InOrder, ABlockingCommandReportsAFailedDependency) {
  auto in_order = queue();
  const auto failed = user_event();
  failed->complete(-7);
  const auto event =
      in_order->enqueue_and_wait(CL_COMMAND_READ_BUFFER, make_step([] { return CL_COMPLETE; }), {failed});
  EXPECT_EQ(event->status(), kDependencyFailed);
}

TEST_F(InOrder, FinishWaitsForCommandsBehindUserEvents) {
  auto in_order = queue();
  const auto gate = user_event();
  std::atomic<bool> opened{false};
  bool order_kept = false;
  enqueue(in_order, [&] { return order_kept = opened, CL_COMPLETE; }, {gate});
  std::thread opener([&] {
    opened = true;
    gate->complete(CL_COMPLETE);
  });
  in_order->finish();
  EXPECT_TRUE(order_kept);
  opener.join();
}

TEST_F(InOrder, AChainOfAHundredThousandMarkersEndsWithoutRecursion) {
  auto in_order = queue();
  const auto gate = user_event();
  in_order->enqueue_marker(CL_COMMAND_MARKER, {gate}, false);
  for (int i = 0; i < 100000; ++i) in_order->enqueue_marker(CL_COMMAND_MARKER, {}, false);
  gate->complete(CL_COMPLETE);
  in_order->finish();
}

TEST_F(InOrder, TheQueueLivesUntilItsCommandsAreDoneAndAnEventOutlivesIt) {
  const auto gate = user_event();
  auto in_order = queue();
  Queue* raw = in_order.get();
  const auto event = enqueue(in_order, [] { return CL_COMPLETE; }, {gate});
  in_order = nullptr;
  gate->complete(CL_COMPLETE);
  EXPECT_EQ(event->wait(), CL_COMPLETE);
  EXPECT_EQ(event->queue().get(), raw);
  EXPECT_TRUE(event->queue()->in_order());
}

TEST_F(OutOfOrder, OnlyWaitListsOrderCommands) {
  auto any_order = queue(kOutOfOrder);
  const auto gate = user_event();
  const auto blocked = enqueue(any_order, [] { return CL_COMPLETE; }, {gate});
  const auto free = enqueue(any_order, [] { return CL_COMPLETE; });
  EXPECT_EQ(free->wait(), CL_COMPLETE);
  EXPECT_FALSE(blocked->ended());
  gate->complete(CL_COMPLETE);
  EXPECT_EQ(blocked->wait(), CL_COMPLETE);
}

TEST_F(OutOfOrder, AMarkerWithoutListFollowsEverythingBefore) {
  auto any_order = queue(kOutOfOrder);
  const auto gate = user_event();
  enqueue(any_order, [] { return CL_COMPLETE; }, {gate});
  const auto marker = any_order->enqueue_marker(CL_COMMAND_MARKER, {}, false);
  const auto after = enqueue(any_order, [] { return CL_COMPLETE; });
  EXPECT_EQ(after->wait(), CL_COMPLETE);  // a marker holds nothing back
  EXPECT_FALSE(marker->ended());
  gate->complete(CL_COMPLETE);
  EXPECT_EQ(marker->wait(), CL_COMPLETE);
}

TEST_F(OutOfOrder, AMarkerStandsForWhatItFollowsSoThatEachCommandIsRegisteredWithOnce) {
  auto any_order = queue(kOutOfOrder);
  const auto gate = user_event();
  std::vector<Ref<Event>> events;
  for (int i = 0; i < 1000; ++i) events.push_back(enqueue(any_order, [] { return CL_COMPLETE; }, {gate}));
  EXPECT_EQ(any_order->frontier(), 1000u);
  std::size_t registrations = 0;
  for (int i = 0; i < 1000; ++i) {
    registrations += any_order->frontier();
    events.push_back(any_order->enqueue_marker(CL_COMMAND_MARKER, {}, false));
  }
  EXPECT_EQ(registrations, 1000u + 999u) << "not 1000 for each of 1000 markers";
  const auto later = enqueue(any_order, [] { return CL_COMPLETE; }, {gate});
  EXPECT_EQ(any_order->frontier(), 2u);
  gate->complete(CL_COMPLETE);
  any_order->finish();
  for (const auto& event : events) EXPECT_EQ(event->status(), CL_COMPLETE);
  EXPECT_EQ(later->status(), CL_COMPLETE);
  while (any_order->frontier() != 0) std::this_thread::yield();  // the books follow the status
}

TEST_F(OutOfOrder, CommandsThatAMarkerTookOverAreStillWaitedForByFinishAndByLaterMarkers) {
  auto any_order = queue(kOutOfOrder);
  const auto gates = std::array{user_event(), user_event(), user_event()};
  std::vector<Ref<Event>> markers;
  for (const auto& gate : gates) {
    enqueue(any_order, [] { return CL_COMPLETE; }, {gate});
    markers.push_back(any_order->enqueue_marker(CL_COMMAND_MARKER, {}, false));
  }
  gates[2]->complete(CL_COMPLETE);
  gates[1]->complete(CL_COMPLETE);
  EXPECT_FALSE(markers[1]->ended()) << "the first command still blocks all three";
  EXPECT_FALSE(markers[2]->ended());
  std::atomic<bool> opened{false};
  std::thread opener([&] {
    opened = true;
    gates[0]->complete(CL_COMPLETE);
  });
  any_order->finish();
  EXPECT_TRUE(opened);
  for (const auto& marker : markers) EXPECT_EQ(marker->status(), CL_COMPLETE);
  opener.join();
}

TEST_F(OutOfOrder, AFailureReachesEveryLaterMarkerAndNothingElse) {
  auto any_order = queue(kOutOfOrder);
  const auto gate = user_event();
  enqueue(any_order, [] { return CL_OUT_OF_RESOURCES; }, {gate});
  const auto first = any_order->enqueue_marker(CL_COMMAND_MARKER, {}, false);
  const auto second = any_order->enqueue_marker(CL_COMMAND_MARKER, {}, false);
  const auto free = enqueue(any_order, [] { return CL_COMPLETE; });
  gate->complete(CL_COMPLETE);
  any_order->finish();
  EXPECT_EQ(first->status(), kDependencyFailed);
  EXPECT_EQ(second->status(), kDependencyFailed);
  EXPECT_EQ(free->status(), CL_COMPLETE);
}

TEST_F(OutOfOrder, AMarkerWithAListFollowsTheListOnly) {
  auto any_order = queue(kOutOfOrder);
  const auto gate = user_event();
  enqueue(any_order, [] { return CL_COMPLETE; }, {gate});
  const auto listed = enqueue(any_order, [] { return CL_COMPLETE; });
  const auto marker = any_order->enqueue_marker(CL_COMMAND_MARKER, {listed}, false);
  EXPECT_EQ(marker->wait(), CL_COMPLETE);
  gate->complete(CL_COMPLETE);
  any_order->finish();
}

TEST_F(OutOfOrder, ABarrierHoldsBackLaterCommands) {
  auto any_order = queue(kOutOfOrder);
  const auto gate = user_event();
  const auto barrier = any_order->enqueue_marker(CL_COMMAND_BARRIER, {gate}, true);
  std::atomic<bool> opened{false};
  bool held = false;
  const auto later = enqueue(any_order, [&] { return held = opened, CL_COMPLETE; });
  const auto never = user_event();
  const auto marker = any_order->enqueue_marker(CL_COMMAND_MARKER, {never}, false);
  opened = true;
  gate->complete(CL_COMPLETE);
  EXPECT_EQ(later->wait(), CL_COMPLETE);
  EXPECT_TRUE(held);
  EXPECT_EQ(barrier->status(), CL_COMPLETE);
  EXPECT_FALSE(marker->ended());
  never->complete(CL_COMPLETE);
  any_order->finish();
}

TEST_F(Chained, CommandsOfOneDeviceAreSubmittedBehindEachOtherWithoutWaiting) {
  ManualDevice device;
  auto in_order = queue();
  std::vector<Ref<Event>> events;
  for (int i = 0; i < 3; ++i)
    events.push_back(in_order->enqueue(CL_COMMAND_NDRANGE_KERNEL, std::make_shared<DeviceCommand>(device), {}));
  EXPECT_EQ(device.waiting(), 3u);
  for (const auto& event : events) EXPECT_EQ(event->chained_on(), &device);
  for (const auto& event : events) {
    EXPECT_FALSE(event->ended());
    device.finish_next();
    EXPECT_EQ(event->status(), CL_COMPLETE);
    EXPECT_EQ(event->chained_on(), nullptr);
  }
}

TEST_F(Chained, CommandsHeldUpByAUserEventAreChainedOnceItEnds) {
  ManualDevice device;
  auto in_order = queue();
  const auto gate = user_event();
  in_order->enqueue(CL_COMMAND_NDRANGE_KERNEL, std::make_shared<DeviceCommand>(device), {gate});
  in_order->enqueue_marker(CL_COMMAND_MARKER, {}, false);
  const auto last = in_order->enqueue(CL_COMMAND_NDRANGE_KERNEL, std::make_shared<DeviceCommand>(device), {});
  EXPECT_EQ(device.waiting(), 0u);
  gate->complete(CL_COMPLETE);
  while (device.waiting() < 2) std::this_thread::yield();  // nothing has ended: both are on the device
  device.finish_next();
  device.finish_next();
  EXPECT_EQ(last->wait(), CL_COMPLETE);
}

TEST_F(Chained, ACommandThatEndsBeforeItsPredecessorIsHeld) {
  ManualDevice device;
  auto in_order = queue();
  const auto first = in_order->enqueue(CL_COMMAND_NDRANGE_KERNEL, std::make_shared<DeviceCommand>(device), {});
  const auto second = in_order->enqueue(CL_COMMAND_NDRANGE_KERNEL, std::make_shared<DeviceCommand>(device), {});
  device.finish_at(1);
  EXPECT_FALSE(second->ended());
  device.finish_next();
  EXPECT_EQ(first->status(), CL_COMPLETE);
  EXPECT_EQ(second->status(), CL_COMPLETE);
}

TEST_F(Chained, AFailedPredecessorFailsWhatWasSubmittedBehindIt) {
  ManualDevice device;
  auto in_order = queue();
  const auto first = in_order->enqueue(CL_COMMAND_NDRANGE_KERNEL, std::make_shared<DeviceCommand>(device), {});
  const auto second = in_order->enqueue(CL_COMMAND_NDRANGE_KERNEL, std::make_shared<DeviceCommand>(device), {});
  device.finish_next(CL_OUT_OF_RESOURCES);
  device.finish_next();
  EXPECT_EQ(first->status(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(second->status(), kDependencyFailed);
}

TEST_F(Chained, ACommandThatDeclinesToBeChainedRunsWhenItsPredecessorHasEnded) {
  ManualDevice device;
  auto in_order = queue();
  const auto first = in_order->enqueue(CL_COMMAND_NDRANGE_KERNEL, std::make_shared<DeviceCommand>(device), {});
  bool first_ended = false;
  const auto second = enqueue(in_order, [&] { return first_ended = first->ended(), CL_COMPLETE; });
  device.finish_next();
  EXPECT_EQ(second->wait(), CL_COMPLETE);
  EXPECT_TRUE(first_ended);
}

TEST_F(Chained, OtherDevicesAreNotChained) {
  ManualDevice one;
  ManualDevice other;
  auto in_order = queue();
  in_order->enqueue(CL_COMMAND_NDRANGE_KERNEL, std::make_shared<DeviceCommand>(one), {});
  const auto second = in_order->enqueue(CL_COMMAND_NDRANGE_KERNEL, std::make_shared<DeviceCommand>(other), {});
  EXPECT_EQ(other.waiting(), 0u);
  one.finish_next();
  EXPECT_EQ(other.waiting(), 1u);
  other.finish_next();
  EXPECT_EQ(second->status(), CL_COMPLETE);
}

TEST_F(Chained, WaitingHelpsTheDevice) {
  ManualDevice device;
  auto in_order = queue();
  const auto event = in_order->enqueue(CL_COMMAND_NDRANGE_KERNEL, std::make_shared<DeviceCommand>(device), {});
  std::thread waiter([&] { event->wait(); });
  while (device.helped == 0) std::this_thread::yield();
  device.finish_next();
  waiter.join();
  EXPECT_EQ(device.helped, 1u);
}

}  // namespace
}  // namespace skmd::icd::test

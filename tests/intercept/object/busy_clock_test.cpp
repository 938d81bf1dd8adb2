// SPDX-License-Identifier: Apache-2.0
#include "intercept/machine/busy_clock.h"

#include <chrono>
#include <thread>

#include "tests/intercept/object/graph_fixture.h"

namespace skmd::icd::test {
namespace {

TEST(BusyClock, CountsPausesBetweenCommands) {
  BusyClock clock;
  std::uint64_t now = 1000;
  const auto at = [&] { return now; };
  clock.began(at);
  now += 10;
  clock.began(at);
  now += 10;
  clock.ended(at);
  now += 10;
  EXPECT_EQ(clock.idle_ns(), 0u);
  clock.ended(at);
  now += 500;
  EXPECT_EQ(clock.idle_ns(), 0u) << "the pause is not over";
  clock.began(at);
  EXPECT_EQ(clock.idle_ns(), 500u);
  now += 70;
  clock.ended(at);
  now += 30;
  clock.began(at);
  EXPECT_EQ(clock.idle_ns(), 530u);
}

TEST(BusyClock, IsAskedForTheTimeAtTheEndsOfPausesOnly) {
  BusyClock clock;
  int asked = 0;
  const auto at = [&] { return std::uint64_t{100} + static_cast<std::uint64_t>(++asked); };
  for (int i = 0; i < 3; ++i) clock.began(at);
  EXPECT_EQ(asked, 1);
  for (int i = 0; i < 3; ++i) clock.ended(at);
  EXPECT_EQ(asked, 2);
}

class BusyQueue : public Graph {
 protected:
  BusyQueue() { BusyClock::start(); }
};

/// No command is under way any more. False after ten seconds.
bool is_at_rest() {
  for (int i = 0; i < 10'000; ++i) {
    if (BusyClock::get()->open() == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST_F(BusyQueue, IsBusyFromEnqueueToTheEndOfTheCommand) {
  for (const cl_command_queue_properties properties : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    const auto busy = queue(properties);
    const auto gate = user_event();
    const auto waiting = enqueue(busy, [] { return CL_COMPLETE; }, {gate});
    const auto behind = busy->enqueue_marker(CL_COMMAND_MARKER, {waiting}, false);
    EXPECT_EQ(BusyClock::get()->open(), 2);
    gate->complete(CL_COMPLETE);
    behind->wait();
    EXPECT_TRUE(is_at_rest());
  }
}

TEST_F(BusyQueue, CommandsThatFailEndToo) {
  const auto busy = queue();
  const auto gate = user_event();
  const auto failing = enqueue(busy, [] { return CL_OUT_OF_RESOURCES; }, {gate});
  const auto dependent = enqueue(busy, [] { return CL_COMPLETE; }, {failing});
  EXPECT_EQ(BusyClock::get()->open(), 2);
  gate->complete(CL_INVALID_VALUE);
  dependent->wait();
  EXPECT_TRUE(is_at_rest());
}

}  // namespace
}  // namespace skmd::icd::test

// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/busy_clock.h"

#include <chrono>
#include <thread>

#include "tests/intercept/object/graph_fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kPause = 20'000'000;  // nanoseconds

void pause() { std::this_thread::sleep_for(std::chrono::nanoseconds(kPause)); }

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

using BusyQueue = Graph;

TEST_F(BusyQueue, IsBusyFromEnqueueToTheEndOfTheCommand) {
  const auto busy = queue();
  const auto pause_of = [&](auto&& body) {
    const std::uint64_t before = BusyClock::get().idle_ns();
    body();
    enqueue(busy, [] { return CL_COMPLETE; })->wait();  // ends the pause, if there is one
    return BusyClock::get().idle_ns() - before;
  };
  pause_of([] {});  // before the first command there is no pause
  EXPECT_GE(pause_of(pause), kPause);
  const auto gate = user_event();
  const auto waiting = enqueue(busy, [] { return CL_COMPLETE; }, {gate});
  EXPECT_LT(pause_of([&] {
              pause();
              gate->complete(CL_COMPLETE);
              waiting->wait();
            }),
            kPause);
}

TEST_F(BusyQueue, IsNotBusyAfterACommandThatFailed) {
  const auto busy = queue();
  const auto failing = enqueue(busy, [] { return CL_OUT_OF_RESOURCES; });
  failing->wait();
  busy->finish();
  const std::uint64_t before = BusyClock::get().idle_ns();
  pause();
  enqueue(busy, [] { return CL_COMPLETE; })->wait();
  EXPECT_GE(BusyClock::get().idle_ns() - before, kPause);
}

}  // namespace
}  // namespace skmd::icd::test

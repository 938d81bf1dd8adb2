// SPDX-License-Identifier: Apache-2.0
#include "partitioner/base/look_again.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace skmd {
namespace {

constexpr std::uint64_t kHour = 3'600'000'000'000;  // longer than a test may take

TEST(LookAgain, IsNotMissedBetweenALookAndItsWait) {
  const Looker looker;
  const std::uint32_t seen = looker.before();
  look_again();
  EXPECT_NE(looker.before(), seen);
  looker.wait(seen, kHour);
}

TEST(LookAgain, WakesAllThatWait) {
  std::atomic<bool> changed{false};
  std::atomic<int> looked{0};
  const auto look = [&] {
    const Looker looker;
    for (;;) {
      const std::uint32_t seen = looker.before();
      const bool over = changed;
      ++looked;
      if (over) return;
      looker.wait(seen, kHour);
    }
  };
  std::thread first(look), second(look);
  while (looked < 2) std::this_thread::yield();
  changed = true;
  look_again();
  first.join();
  second.join();
  EXPECT_GE(looked, 4);
}

TEST(LookAgain, IsNothingWhereNoThreadLooks) { look_again(); }

TEST(Looker, WaitsForATimeAtMost) {
  const Looker looker;
  looker.wait(looker.before(), 1'000);
  looker.wait(looker.before(), 0);
}

}  // namespace
}  // namespace skmd

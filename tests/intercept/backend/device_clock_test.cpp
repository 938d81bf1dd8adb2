// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/device_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace skmd::icd {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
/// Device minus host.
constexpr std::uint64_t kAhead = 1'790'000'000 * kSecond;

TEST(DeviceClock, BothEndsOfACommandBoundIt) {
  DeviceClock clock;
  clock.learn(DeviceClock::Pair{1000, kAhead + 1004}, {9000, kAhead + 8991});
  EXPECT_EQ(clock.on_host(kAhead + 5000), 4996u) << "the driver took it 4 ns after the host began";
  clock.learn(DeviceClock::Pair{10000, kAhead + 10001}, {20000, kAhead + 19000});
  EXPECT_EQ(clock.on_host(kAhead + 5000), 4999u) << "that was closer";
  clock.learn(DeviceClock::Pair{30000, kAhead + 30500}, {40000, kAhead + 39999});
  EXPECT_EQ(clock.on_host(kAhead + 5000), 4999u) << "this was not";
}

TEST(DeviceClock, WithoutABeginningTheSoonestEndCounts) {
  DeviceClock clock;
  clock.learn(std::nullopt, {9000, kAhead + 5000});
  EXPECT_EQ(clock.on_host(kAhead + 5000), 9000u);
  clock.learn(std::nullopt, {10000, kAhead + 9990});
  EXPECT_EQ(clock.on_host(kAhead + 5000), 5010u);
  clock.learn(std::nullopt, {20000, kAhead + 11000});
  EXPECT_EQ(clock.on_host(kAhead + 11000), 11010u) << "seen 9 us late";
}

TEST(DeviceClock, AClockBehindTheHostsIsOneToo) {
  DeviceClock clock;
  clock.learn(DeviceClock::Pair{kAhead + 1000, 900}, {kAhead + 9000, 8000});
  EXPECT_EQ(clock.on_host(5000), kAhead + 5100);
}

TEST(DeviceClock, ATimeBeforeTheHostsClockBeganIsItsBeginning) {
  DeviceClock clock;
  clock.learn(DeviceClock::Pair{1000, kAhead + 1004}, {9000, kAhead + 8991});
  EXPECT_EQ(clock.on_host(1), 0u);
}

TEST(DeviceClock, AStepOfEitherClockIsFollowed) {
  for (const std::int64_t step : {std::int64_t{5} * 1'000'000, std::int64_t{-5} * 1'000'000}) {
    DeviceClock clock;
    clock.learn(DeviceClock::Pair{1000, kAhead + 1004}, {9000, kAhead + 8991});
    const std::uint64_t ahead = kAhead + static_cast<std::uint64_t>(step);
    clock.learn(DeviceClock::Pair{11000, ahead + 11004}, {19000, ahead + 18991});
    if (step > 0)
      EXPECT_LE(clock.on_host(ahead + 18991), 19000u) << "never after it was seen";
    else
      EXPECT_NEAR(static_cast<double>(clock.on_host(ahead + 18991)), 18991, 10);
  }
}

/// Against a clock whose error is known.
TEST(DeviceClock, StaysCloseToADriftingClock) {
  std::mt19937_64 random(5);
  for (const double ppm : {0.0, 1.0, -1.0, 10.0, -10.0, 60.0, -60.0}) {
    DeviceClock clock;
    const auto device = [&](std::uint64_t host) {
      return kAhead + host +
             static_cast<std::uint64_t>(static_cast<std::int64_t>(ppm * 1e-6 * static_cast<double>(host)));
    };
    std::uint64_t now = kSecond;
    double worst = 0;
    for (int i = 0; i < 20000; ++i) {
      const std::uint64_t begin = now, taken = begin + 1000 + random() % 4000, start = taken + random() % 20000,
                          end = start + random() % 50000, seen = end + 5000 + random() % 100000;
      clock.learn(DeviceClock::Pair{begin, device(taken)}, {seen, device(end)});
      const double error = static_cast<double>(clock.on_host(device(end))) - static_cast<double>(end);
      ASSERT_LE(clock.on_host(device(end)), seen);
      if (i > 100) worst = std::max(worst, std::abs(error));
      now = seen + random() % 1000000;
    }
    EXPECT_LT(worst, std::abs(ppm) > 20 ? 20000 : 5000) << ppm;
  }
}

}  // namespace
}  // namespace skmd::icd

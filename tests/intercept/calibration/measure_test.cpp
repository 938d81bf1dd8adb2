// SPDX-License-Identifier: Apache-2.0
// What is concluded from simulated devices and links is what they were made of, in about the time that was given.
#include "intercept/calibration/measure.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "tests/intercept/calibration/simulated.h"

namespace skmd::icd::calibration {
namespace {

using domain::Direction;

constexpr std::uint64_t kMax = 1u << 28;

Effort effort(World& world, double seconds, std::uint64_t most = kMax) {
  Effort one;
  one.clock = world.clock();
  one.seconds = seconds;
  one.most_bytes = most;
  return one;
}

TEST(MeasureDevice, FindsWhatTheDeviceIsMadeOf) {
  for (const double noise : {0.0, 0.05}) {
    World world;
    world.noise = noise;
    SimulatedDevice device(world);
    const auto found = measure_device(device, effort(world, 5.0));
    ASSERT_TRUE(found) << found.error().reason;
    EXPECT_EQ(device.prepared, kMax);
    EXPECT_NEAR(found->launch_seconds, device.launch, 0.15 * device.launch);
    EXPECT_NEAR(found->box_seconds, device.box, 0.3 * device.box);
    EXPECT_NEAR(found->first_use_seconds, device.first_use, 0.15 * device.first_use);
    EXPECT_NEAR(found->memory.inside_per_second, device.inside, 0.15 * device.inside);
    EXPECT_NEAR(found->memory.beyond_per_second, device.beyond, 0.15 * device.beyond);
    EXPECT_GT(found->memory.bytes, 0.5 * device.cache);
    EXPECT_LT(found->memory.bytes, 2.0 * device.cache);
    EXPECT_EQ(found->bandwidth.size(), 15u);
    EXPECT_GE(device.fresh, 1);
  }
}

TEST(MeasureDevice, KeepsToItsTimeAndKnowsSomethingInNone) {
  for (const double seconds : {0.0, 0.1, 2.0, 10.0})
    for (const double beyond : {1e9, 1e10, 3e12}) {
      World world;
      SimulatedDevice device(world);
      device.beyond = beyond;
      device.inside = 2 * beyond;
      const auto found = measure_device(device, effort(world, seconds));
      ASSERT_TRUE(found);
      EXPECT_LT(world.now, 1.5 * seconds + 1.0) << beyond;
      EXPECT_GE(found->bandwidth.size(), 9u);  // to kAlways
      EXPECT_GT(found->launch_seconds, 0.0);
      EXPECT_GT(found->memory.beyond_per_second, 0.0);
      EXPECT_TRUE(seconds < 10.0 || device.largest == kMax);
    }
}

TEST(MeasureDevice, TellsAFailureOfAnyFunction) {
  for (const char* function : {"prepare", "launches", "boxes", "make_fresh", "launch_fresh", "read"}) {
    World world;
    SimulatedDevice device(world);
    device.failing = function;
    const auto found = measure_device(device, effort(world, 1.0));
    ASSERT_FALSE(found) << function;
    EXPECT_NE(found.error().reason.find(function), std::string::npos);
  }
}

TEST(MeasureLink, FindsRatesLatencyAndThreads) {
  for (const Direction direction : {Direction::to, Direction::from}) {
    World world;
    world.noise = 0.05;
    SimulatedLink link(world);
    const auto found = measure_link(link, direction, effort(world, 3.0));
    ASSERT_TRUE(found) << found.error().reason;
    EXPECT_EQ(found->direction, direction);
    EXPECT_NEAR(found->direct->line.bytes_per_second, link.direct, 0.1 * link.direct);
    EXPECT_NEAR(found->pinned->line.bytes_per_second, link.pinned, 0.1 * link.pinned);
    EXPECT_NEAR(found->staged->line.bytes_per_second, 0.9 * link.pinned, 0.1 * link.pinned);
    EXPECT_EQ(found->staged->threads, 8u);
    EXPECT_NEAR(found->direct->line.latency_seconds, link.latency, 0.2 * link.latency);
    for (const auto* way : {&found->direct, &found->pinned, &found->staged}) {
      EXPECT_EQ((*way)->points.front().bytes, 1024u);
      EXPECT_EQ((*way)->points.back().bytes, kMax);
    }
    for (const ProbedTransfer& each : link.seen) EXPECT_EQ(each.to_device, direction == Direction::to);
  }
}

TEST(MeasureLink, LeavesOutWhatTheProbeHasNot) {
  World world;
  SimulatedLink link(world);
  link.threads = 1;
  auto found = measure_link(link, Direction::to, effort(world, 1.0));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->pinned);
  EXPECT_FALSE(found->staged);
  link.threads = 0;
  found = measure_link(link, Direction::to, effort(world, 1.0));
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->pinned);
}

TEST(MeasureLink, KeepsToItsTimeAndKnowsSomethingInNone) {
  for (const double seconds : {0.0, 0.1, 5.0}) {
    World world;
    SimulatedLink link(world);
    link.direct = link.pinned = 1e9;
    const auto found = measure_link(link, Direction::from, effort(world, seconds));
    ASSERT_TRUE(found);
    EXPECT_LT(world.now, 1.5 * seconds + 1.0);
    EXPECT_GE(found->direct->points.size(), 13u);  // to kAlways
    EXPECT_GT(found->direct->line.bytes_per_second, 0.0);
  }
}

TEST(MeasureLink, TellsAFailureOfAnyWay) {
  for (const TransferWay way : {TransferWay::direct, TransferWay::pinned, TransferWay::staged}) {
    World world;
    SimulatedLink link(world);
    link.failing = way;
    EXPECT_FALSE(measure_link(link, Direction::to, effort(world, 1.0)));
  }
}

TEST(BestWay, IsStagedWhereThatIsFaster) {
  domain::LinkCalibration link;
  link.direct = domain::LinkWay{{1e-5, 9e9}, 1, {}};
  EXPECT_EQ(best_way(link, 5).way, TransferWay::direct);
  link.staged = domain::LinkWay{{1e-5, 5e10}, 8, {}};
  EXPECT_EQ(best_way(link, 5).way, TransferWay::staged);
  EXPECT_EQ(best_way(link, 5).threads, 8u);
  link.staged->line.bytes_per_second = 8e9;
  EXPECT_EQ(best_way(link, 5).way, TransferWay::direct);
}

TEST(MeasureTogether, RunsBothAtOnceAndCountsTheirBytes) {
  std::atomic<double> now{0.0};
  std::atomic<int> second_ran{0};
  const Clock clock = [&] { return now.load(); };
  const Contender first = [&]() -> domain::Result<double> {
    // On with the clock only when the other one has worked, too.
    for (const int seen = second_ran; second_ran == seen;) std::this_thread::yield();
    now = now + 0.1;
    return 1e8;
  };
  const Contender second = [&]() -> domain::Result<double> {
    ++second_ran;
    std::this_thread::yield();
    return 5e7;
  };
  const auto rates = measure_together(first, second, clock, 1.0);
  ASSERT_TRUE(rates) << rates.error().reason;
  EXPECT_NEAR(rates->first_per_second, 1e9, 1e6);
  EXPECT_GT(second_ran, 9);
}

TEST(MeasureTogether, EndsWhenEitherFails) {
  const Clock clock = [] { return 0.0; };  // time never ends it
  const Contender good = []() -> domain::Result<double> { return 1.0; };
  const Contender bad = []() -> domain::Result<double> { return domain::Error{-5, "broken"}; };
  for (const bool which : {true, false}) {
    const auto rates = measure_together(which ? bad : good, which ? good : bad, clock, 1.0);
    ASSERT_FALSE(rates);
    EXPECT_EQ(rates.error().reason, "broken");
  }
}

}  // namespace
}  // namespace skmd::icd::calibration

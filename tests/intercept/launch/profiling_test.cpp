// SPDX-License-Identifier: Apache-2.0
// Profiling of launches and transfers that are one batch of one device: what the device says of them.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "intercept/backend/port/host_clock.h"
#include "intercept/command/transfer.h"
#include "intercept/object/kernel.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kItems = 16384;
constexpr std::uint64_t kBytes = 4 * kItems;

struct Span {
  std::uint64_t start, end;
  bool operator==(const Span&) const = default;
};

class Profiling : public testing::Test {
 protected:
  Profiling() {
    w.queue = make_object<Queue>(w.context, cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE},
                                 std::vector<cl_queue_properties>{}, w.executor);
    // Each op takes 1000 ns, long after anything that happens here.
    w.fakes[0]->times = [this](const Batch& batch) {
      std::vector<OpTime> told;
      for (std::size_t i = 0; i < batch.work().size(); ++i, next_ += 1500) told.push_back({next_, next_ + 1000, 1000});
      return told;
    };
  }
  Ref<Event> launch() { return w.launch(axpy_, line(kItems, 64), {whole(y_), whole(x_), value_of(std::uint32_t{3})}); }
  static Span span(const Ref<Event>& event) {
    return {*event->profile(CL_PROFILING_COMMAND_START), *event->profile(CL_PROFILING_COMMAND_END)};
  }
  /// Of the op that is told as number `i`.
  [[nodiscard]] Span op(std::uint64_t i) const { return {first_ + 1500 * i, first_ + 1500 * i + 1000}; }

  FakeMachine w{{true, true}, "single:0"};
  std::shared_ptr<BuiltKernel> axpy_ = w.kernel(axpy_traits());
  std::shared_ptr<Storage> x_ = w.storage(kBytes), y_ = w.storage(kBytes);
  const std::uint64_t first_ = host_now() + 3'600'000'000'000u;
  std::uint64_t next_ = first_;
};

TEST_F(Profiling, ALaunchTookWhatItsKernelTookWithoutItsUploads) {
  const std::vector<std::uint32_t> words(kItems, 1);
  w.write(x_, 0, words.data(), kBytes);
  w.write(y_, 0, words.data(), kBytes);
  const auto event = launch();
  ASSERT_EQ(event->wait(), CL_COMPLETE);
  EXPECT_EQ(span(event), op(2));
}

TEST_F(Profiling, ALaunchInPiecesTookFromItsFirstPiecesBeginToItsLastOnesEnd) {
  w.machine.settings.preempt.mode = PreemptMode::automatic;
  w.machine.settings.preempt.test = PreemptTest{1, 1'000'000'000'000'000, PreemptTest::Then::stay, 0};
  const std::vector<std::uint32_t> words(kItems, 1);
  w.write(x_, 0, words.data(), kBytes);
  w.write(y_, 0, words.data(), kBytes);
  const auto event = launch();
  ASSERT_EQ(event->wait(), CL_COMPLETE);
  EXPECT_GT(w.fakes[0]->counters.runs, 1u);
  EXPECT_EQ(span(event), (Span{op(2).start, next_ - 500}));
}

TEST_F(Profiling, LaunchesInARowTookWhatEachTook) {
  ASSERT_EQ(launch()->wait(), CL_COMPLETE);
  const std::uint64_t before = (next_ - first_) / 1500;
  w.fakes[0]->pause();
  std::vector<Ref<Event>> events;
  for (int i = 0; i < 5; ++i) events.push_back(launch());
  w.fakes[0]->resume();
  w.queue->finish();
  for (std::uint64_t i = 0; i < events.size(); ++i) EXPECT_EQ(span(events[i]), op(before + i)) << i;
}

TEST_F(Profiling, WhatIsDoneInHostMemoryInBetweenShortensNoLaunch) {
  ASSERT_EQ(launch()->wait(), CL_COMPLETE);
  const std::uint64_t before = (next_ - first_) / 1500;
  const auto other = w.storage(64);
  std::vector<std::byte> bytes(64);
  w.fakes[0]->pause();
  const auto first = launch();
  const auto marker = w.queue->enqueue_marker(CL_COMMAND_MARKER, {}, false);
  const auto second = launch();
  const auto write =
      w.queue->enqueue(CL_COMMAND_WRITE_BUFFER, make_write(other, RectRegion::linear(0, 64), {bytes.data(), 0, 0}), {});
  const auto third = launch();
  w.fakes[0]->resume();
  w.queue->finish();
  EXPECT_EQ(span(first), op(before));
  EXPECT_EQ(span(second), op(before + 1));
  EXPECT_EQ(span(third), op(before + 2));
  for (const auto& [light, heavy] : {std::pair(marker, first), std::pair(write, second)}) {
    EXPECT_EQ(span(light).start, span(heavy).end);
    EXPECT_EQ(span(light).end, span(light).start + 1);
  }
}

TEST_F(Profiling, AMarkerEndsWithTheLastThatItWaitsFor) {
  const auto unordered = make_object<Queue>(w.context, cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE},
                                            std::vector<cl_queue_properties>{}, w.executor);
  w.fakes[0]->pause();
  const auto first = launch();
  const auto second = launch();
  const auto marker = unordered->enqueue_marker(CL_COMMAND_MARKER, {first, second}, false);
  w.fakes[0]->resume();
  ASSERT_EQ(marker->wait(), CL_COMPLETE);
  EXPECT_EQ(span(marker).start, span(second).end);
}

TEST_F(Profiling, TransfersTookWhatTheDeviceTook) {
  ASSERT_EQ(launch()->wait(), CL_COMPLETE);
  const std::uint64_t before = (next_ - first_) / 1500;
  std::vector<std::byte> bytes(kBytes);
  const auto write = w.queue->enqueue(CL_COMMAND_WRITE_BUFFER,
                                      make_write(y_, RectRegion::linear(0, kBytes), {bytes.data(), 0, 0}), {});
  ASSERT_EQ(write->wait(), CL_COMPLETE);
  EXPECT_EQ(span(write), op(before));
}

TEST_F(Profiling, WithoutTimesOfTheDevicesTheHostsClockTells) {
  w.fakes[0]->times = nullptr;
  const std::uint64_t before = host_now();
  const auto event = launch();
  ASSERT_EQ(event->wait(), CL_COMPLETE);
  EXPECT_LE(before, span(event).start);
  EXPECT_LT(span(event).start, span(event).end);
  EXPECT_LE(span(event).end, host_now());
}

TEST_F(Profiling, ALaunchThatHadToRunAgainTookAllOfThat) {
  w.fakes[0]->fail_runs = 1;
  w.fakes[0]->run_fault = Fault::resources;
  const std::uint64_t before = host_now();
  const auto event = launch();
  ASSERT_EQ(event->wait(), CL_COMPLETE);
  EXPECT_LE(before, span(event).start);
  EXPECT_LT(span(event).start, span(event).end);
}

}  // namespace
}  // namespace skmd::icd::test

// SPDX-License-Identifier: Apache-2.0
// Batches in flight: order, completions, threads, forks.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "intercept/backend/port/host_clock.h"
#include "tests/intercept/backend/stub_fixture.h"

namespace skmd::icd {
namespace {

class StubFlight : public StubDevice {};

TEST_P(StubFlight, TimesLieOnTheHostsClockInOrder) {
  const auto memory = allocate(64);
  const RunOp run = count_op(memory, 64, 0, 16);
  const std::uint64_t before = host_now();
  const auto result = run_batch(*device_, {zeros(memory, 64), run, run}, true);
  const std::uint64_t after = host_now();
  ASSERT_EQ(result.times.size(), 3u);
  std::uint64_t last = before;
  for (const OpTime& t : result.times) {
    EXPECT_LE(last, t.start);
    EXPECT_LE(t.start, t.end);
    last = t.end;
  }
  EXPECT_LE(last, after);
  EXPECT_TRUE(run_batch(*device_, {run}, false).times.empty());
}

TEST_P(StubFlight, AnEmptyBatchCompletesInOrder) {
  const auto memory = allocate(64);
  std::vector<int> order;
  Batch work;
  work.ops = {zeros(memory, 64)};
  work.done = [&](BatchResult&&) { order.push_back(1); };
  device_->submit(std::move(work));
  Batch empty;
  empty.done = [&](BatchResult&& r) {
    EXPECT_EQ(r.status, CL_SUCCESS);
    order.push_back(2);
  };
  device_->help(device_->submit(std::move(empty)));
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST_P(StubFlight, WhatADoneHeldIsGivenBackWithNoLockHeld) {
  // A context's destructor callback is the application's code, and may use the device.
  std::atomic<Ticket> last{0};
  std::shared_ptr<void> held(static_cast<void*>(nullptr), [&](void*) { last = device_->submit(Batch{}); });
  Batch batch;
  batch.done = [held](BatchResult&&) {};
  held.reset();
  device_->help(device_->submit(std::move(batch)));
  EXPECT_GT(last, 0u);
  device_->help(last);
}

TEST_P(StubFlight, ADoneMaySubmit) {
  const auto memory = allocate(64);
  std::atomic<Ticket> second{0};
  std::atomic<bool> second_done{false};
  Batch first;
  first.ops = {zeros(memory, 64)};
  first.done = [&](BatchResult&&) {
    Batch next;
    next.ops = {FillOp{memory, {std::byte{9}}, 0, 64}};
    next.done = [&](BatchResult&&) { second_done = true; };
    second = device_->submit(std::move(next));
  };
  device_->help(device_->submit(std::move(first)));
  ASSERT_NE(second.load(), 0u);
  device_->help(second);
  EXPECT_TRUE(second_done);
}

TEST_P(StubFlight, ThousandOpsInABatch) {
  const auto memory = allocate(64);
  std::vector<Op> ops = {zeros(memory, 64)};
  const RunOp run = count_op(memory, 64, 0, 16);
  for (int i = 0; i < 1000; ++i) ops.emplace_back(run);
  ASSERT_EQ(run_batch(*device_, std::move(ops)).status, CL_SUCCESS);
  EXPECT_EQ(words_of(memory, 16), std::vector<std::uint32_t>(16, 1000));
}

TEST_P(StubFlight, AThreadThatSubmitsInARowCompletesWhatHasEnded) {
  // A blocking driver's work is not for the submitting thread. A device that is behind leaves it nothing to complete.
  const bool may = !device_->description().blocking && !delayed();
  const auto self = std::this_thread::get_id();
  const auto memory = allocate(64);
  const RunOp run = count_op(memory, 64, 0, 1);
  std::atomic<bool> here{false};
  std::atomic<Ticket> completed{0};
  Ticket last = 0;
  for (int i = 0; i < (may ? 100000 : 2000) && !(may && here); ++i) {
    Batch batch;
    batch.ops = {run};
    batch.done = [&](BatchResult&&) {
      here = here || std::this_thread::get_id() == self;
      ++completed;
    };
    last = device_->submit(std::move(batch));
    device_->tidy(last);
  }
  if (!delayed()) {
    EXPECT_EQ(here, may);
  }
  device_->help(last);
  EXPECT_EQ(completed, last);
}

TEST_P(StubFlight, EightThreadsSubmitAndHelpAndCompletionsStayInOrder) {
  constexpr int kThreads = 8;
  constexpr int kBatches = 100;
  const auto memory = allocate(64);
  ASSERT_EQ(run_batch(*device_, {zeros(memory, 64)}).status, CL_SUCCESS);
  const RunOp run = count_op(memory, 64, 0, 16);
  std::atomic<int> completed{0};
  std::atomic<int> concurrent{0};
  std::atomic<bool> overlapped{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      int own = 0;  // completions run one at a time, so no lock is needed beyond help()
      for (int i = 0; i < kBatches; ++i) {
        Batch batch;
        batch.ops = {run};
        batch.done = [&, i](BatchResult&& result) {
          overlapped = overlapped || concurrent.fetch_add(1) != 0;
          EXPECT_EQ(result.status, CL_SUCCESS);
          EXPECT_EQ(own, i);
          ++own;
          ++completed;
          concurrent.fetch_sub(1);
        };
        const Ticket ticket = device_->submit(std::move(batch));
        if ((i + t) % 3 != 0 || i + 1 == kBatches) {
          device_->help(ticket);
          EXPECT_EQ(own, i + 1);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(completed, kThreads * kBatches);
  EXPECT_FALSE(overlapped);
  EXPECT_EQ(words_of(memory, 16), std::vector<std::uint32_t>(16, kThreads * kBatches));
}

TEST_P(StubFlight, BatchesCompleteWithoutAnyHelp) {
  const auto memory = allocate(64);
  for (int round = 0; round < 20; ++round) {
    std::mutex mutex;
    std::condition_variable changed;
    int completed = 0;
    for (int i = 0; i < 5; ++i) {
      Batch batch;
      batch.ops = {zeros(memory, 64)};
      batch.done = [&](BatchResult&&) {
        std::lock_guard lock(mutex);
        ++completed;
        changed.notify_all();
      };
      device_->submit(std::move(batch));
    }
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return completed == 5; });
    // A helped batch in between puts the progress thread into its other state.
    lock.unlock();
    if (round % 4 == 0) {
      EXPECT_EQ(run_batch(*device_, {zeros(memory, 64)}).status, CL_SUCCESS);
    }
  }
}

TEST_P(StubFlight, HelpReturnsInAForkedChild) {
  const auto memory = allocate(64);
  ASSERT_EQ(run_batch(*device_, {zeros(memory, 64)}).status, CL_SUCCESS);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    device_->help(1'000'000);
    cl_int status = CL_SUCCESS;
    Batch batch;
    batch.ops = {zeros(memory, 64)};
    batch.done = [&](BatchResult&& r) { status = r.status; };
    device_->help(device_->submit(std::move(batch)));
    _exit(status == CL_OUT_OF_RESOURCES ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

INSTANTIATE_TEST_SUITE_P(Kinds, StubFlight, testing::ValuesIn(kStubKinds), stub_kind_name);

}  // namespace
}  // namespace skmd::icd

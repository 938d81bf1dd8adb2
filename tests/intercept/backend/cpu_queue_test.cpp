// SPDX-License-Identifier: Apache-2.0
// The line of batches by itself: no driver, so that sanitizers see all of it.
#include "intercept/backend/cpu/cpu_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

namespace skmd::icd {
namespace {

class CpuQueueTest : public testing::Test {
 protected:
  ~CpuQueueTest() override { line_->stop(); }
  Ticket submit(std::function<void(BatchResult&&)> done) {
    Batch batch;
    batch.ops.resize(1);
    batch.helped = helped_;
    batch.done = std::move(done);
    return line_->submit(std::move(batch));
  }

  std::function<BatchResult(const Batch&)> execute_ = [](const Batch&) { return BatchResult{}; };
  bool helped_ = true;
  std::shared_ptr<Health> health_ = std::make_shared<Health>();
  std::atomic<int> inside_{0};
  std::shared_ptr<CpuQueue> line_ = std::make_shared<CpuQueue>(
      [this](const Batch& batch) {
        EXPECT_EQ(++inside_, 1) << "two batches at once";
        BatchResult result = execute_(batch);
        --inside_;
        return result;
      },
      health_);
};

TEST_F(CpuQueueTest, ManyThreadsEachSeeTheirOwnBatchesInOrder) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  int total = 0;  // only ever changed inside completions, one at a time
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      int seen = 0;
      for (int i = 0; i < 300; ++i) {
        const Ticket ticket = submit([&, i](BatchResult&&) {
          wrong += seen != i ? 1 : 0;
          seen = i + 1;
          ++total;
        });
        if (i % 3 == 0) line_->help(ticket);
        if (i % 50 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
      line_->help(submit([](BatchResult&&) {}));
      wrong += seen != 300 ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(total, 1200);
}

TEST_F(CpuQueueTest, NobodyHasToHelp) {
  for (int i = 0; i < 200; ++i) {
    std::atomic<bool> done{false};
    submit([&](BatchResult&&) { done = true; });
    while (!done) std::this_thread::yield();
    if (i % 20 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));  // it sleeps by then
  }
}

TEST_F(CpuQueueTest, WhatComesWhileSomebodyHelpsIsNotForgotten) {
  for (int i = 0; i < 200; ++i) {
    std::atomic<bool> second{false};
    const Ticket first = submit([&](BatchResult&&) { submit([&](BatchResult&&) { second = true; }); });
    line_->help(first);
    while (!second) std::this_thread::yield();
  }
}

TEST_F(CpuQueueTest, ThreadsThatWaitForDifferentBatchesOfARowAllGoOn) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> completed{0};
    std::vector<Ticket> tickets;
    for (int i = 0; i < 6; ++i) tickets.push_back(submit([&](BatchResult&&) { ++completed; }));
    std::vector<std::thread> waiting;
    for (int i = 5; i >= 0; --i)
      waiting.emplace_back([&, i] {
        line_->help(tickets[i]);
        EXPECT_GE(completed, i + 1);
      });
    for (std::thread& thread : waiting) thread.join();
    EXPECT_EQ(completed, 6);
  }
}

TEST_F(CpuQueueTest, RunsRowsWhetherOrNotTheThreadComesThatCameBefore) {
  for (int i = 0; i < 300; ++i) {
    std::atomic<bool> done{false};
    helped_ = i % 5 != 0;
    const Ticket ticket = submit([&](BatchResult&&) { done = true; });
    if (i % 3 != 2) line_->help(ticket);  // then it is expected, and does not come
    while (!done) std::this_thread::yield();
    if (i % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));  // the queue's thread sleeps by then
  }
}

TEST_F(CpuQueueTest, LackOfMemoryEndsTheBatchOnly) {
  execute_ = [](const Batch&) -> BatchResult { throw std::bad_alloc(); };
  cl_int status = CL_SUCCESS;
  Fault fault = Fault::none;
  line_->help(submit([&](BatchResult&& result) {
    status = result.status;
    fault = result.fault;
  }));
  EXPECT_EQ(status, CL_OUT_OF_HOST_MEMORY);
  EXPECT_EQ(fault, Fault::memory);
  EXPECT_EQ(health_->failures(), 1u);
  EXPECT_EQ(inside_.exchange(0), 1);
  execute_ = [](const Batch&) { return BatchResult{}; };
  line_->help(submit([&](BatchResult&& result) { status = result.status; }));
  EXPECT_EQ(status, CL_SUCCESS);
}

TEST_F(CpuQueueTest, StopsAfterAllThatWasSubmitted) {
  std::atomic<int> done{0};
  execute_ = [](const Batch&) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    return BatchResult{};
  };
  for (int i = 0; i < 50; ++i) submit([&](BatchResult&&) { ++done; });
  line_->stop();
  EXPECT_EQ(done, 50);
}

}  // namespace
}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// Launches that end between two groups to let other batches of the CPU driver in.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "intercept/backend/cpu/launch_yield.h"
#include "partitioner/base/look_again.h"
#include "tests/intercept/backend/cpu_device_fixture.h"

namespace skmd::icd {
namespace {

/// A launch of 1,000 groups that may end as soon as others wait, of which the first group waits at the gate.
class CpuDeviceYieldTest : public CpuDeviceTest {
 protected:
  Ticket submit_gated(std::vector<Op> more = {}) {
    RunOp gated = launch(kernel("wait_at_gate"), {over(gate_), over(out_)}, line_range(0, 1000, 1));
    gated.quantum_ns = 1;
    Batch batch;
    batch.ops = {std::move(gated)};
    batch.ops.insert(batch.ops.end(), more.begin(), more.end());
    batch.want_times = true;
    batch.done = [this](BatchResult&& result) { result_ = std::move(result); };
    return device_->submit(std::move(batch));
  }
  void open_gate() { std::atomic_ref(gate_[0]).store(1); }

  std::vector<Word> gate_ = std::vector<Word>(1), out_ = std::vector<Word>(1), sum_ = std::vector<Word>(1), in_ = {8};
  BatchResult result_;
};

TEST_F(CpuDeviceYieldTest, ALaunchThatMayEndDoesWhereAnotherBatchWaits) {
  RunOp add = launch(kernel("add"), {over(sum_), over(in_), bytes_of(Word{1})}, line_range(0, 1, 1));
  const Ticket gated = submit_gated({add});
  Batch other;
  other.done = [](BatchResult&&) {};
  const Ticket waiting = device_->submit(std::move(other));
  open_gate();
  device_->help(gated);
  device_->help(waiting);
  EXPECT_EQ(result_.status, CL_SUCCESS);
  ASSERT_TRUE(result_.left);
  EXPECT_EQ(result_.left->op, 0u);
  EXPECT_GE(result_.left->groups, 1u);
  EXPECT_LT(result_.left->groups, 1000u);
  EXPECT_EQ(sum_[0], 0u) << "what comes behind it in its batch did not run";
  ASSERT_EQ(result_.times.size(), 2u);
  EXPECT_EQ(result_.times[1].start, 0u);
}

TEST_F(CpuDeviceYieldTest, ALaunchThatMayEndRunsToItsEndWhereNothingWaits) {
  const Ticket gated = submit_gated();
  open_gate();
  device_->help(gated);
  EXPECT_EQ(result_.status, CL_SUCCESS);
  EXPECT_FALSE(result_.left);
}

/// A thread that watches a launch sleeps until it is told.
TEST_F(CpuDeviceYieldTest, ABatchBehindARunningOneIsTold) {
  const Looker looker;
  bool told = false;
  // The device's thread may need more than one round until it runs a batch before the next one comes.
  for (int round = 0; round < 100 && !told; ++round) {
    gate_[0] = 0;
    submit_gated();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::uint32_t seen = looker.before();
    Batch behind;
    behind.done = [](BatchResult&&) {};
    const Ticket last = device_->submit(std::move(behind));
    told = looker.before() != seen;
    open_gate();
    device_->help(last);
  }
  EXPECT_TRUE(told);
}

TEST(StopToken, TellsThreadsThatLook) {
  const Looker looker;
  const std::uint32_t seen = looker.before();
  StopToken stop;
  stop.request_at(host_now() + 1);
  EXPECT_NE(looker.before(), seen);
}

constexpr std::uint64_t kHour = 3'600'000'000'000;

TEST(LaunchYield, IsDueByTimeOnceAStopIsAskedFor) {
  RunOp op;
  op.stop = std::make_shared<StopToken>();
  const std::function<bool()> none_wait = [] { return false; };
  const LaunchYield yield(op, host_now(), none_wait);
  EXPECT_EQ(yield.due_in(), UINT64_MAX);
  op.stop->request_at(host_now() + kHour);
  EXPECT_FALSE(yield.due());
  EXPECT_GT(yield.due_in(), kHour / 2);
  EXPECT_LE(yield.due_in(), kHour);

  RunOp now;
  now.stop = std::make_shared<StopToken>();
  now.stop->request();
  const LaunchYield at_once(now, host_now(), none_wait);
  EXPECT_TRUE(at_once.due());
  EXPECT_EQ(at_once.due_in(), 0u);
}

TEST(LaunchYield, IsDueByItsQuantumOnlyWhereOthersWait) {
  RunOp op;
  op.quantum_ns = kHour;
  bool wait = false;
  const std::function<bool()> others_wait = [&] { return wait; };
  const LaunchYield yield(op, host_now(), others_wait);
  EXPECT_EQ(yield.due_in(), UINT64_MAX);
  wait = true;
  EXPECT_GT(yield.due_in(), kHour / 2);
  EXPECT_LE(yield.due_in(), kHour);
  EXPECT_FALSE(yield.due());
}

}  // namespace
}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// A device in another machine that falls silent. Each test needs a process of its own: see far_discovery_test.cpp.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "intercept/backend/vendor/vendor_constants.h"
#include "tests/intercept/backend/far_fixture.h"
#include "tests/stub-icd/kernels.h"

namespace skmd::icd {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint64_t kBytes = 1024;

class FarLoss : public OneFarDevice, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    if (GetParam() != nullptr) setenv("STUB_FAR_DELAY_US", GetParam(), 1);
  }
  /// `silent` as STUB_FAR_SILENT.
  void open(const char* silent) {
    setenv("STUB_FAR_SILENT", silent, 1);
    open_far(kBytes);
    device_->health()->watch([this](const std::string& reason) {
      device_->health()->set_aside();
      lost_ = reason;
    });
  }
  RunOp count() {
    RunOp run;
    run.kernel = kernel_of(*device_, stub::kKernelSource, "stub_count");
    run.arguments = arguments_of({BufferArgument{memory_, 0, kBytes}});
    run.range = line_range(0, kBytes / 4, 4);
    return run;
  }
  std::string lost_;
};

TEST_P(FarLoss, WorksWhileItAnswers) {
  open("");
  const std::uint32_t seven = 7;
  EXPECT_EQ(run_batch(*device_, {FillOp{memory_, bytes_of(seven), 0, kBytes}, count()}).status, CL_SUCCESS);
  std::vector<std::uint32_t> words(kBytes / 4);
  EXPECT_EQ(run_batch(*device_, {ReadOp{memory_, bytes_at(words.data()), plain_rows(0, kBytes)}}, true).status,
            CL_SUCCESS);
  EXPECT_EQ(words, std::vector<std::uint32_t>(kBytes / 4, 8));
  EXPECT_EQ(lost_, "");
}

TEST_P(FarLoss, WhatIsUnderWayFailsAndTheDeviceIsSetAside) {
  open("clEnqueueNDRangeKernel:2");
  ASSERT_EQ(run_batch(*device_, {count()}).status, CL_SUCCESS);
  const auto begin = Clock::now();
  const BatchResult result = run_batch(*device_, {count(), count()});
  const auto took = Clock::now() - begin;
  EXPECT_EQ(result.status, CL_DEVICE_NOT_AVAILABLE);
  EXPECT_EQ(result.fault, Fault::device);
  EXPECT_NE(result.reason.find("does not answer any more"), std::string::npos) << result.reason;
  EXPECT_NE(lost_.find("does not answer any more"), std::string::npos) << lost_;
  EXPECT_GE(took, tuning::kSilence);
  EXPECT_LT(took, tuning::kSilence + std::chrono::seconds(1));
}

TEST_P(FarLoss, ItIsNotCalledAgain) {
  open("clEnqueueNDRangeKernel:1");
  auto kernel = count();
  ASSERT_NE(run_batch(*device_, {kernel}).status, CL_SUCCESS);
  const auto begin = Clock::now();
  EXPECT_NE(run_batch(*device_, {kernel}).status, CL_SUCCESS);
  EXPECT_FALSE(device_->allocate(kBytes, nullptr));
  std::string log;
  EXPECT_FALSE(device_->build(stub::kKernelSource, "", log));
  EXPECT_FALSE(device_->info(CL_DEVICE_MAX_CONSTANT_ARGS));
  kernel = {};
  memory_.reset();
  device_.reset();  // its queue would wait for ever
  EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(500));
}

TEST_P(FarLoss, EveryThreadThatWaitsGoesOn) {
  open("clEnqueueNDRangeKernel:1");
  std::atomic<int> failed{0};
  std::vector<Ticket> tickets;
  for (int i = 0; i < 4; ++i) {
    Batch batch;
    batch.ops = {count()};
    batch.done = [&](BatchResult&& result) { failed += result.status != CL_SUCCESS ? 1 : 0; };
    tickets.push_back(device_->submit(std::move(batch)));
  }
  const auto begin = Clock::now();
  std::vector<std::thread> threads;
  for (const Ticket ticket : tickets) threads.emplace_back([this, ticket] { device_->help(ticket); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 4);
  EXPECT_LT(Clock::now() - begin, tuning::kSilence + std::chrono::seconds(1));
}

INSTANTIATE_TEST_SUITE_P(Stub, FarLoss, testing::Values("0"));

}  // namespace
}  // namespace skmd::icd

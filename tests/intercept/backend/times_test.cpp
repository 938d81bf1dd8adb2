// SPDX-License-Identifier: Apache-2.0
// Times of commands on the host's clock, where the device's is another one.
#include <thread>

#include "intercept/backend/port/host_clock.h"
#include "tests/intercept/backend/stub_fixture.h"

namespace skmd::icd {
namespace {

constexpr std::uint64_t kBytes = 4096;

class Times : public testing::Test {
 protected:
  void SetUp() override {
    auto found = discover_stub("stub:0");
    ASSERT_TRUE(found) << found.error().reason;
    device_ = found->devices.front();
    memory_ = *device_->allocate(kBytes, nullptr);
  }
  void TearDown() override {
    stub::release();
    stub::set_failure("");
  }
  [[nodiscard]] FillOp fill(std::uint8_t value) const { return {memory_, {std::byte{value}}, 0, kBytes}; }

  std::shared_ptr<Device> device_;
  std::shared_ptr<NativeMemory> memory_;
};

TEST_F(Times, AreBetweenSubmissionAndTheEnd) {
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t before = host_now();
    const BatchResult result = run_batch(*device_, {fill(1), fill(2)}, true);
    const std::uint64_t after = host_now();
    ASSERT_EQ(result.times.size(), 2u);
    EXPECT_LE(before, result.times[0].start);
    EXPECT_LE(result.times[0].end, result.times[1].start);
    EXPECT_LE(result.times[1].end, after);
    for (const OpTime& time : result.times) EXPECT_EQ(time.end - time.start, time.device_ns);
  }
}

TEST_F(Times, AreThoseOfTheDeviceHoweverLateTheEndIsNoticed) {
  RunOp launch;
  launch.kernel = kernel_of(*device_, stub::kKernelSource, "stub_count");
  launch.range = line_range(0, 16, 4);
  launch.arguments = arguments_of({BufferArgument{memory_, 0, kBytes}});
  ASSERT_EQ(run_batch(*device_, {launch}, true).times.size(), 1u);
  std::vector<std::byte> first(kBytes), second(kBytes);
  std::uint64_t over = 0;
  BatchResult late;
  Batch keeps, reads;
  keeps.ops = {fill(3)};
  keeps.want_times = reads.want_times = true;
  reads.ops = {ReadOp{memory_, first.data(), plain_rows(0, kBytes)},
               ReadOp{memory_, second.data(), plain_rows(0, kBytes)}};
  // The thread that completes the first batch stays in its callback until the other's reads are over.
  keeps.done = [&, all = stub::commands_run() + 3](BatchResult&&) {
    while (stub::commands_run() < all) std::this_thread::yield();
    over = host_now();
  };
  reads.done = [&](BatchResult&& result) { late = std::move(result); };
  stub::hold();
  device_->submit(std::move(keeps));
  const Ticket last = device_->submit(std::move(reads));
  stub::release();
  device_->help(last);
  ASSERT_EQ(late.times.size(), 2u);
  EXPECT_LE(late.times[0].end, over);
  EXPECT_LE(late.times[0].end, late.times[1].start);
}

TEST_F(Times, WithoutAnyThereAreNone) {
  stub::set_failure("clGetEventProfilingInfo:0:-7");
  const BatchResult result = run_batch(*device_, {fill(1)}, true);
  EXPECT_EQ(result.status, CL_SUCCESS) << result.reason;
  EXPECT_TRUE(result.times.empty());
}

}  // namespace
}  // namespace skmd::icd

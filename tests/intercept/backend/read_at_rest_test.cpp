// SPDX-License-Identifier: Apache-2.0
// A driver that copies pageable memory slowly: it waits for small reads by itself where the device has nothing else to
// do, which is sooner there than waiting for an event; never where that would keep the submitter waiting for older
// work.
#include "tests/intercept/backend/stub_fixture.h"

namespace skmd::icd {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{2} << 20;

class ReadAtRest : public testing::Test {
 protected:
  void SetUp() override {
    auto found = discover_stub("stub:0");
    ASSERT_TRUE(found) << found.error().reason;
    device_ = found->devices.front();
    memory_ = *device_->allocate(kBytes, nullptr);
    ASSERT_EQ(run_batch(*device_, {FillOp{memory_, {std::byte{7}}, 0, kBytes}}).status, CL_SUCCESS);
    stub::take_log();
  }
  void TearDown() override {
    stub::release();
    stub::set_failure("");
  }
  [[nodiscard]] ReadOp read(std::uint64_t begin, std::uint64_t bytes) {
    return {memory_, to_.data(), plain_rows(begin, bytes)};
  }
  BatchResult run(std::vector<Op> ops, bool awaited = true) {
    BatchResult result{1, "done was not called", {}};
    Batch batch;
    batch.ops = std::move(ops);
    batch.awaited = awaited;
    batch.done = [&](BatchResult&& r) { result = std::move(r); };
    device_->help(device_->submit(std::move(batch)));
    return result;
  }
  /// How the reads since the last time were asked for.
  static std::vector<bool> blocking() {
    std::vector<bool> found;
    for (const std::string& line : calls_of(stub::take_log(), "clEnqueueReadBuffer "))
      found.push_back(line.ends_with(" blocking"));
    return found;
  }

  std::shared_ptr<Device> device_;
  std::shared_ptr<NativeMemory> memory_;
  std::vector<std::byte> to_ = std::vector<std::byte>(kBytes);
};

TEST_F(ReadAtRest, OneSmallReadIsWaitedForInside) {
  for (const std::uint64_t bytes : {std::uint64_t{4}, std::uint64_t{1024}, std::uint64_t{1} << 20}) {
    ASSERT_EQ(run({read(16, bytes)}).status, CL_SUCCESS);
    EXPECT_EQ(blocking(), std::vector<bool>{true}) << bytes;
    EXPECT_EQ(to_[16 + bytes - 1], std::byte{7});
  }
}

TEST_F(ReadAtRest, OthersAreNot) {
  ASSERT_EQ(run({read(0, (std::uint64_t{1} << 20) + 1)}).status, CL_SUCCESS);
  EXPECT_EQ(blocking(), std::vector<bool>{false}) << "a large one";
  ASSERT_EQ(run({read(0, 64), read(128, 64)}).status, CL_SUCCESS);
  EXPECT_EQ(blocking(), (std::vector<bool>{false, false})) << "several";
  ASSERT_EQ(run({read(0, 64)}, false).status, CL_SUCCESS);
  EXPECT_EQ(blocking(), std::vector<bool>{false}) << "no thread waits for it yet";
  // A rectangle whose last row reaches the end of the buffer, which comes alone.
  ASSERT_EQ(run({ReadOp{memory_, to_.data(), {417 * 5000 + 10, 100, 5000, 3}}}).status, CL_SUCCESS);
  EXPECT_EQ(blocking(), std::vector<bool>{false}) << "rows";
}

TEST_F(ReadAtRest, NorOneBehindWorkThatHasNotEnded) {
  Batch fill;
  fill.ops = {FillOp{memory_, {std::byte{9}}, 0, kBytes}};
  Batch behind;
  behind.ops = {read(0, 64)};
  behind.awaited = true;
  stub::hold();
  device_->submit(std::move(fill));
  const Ticket last = device_->submit(std::move(behind));  // would never return
  EXPECT_EQ(blocking(), std::vector<bool>{false});
  stub::release();
  device_->help(last);
  EXPECT_EQ(to_[0], std::byte{9});
}

TEST_F(ReadAtRest, AFailureIsToldAsThatOfAnyRead) {
  stub::set_failure("clEnqueueReadBuffer:1:-5");
  EXPECT_EQ(run({read(0, 64)}).status, CL_SUCCESS) << "asked for again, without waiting";
  EXPECT_EQ(blocking(), (std::vector<bool>{true, false}));
  stub::set_failure("clEnqueueReadBuffer:0:-5");
  const BatchResult refused = run({read(0, 64)});
  EXPECT_EQ(refused.status, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(refused.accepted, 0u);
  stub::set_failure("run:clEnqueueReadBuffer:1:-5");
  const BatchResult failed = run({read(0, 64)});
  EXPECT_EQ(failed.status, CL_OUT_OF_RESOURCES) << "the call succeeds, only waiting tells";
  EXPECT_EQ(failed.fault, Fault::device);
}

}  // namespace
}  // namespace skmd::icd

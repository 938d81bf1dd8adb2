// SPDX-License-Identifier: Apache-2.0
// What a device that does not block must do while its work is unfinished. The stub's commands are held, so that the
// order of things is given by the test and not by any clock.
#include <atomic>
#include <thread>

#include "tests/intercept/backend/device_fixture.h"
#include "tests/stub-icd/control.h"
#include "tests/stub-icd/kernels.h"

namespace skmd::icd {
namespace {

class HeldDevice : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto found = discover({.vendors_folder = STUB_ICD_VENDORS, .selectors = GetParam(), .own_library = ""});
    ASSERT_TRUE(found) << found.error().reason;
    device_ = found->devices.front();
    ASSERT_FALSE(device_->description().blocking);
    memory_ = *device_->allocate(64, nullptr);
    stub::hold();
  }
  void TearDown() override { stub::release(); }
  Batch fill(int id) {
    Batch batch;
    batch.ops = {FillOp{memory_, {static_cast<std::byte>(id)}, 0, 64}};
    batch.done = [this, id](BatchResult&& r) {
      EXPECT_EQ(r.status, CL_SUCCESS);
      std::lock_guard lock(mutex_);
      order_.push_back(id);
    };
    return batch;
  }
  std::vector<int> order() {
    std::lock_guard lock(mutex_);
    return order_;
  }
  std::shared_ptr<Device> device_;
  std::shared_ptr<NativeMemory> memory_;
  std::mutex mutex_;
  std::vector<int> order_;
};

TEST_P(HeldDevice, SubmitReturnsAndCompletesNothingBeforeTheDeviceHas) {
  Ticket last = 0;
  for (int i = 0; i < 10; ++i) {
    const Ticket ticket = device_->submit(fill(i));
    EXPECT_GT(ticket, last);
    last = ticket;
  }
  EXPECT_TRUE(order().empty());
  stub::release();
  device_->help(last);
  EXPECT_EQ(order(), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_P(HeldDevice, HelpersOfAllTicketsReturnWithTheirBatchDone) {
  std::vector<Ticket> tickets;
  for (int i = 0; i < 16; ++i) tickets.push_back(device_->submit(fill(i)));
  std::vector<std::thread> helpers;
  for (std::size_t i = 0; i < tickets.size(); ++i) {
    helpers.emplace_back([&, i] {
      device_->help(tickets[15 - i]);
      EXPECT_GE(order().size(), 16 - i);
    });
  }
  stub::release();
  for (std::thread& helper : helpers) helper.join();
  EXPECT_EQ(order().size(), 16u);
}

TEST_P(HeldDevice, HelpForATicketLeavesLaterBatchesToOthers) {
  const Ticket first = device_->submit(fill(1));
  device_->submit(fill(2));
  stub::release();
  device_->help(first);
  EXPECT_EQ(order().front(), 1);
  // No thread helps the second: the progress thread has to complete it.
  std::atomic<bool> third{false};
  Batch batch = fill(3);
  batch.done = [&](BatchResult&&) {
    third = true;
    third.notify_all();
  };
  device_->submit(std::move(batch));
  third.wait(false);
  EXPECT_EQ(order(), (std::vector<int>{1, 2}));
}

TEST_P(HeldDevice, DestroyingTheDeviceWaitsForItsBatches) {
  device_->submit(fill(1));
  device_->submit(fill(2));
  stub::release();
  device_.reset();
  EXPECT_EQ(order(), (std::vector<int>{1, 2}));
}

TEST_P(HeldDevice, ABatchHoldsWhatItUsesUntilItIsDone) {
  Batch batch = fill(1);
  auto scratch = *device_->allocate(64, nullptr);
  const std::weak_ptr<NativeMemory> watched = scratch;
  batch.ops.emplace_back(CopyOp{memory_, std::move(scratch), 0, 0, 64});
  const Ticket ticket = device_->submit(std::move(batch));
  EXPECT_FALSE(watched.expired());
  stub::release();
  device_->help(ticket);
  EXPECT_TRUE(watched.expired());
}

INSTANTIATE_TEST_SUITE_P(Kinds, HeldDevice, testing::Values("stub:0", "stub:1"),
                         [](const auto& param) { return param.index == 0 ? "gpu" : "cpu"; });

}  // namespace
}  // namespace skmd::icd

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  stub::configure("gpu,cpu", 0);
  return RUN_ALL_TESTS();
}

// SPDX-License-Identifier: Apache-2.0
// Submitting without memory, where nothing can be waited for: inside a completion.
#include <atomic>
#include <new>

#include "tests/intercept/backend/device_fixture.h"
#include "tests/intercept/launch/allocation_counter.h"
#include "tests/stub-icd/control.h"

namespace skmd::icd {
namespace {

class ShortOfMemory : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto found = discover({.vendors_folder = STUB_ICD_VENDORS, .selectors = GetParam(), .own_library = ""});
    ASSERT_TRUE(found) << found.error().reason;
    device_ = found->devices.front();
    memory_ = *device_->allocate(64, nullptr);
  }
  Batch fill(std::function<void(BatchResult&&)> done) {
    Batch batch;
    batch.ops = {FillOp{memory_, {std::byte{7}}, 0, 64}};
    batch.done = std::move(done);
    return batch;
  }
  std::shared_ptr<Device> device_;
  std::shared_ptr<NativeMemory> memory_;
};

// More than any container keeps room for: each of its growths is met by a failure.
constexpr std::size_t kBatches = 300;

TEST_P(ShortOfMemory, ACompletionSubmitsOrIsToldThatNothingWasSubmitted) {
  std::atomic<std::size_t> told{0}, submitted{0}, refused{0};
  for (std::size_t failing = 1; failing <= 60; ++failing) {
    std::atomic<bool> over{false};
    Ticket last = 0;
    const auto submit_many = [&](BatchResult&&) {
      for (std::size_t i = 0; i < kBatches; ++i) {
        Batch batch = fill([&](BatchResult&&) { ++told; });
        test::fail_allocation(failing);
        try {
          last = device_->submit(std::move(batch));
          ++submitted;
        } catch (const std::bad_alloc&) {
          ++refused;
        }
        test::fail_allocation(0);
      }
      over = true;
      over.notify_all();
    };
    device_->help(device_->submit(fill(submit_many)));
    over.wait(false);
    device_->help(last);
    EXPECT_EQ(told, submitted) << "allocation " << failing;
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(submitted, 0u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ShortOfMemory, testing::Values("stub:0", "stub:1"),
                         [](const auto& param) { return param.index == 0 ? "gpu" : "cpu"; });

}  // namespace
}  // namespace skmd::icd

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  stub::configure("gpu,cpu", 0);
  return RUN_ALL_TESTS();
}

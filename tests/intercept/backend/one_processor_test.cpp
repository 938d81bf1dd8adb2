// SPDX-License-Identifier: Apache-2.0
// In a process of one processor a device's own thread polls for completions and leaves waiting, which spins, to the
// threads that need a result.
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/intercept/backend/stub_fixture.h"

namespace skmd::icd {
namespace {

class OneProcessor : public StubDevice {
 protected:
  void SetUp() override {
    ASSERT_EQ(sched_getaffinity(0, sizeof usual_, &usual_), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    int first = 0;
    while (!CPU_ISSET(first, &usual_)) ++first;
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    StubDevice::SetUp();
  }
  void TearDown() override {
    StubDevice::TearDown();
    EXPECT_EQ(sched_setaffinity(0, sizeof usual_, &usual_), 0);
  }
  static std::size_t used(const char* call) {
    const auto uses = stub::uses();
    const auto found = uses.find(call);
    return found == uses.end() ? 0 : found->second;
  }
  static void nap() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

  cpu_set_t usual_{};
};

TEST_P(OneProcessor, TheDevicesThreadAsksUntilTheWorkHasEnded) {
  const auto memory = allocate(64);
  for (const bool quiet : {false, true}) {
    const std::size_t asked = used("clGetEventInfo"), waited = used("clWaitForEvents") + used("clFinish");
    const bool later = delayed();  // else it runs inside the call
    if (later) stub::hold();
    std::atomic<bool> done{false};
    Batch batch;
    batch.ops = {zeros(memory, 64)};
    batch.quiet = quiet;
    batch.done = [&](BatchResult&& result) {
      EXPECT_EQ(result.status, CL_SUCCESS) << result.reason;
      done = true;
    };
    device_->submit(std::move(batch));
    if (later && !device_->description().blocking) {
      while (used("clGetEventInfo") < asked + 30) nap();  // more than it looks in before it sleeps for good elsewhere
      EXPECT_EQ(used("clWaitForEvents") + used("clFinish"), waited);
      EXPECT_FALSE(done);
    }
    if (later) stub::release();
    while (!done) nap();  // without helping
  }
}

TEST_P(OneProcessor, WhoeverWaitsCompletesIt) {
  const auto memory = allocate(64);
  int done = 0;
  for (int i = 0; i < 200; ++i) {
    Batch batch;
    batch.ops = {zeros(memory, 64), count_op(memory, 64, 0, 16)};
    batch.done = [&](BatchResult&&) { ++done; };
    const Ticket ticket = device_->submit(std::move(batch));
    if (i % 7 == 0) device_->help(ticket);
  }
  EXPECT_EQ(words_of(memory, 16), std::vector<std::uint32_t>(16, 1));
  EXPECT_EQ(done, 200);
}

INSTANTIATE_TEST_SUITE_P(Kinds, OneProcessor, testing::ValuesIn(kStubKinds), stub_kind_name);

}  // namespace
}  // namespace skmd::icd

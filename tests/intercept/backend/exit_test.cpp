// SPDX-License-Identifier: Apache-2.0
// Processes that end while threads of ours are on their way out of the driver.
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <thread>

#include "cpu-driver/runtime/processors.h"
#include "tests/intercept/backend/stub_fixture.h"

namespace skmd::icd {
namespace {

/// A batch that has not ended, and the device's own thread in the driver, waiting for it.
struct UnderWay {
  std::shared_ptr<Device> device;
  Ticket ticket = 0;
};

UnderWay begin(int late_us) {
  auto found = discover_stub("stub:0");
  if (!found) _exit(1);
  UnderWay made{found->devices.front()};
  auto memory = made.device->allocate(64, nullptr);
  if (!memory) _exit(2);
  stub::hold();
  Batch batch;
  batch.ops.emplace_back(FillOp{*memory, {std::byte{1}}, 0, 64});
  batch.done = [](BatchResult&&) {};
  made.ticket = made.device->submit(std::move(batch));
  while (stub::waiters() == 0) std::this_thread::yield();
  stub::keep_waiters(late_us);
  return made;
}

/// exit() unwinds nothing: the device stays, as that of an application does.
void run_and_exit() {
  const UnderWay batch = begin(20'000);
  stub::release();
  batch.device->help(batch.ticket);
  if (stub::waiters() == 0) _exit(3);  // nobody was late
  std::exit(0);
}

/// With one processor a device's own thread asks whether work has ended, and is never in there to wait.
bool has_waiting_threads() { return cpu::usable_processors() > 1; }

TEST(Exit, WaitsForThreadsThatAreInADriver) {
  if (!has_waiting_threads()) GTEST_SKIP() << "no thread of ours waits in a driver on one processor";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(run_and_exit(), testing::ExitedWithCode(0), "");
}

/// What is under way when the application exits is its own affair.
void exit_with_work_under_way() {
  const UnderWay batch = begin(1);
  std::exit(0);
}

TEST(Exit, DoesNotWaitForEver) {
  if (!has_waiting_threads()) GTEST_SKIP() << "no thread of ours waits in a driver on one processor";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(exit_with_work_under_way(), testing::ExitedWithCode(stub::kEndedUnderneath), "");
}

}  // namespace
}  // namespace skmd::icd

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  stub::configure("gpu", 0);
  return RUN_ALL_TESTS();
}

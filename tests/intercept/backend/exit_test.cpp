// SPDX-License-Identifier: Apache-2.0
// Processes that end while threads of ours are on their way out of the driver.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "cpu-driver/runtime/processors.h"
#include "tests/intercept/backend/stub_fixture.h"

namespace skmd::icd {
namespace {

using namespace std::chrono_literals;

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
  if (stub::waiters() == 0) _exit(3);  // no thread was late
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

std::atomic<bool> released{false};

/// A launch on a CPU's driver is under way, which ends `later` than exit() begins; `first_use` as in Batch. The exit
/// status is 0 if exit() waited for it, 4 if not.
void exit_under_a_launch(bool first_use, std::chrono::milliseconds later) {
  // Registered before the driver is used: it runs after all that drivers and compilers have registered.
  (void)std::atexit([] { _exit(released ? 0 : 4); });
  auto found = discover_stub("stub:1");
  if (!found) _exit(1);
  const std::shared_ptr<Device> device = found->devices.front();
  auto memory = device->allocate(64, nullptr);
  if (!memory) _exit(2);
  stub::hold();
  Batch batch;
  batch.first_use = first_use;
  batch.ops.emplace_back(FillOp{*memory, {std::byte{1}}, 0, 64});
  batch.done = [](BatchResult&&) {};
  device->submit(std::move(batch));
  std::thread([later] {
    std::this_thread::sleep_for(later);
    released = true;
    stub::release();
  }).detach();
  std::exit(0);
}

TEST(Exit, WaitsForALaunchThatItsDriverMayBeCompiling) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(exit_under_a_launch(true, 300ms), testing::ExitedWithCode(0), "");
}

TEST(Exit, DoesNotWaitForALaunchThatIsCompiledAlready) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(exit_under_a_launch(false, 10s), testing::ExitedWithCode(4), "");
}

}  // namespace
}  // namespace skmd::icd

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  stub::configure("gpu,cpu", 0);
  return RUN_ALL_TESTS();
}

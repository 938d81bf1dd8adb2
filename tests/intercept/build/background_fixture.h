// SPDX-License-Identifier: Apache-2.0
// Two devices whose builds stop at gates, and a queue of background builds. No test decides anything by a clock.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <thread>

#include "intercept/object/build_queue.h"
#include "tests/intercept/build/build_fixture.h"
#include "tests/temporary_folder.h"

namespace skmd::icd {

using namespace std::chrono_literals;

/// Builds stop here while it is closed.
class Gate {
 public:
  void close() {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    most_ = std::max(most_, waiting_);
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    --waiting_;
  }
  /// Until so many builds are stopped here.
  void wait_for(int builds) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ >= builds; });
  }
  int most() {
    const std::lock_guard lock(mutex_);
    return most_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  int waiting_ = 0, most_ = 0;
};

class BackgroundBuilds : public test::BuildTest {
 protected:
  BackgroundBuilds() {
    anchor->accepts = [this](const std::string&) { return anchor_gate.pass(), anchor_takes.load(); };
    other->accepts = [this](const std::string&) { return other_gate.pass(), other_takes.load(); };
    start_queue(1, 0ms, 1h);
  }
  ~BackgroundBuilds() override {
    anchor_gate.open();
    other_gate.open();
    machine.builds = nullptr;
    queue.reset();
  }
  void start_queue(std::size_t most, std::chrono::milliseconds before_others, std::chrono::milliseconds for_first,
                   std::uint64_t slow_to_start = 0, std::chrono::milliseconds for_slow_start = 0ms,
                   std::chrono::milliseconds before_own = 1h) {
    machine.builds = nullptr;
    queue.reset();
    queue = std::make_unique<BuildQueue>(most, BuildQueue::Delays{before_others, for_first, for_slow_start, before_own},
                                         slow_to_start);
    machine.builds = queue.get();
  }
  BuildOutcome build(const std::string& text = "text") { return make_executable(machine, answer(text), nullptr); }
  std::size_t builds_of(test::ScriptedDevice& device) {
    const std::lock_guard lock(device.mutex);
    return device.built.size();
  }

  /// By the queue: asking for the end would run it here.
  static void expect_built_by_itself(const NativeBuilds& builds) {
    for (int i = 0; i < 3000 && !builds.built(1); ++i) std::this_thread::sleep_for(10ms);
    EXPECT_TRUE(builds.built(1));
  }

  Gate anchor_gate, other_gate;
  std::atomic<bool> anchor_takes{true}, other_takes{true};
  std::unique_ptr<BuildQueue> queue;
};

}  // namespace skmd::icd

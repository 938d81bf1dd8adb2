// SPDX-License-Identifier: Apache-2.0
// Builds in the background, on threads of their own, few enough to leave the application a core.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "intercept/object/native_builds.h"

namespace skmd::icd {

/// Threads are started when first needed and leave when they have had nothing to do for a while. After a fork the child
/// has none of them, and builds nothing.
class BuildQueue {
 public:
  struct Delays {
    /// How long a program lives before more than its first device is built for it, unless a launch of it is repeated. A
    /// program that is gone sooner would not have been worth the work, and one that stays hardly misses it: PoCL on two
    /// cores takes 0.2 s to build a small program and run it once.
    std::chrono::milliseconds before_others{250};
    /// How long the first device may take before the others are tried beside it: only large programs take longer, which
    /// cost seconds on any device. Sooner, small programs on a busy machine would be built twice.
    std::chrono::milliseconds for_first{1000};
    /// How long after the first repeated launch a device is begun on that is slow to start. A second H100 takes 0.1 to
    /// 0.2 s of a process, its context's making and end together, so only one that launches for about as long gains. A
    /// device of another host takes milliseconds of a process with one processor (threads' times of scan_large_arrays).
    std::chrono::milliseconds for_slow_start{150};
    /// How long the first device may take before our own code is compiled beside it, where processors would be idle: so
    /// long takes a vendor's compiler, or making the first context (110 to 170 ms on an H100). Programs that the vendor
    /// has compiled before take a millisecond, and are not compiled for processors unless a launch is repeated.
    std::chrono::milliseconds before_own{25};
  };

  /// At most `most` builds at once; 0: one less than the processors that the process may use, but at least one.
  /// `slow_to_start`, bit d: device d, the first time that the queue builds for it, waits for a repeated launch and
  /// Delays::for_slow_start more.
  explicit BuildQueue(std::size_t most = 0, std::uint64_t slow_to_start = 0)
      : BuildQueue(most, Delays(), slow_to_start) {}
  BuildQueue(std::size_t most, Delays delays, std::uint64_t slow_to_start = 0);
  ~BuildQueue();  // only in tests: drops what has not begun, and waits for the rest
  BuildQueue(const BuildQueue&) = delete;
  BuildQueue& operator=(const BuildQueue&) = delete;

  /// Queues the builds that `builds` has not begun, in its order, and marks them as wanted. Each begins after `delay`,
  /// if `builds` still exists then. Not the order's first device, which has been begun or handed to another thread, and
  /// would only occupy a thread of the queue. A device that is slow to start waits for hurry(), unless `delay` is 0.
  /// Does not block. Thread-safe.
  void follow(const std::shared_ptr<NativeBuilds>& builds, std::chrono::milliseconds delay);
  /// Queues the builds for `devices` alone, without delay. They are not marked as wanted by this.
  void follow_on(const std::shared_ptr<NativeBuilds>& builds, const std::vector<std::uint32_t>& devices);
  /// Moves the queued builds of `builds` to the front, without delay, except Delays::for_slow_start. Thread-safe.
  void hurry(const NativeBuilds& builds);
  /// From now on nothing is built for devices whose bit is set when their turn comes; what was queued for them is not
  /// wanted any more. Before the first use. `stopped` outlives this.
  void leave_out(const std::atomic<std::uint64_t>& stopped) { stopped_ = &stopped; }
  [[nodiscard]] const Delays& delays() const { return delays_; }
  /// Whether there are processors for a build beside the first device's: three at least, and one is left free.
  [[nodiscard]] bool has_room() const { return most_ >= 3; }

 private:
  struct State;
  State& state();
  const std::size_t most_;
  const Delays delays_;
  const std::uint64_t slow_to_start_;
  const std::atomic<std::uint64_t>* stopped_ = nullptr;
  std::atomic<State*> state_{nullptr};  // made at the first use; another one after a fork
};

}  // namespace skmd::icd

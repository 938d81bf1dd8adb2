// SPDX-License-Identifier: Apache-2.0
// Time without the pauses in which an application does something else: plans are judged by what rounds of launches
// take, and what the application computes between them is the same under every plan.
#pragma once

#include <atomic>
#include <cstdint>

namespace skmd::icd {

/// Counts the application's commands that were enqueued and have not ended, over all queues of the process. Any thread.
class BusyClock {
 public:
  /// Null before start(): nothing is counted then, which saves a launch 50 to 100 ns.
  static BusyClock* get();
  /// Where plans are judged by rounds. Precondition: no command was enqueued yet in this process.
  static void start();

  /// A command was enqueued. `now`, like host_now(), is called once if none was under way, and must not throw.
  template <class Now>
  void began(Now&& now) noexcept {
    if (open_.fetch_add(1, std::memory_order_acq_rel) == 0) resume(now());
  }
  /// One of them has ended. `now` is called once if it was the last one under way.
  template <class Now>
  void ended(Now&& now) noexcept {
    if (open_.fetch_sub(1, std::memory_order_acq_rel) == 1) idle_since_.store(now(), std::memory_order_release);
  }
  /// Commands that are under way. A command leaves shortly after its status is final.
  [[nodiscard]] std::int64_t open() const { return open_.load(std::memory_order_acquire); }
  /// Nanoseconds in which no command was under way, pauses that are over. Off by moments where threads end and enqueue
  /// commands at the same time.
  [[nodiscard]] std::uint64_t idle_ns() const { return idle_.load(std::memory_order_acquire); }

 private:
  void resume(std::uint64_t ns) noexcept;

  std::atomic<std::int64_t> open_{0};
  std::atomic<std::uint64_t> idle_since_{0};  // 0: no pause, or the thread that ended the last command will tell soon
  std::atomic<std::uint64_t> idle_{0};
};

}  // namespace skmd::icd

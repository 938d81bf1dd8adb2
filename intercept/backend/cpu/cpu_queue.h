// SPDX-License-Identifier: Apache-2.0
// Batches of the CPU driver from submission to completion: in order, one at a time, each carried out and completed by
// one thread, either one in help() or the queue's own.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>

#include "cpu-driver/runtime/serving_threads.h"
#include "intercept/backend/port/port.h"
#include "partitioner/base/condition.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

class CpuQueue : public std::enable_shared_from_this<CpuQueue> {
 public:
  /// Carries out a batch, on one thread at a time.
  using Execute = std::function<BatchResult(const Batch&)>;

  CpuQueue(Execute execute, std::shared_ptr<Health> health);
  CpuQueue(const CpuQueue&) = delete;
  CpuQueue& operator=(const CpuQueue&) = delete;

  // As Device declares them (port.h).
  Ticket submit(Batch&& batch);
  void help(Ticket ticket);
  /// Whether batches are queued behind the one that is carried out. Precondition: one is. Thread-safe.
  [[nodiscard]] bool others_wait() const noexcept {
    return posted_.load(std::memory_order_relaxed) > completed_.load(std::memory_order_relaxed) + 1;
  }
  /// Blocks until all batches have completed and the thread has ended; in a forked child, or on that thread itself,
  /// only detaches it. Nothing may be submitted afterwards.
  void stop();

 private:
  using Lock = UniqueLock;
  using Clock = std::chrono::steady_clock;
  void start_thread() SKMD_REQUIRES(mutex_);
  void serve();
  /// Sleeps for a while in which no submit() wakes this thread: where help() is expected, which runs what is submitted.
  /// Returns early where a batch was submitted and is not run. Precondition: asleep_.
  void doze(Lock& lock) SKMD_REQUIRES(mutex_);
  /// Gives a thread that is likely to call help() the time to come, which has the batches' bytes in its caches and need
  /// not be woken at their end. Releases the lock meanwhile.
  void leave_to_helper(Lock& lock) SKMD_REQUIRES(mutex_);
  /// Carries out and completes the oldest batch; releases the lock meanwhile. Precondition: there is one, and no thread
  /// runs it (`running_` is false, as again on return).
  void run_front(Lock& lock) SKMD_REQUIRES(mutex_);
  /// Wakes the threads on `ended_`: each looks whether its batch has completed, or whether to run the front.
  void wake_waiters() SKMD_REQUIRES(mutex_);
  [[nodiscard]] BatchResult result_of(const Batch& batch) const;
  [[nodiscard]] bool forked() const;

  const Execute execute_;
  const std::shared_ptr<Health> health_;
  const std::uint32_t generation_;

  Mutex mutex_{LockRank::cpu_queue};
  Condition wake_;                                     // for the queue's thread
  Condition ended_;                                    // a batch was completed
  std::deque<Batch> batches_ SKMD_GUARDED_BY(mutex_);  // the first one's ticket is completed_ + 1
  Ticket last_ticket_ SKMD_GUARDED_BY(mutex_) = 0;
  std::atomic<Ticket> posted_{0};  // last_ticket_, to be read without the lock
  std::atomic<Ticket> completed_{0};
  std::atomic<bool> running_{false};                   // a thread is at the front; changed under the lock
  bool asleep_ SKMD_GUARDED_BY(mutex_) = false;        // the queue's thread waits on wake_
  bool dozing_ SKMD_GUARDED_BY(mutex_) = false;        // and soon looks by itself
  std::uint32_t waiters_ SKMD_GUARDED_BY(mutex_) = 0;  // threads on ended_
  static constexpr Ticket kNoTicket = std::numeric_limits<Ticket>::max();
  Ticket first_awaited_ SKMD_GUARDED_BY(mutex_) = kNoTicket;  // the first ticket that one of them waits for
  Clock::time_point doze_began_ SKMD_GUARDED_BY(mutex_);      // when the thread last looked
  Clock::time_point row_began_ SKMD_GUARDED_BY(mutex_);       // when a batch was last submitted to an empty queue
  bool expects_help_ SKMD_GUARDED_BY(mutex_) = false;         // help() came soon after that
  bool started_ SKMD_GUARDED_BY(mutex_) = false;
  std::atomic<bool> stopping_{false};
  cpu::ServingThread server_;  // thread_
  std::thread thread_;
};

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// Batches of the CPU driver from submission to completion: in order, one at a time, each carried out and completed by
// whoever gets there first, a thread in help() or the line's own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "intercept/backend/port.h"
#include "partitioner/mutex.h"

namespace skmd::icd {

class CpuLine : public std::enable_shared_from_this<CpuLine> {
 public:
  /// Carries out a batch, on one thread at a time.
  using Execute = std::function<BatchResult(const Batch&)>;

  CpuLine(Execute execute, std::shared_ptr<Health> health);
  CpuLine(const CpuLine&) = delete;
  CpuLine& operator=(const CpuLine&) = delete;

  // As the port says.
  Ticket submit(Batch&& batch);
  void help(Ticket ticket);
  /// Waits for all batches and ends the thread. Nothing may be submitted afterwards.
  void stop();

 private:
  using Lock = std::unique_lock<std::mutex>;
  void start_thread() SKMD_REQUIRES(mutex_);
  void serve();
  /// Carries out the oldest batch and completes it. Nobody is at it; afterwards likewise.
  void run_front(Lock& lock) SKMD_REQUIRES(mutex_);
  [[nodiscard]] BatchResult result_of(const Batch& batch) const;
  [[nodiscard]] bool forked() const;

  const Execute execute_;
  const std::shared_ptr<Health> health_;
  const std::uint32_t generation_;

  Mutex mutex_;
  std::condition_variable wake_;                       // for the line's thread
  std::condition_variable ended_;                      // a batch was completed
  std::deque<Batch> batches_ SKMD_GUARDED_BY(mutex_);  // the first one's ticket is completed_ + 1
  Ticket last_ticket_ SKMD_GUARDED_BY(mutex_) = 0;
  std::atomic<Ticket> posted_{0};  // last_ticket_, to be read without the lock
  std::atomic<Ticket> completed_{0};
  std::atomic<bool> running_{false};                   // a thread is at the front; changed under the lock
  bool asleep_ SKMD_GUARDED_BY(mutex_) = false;        // the line's thread, on wake_
  std::uint32_t waiters_ SKMD_GUARDED_BY(mutex_) = 0;  // threads on ended_
  bool started_ SKMD_GUARDED_BY(mutex_) = false;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace skmd::icd

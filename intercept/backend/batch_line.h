// SPDX-License-Identifier: Apache-2.0
// Batches of one device from submission to completion: in order, each completed exactly once, by whoever gets there
// first - a thread in help() or the progress thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "intercept/backend/flight_line.h"
#include "intercept/backend/native_queue.h"
#include "partitioner/mutex.h"

namespace skmd::icd {

/// Two kinds of driver, one line:
/// - one that runs work by itself: submit() enqueues natively on the caller's thread; waiting for the oldest batch may
///   be done by many threads at once, completing it by one;
/// - a blocking one (work runs inside enqueue or flush): submit() only appends, and the thread that completes a batch
///   also enqueues it.
///
/// Waking the progress thread costs as much as a small launch, and so does sharing caches with it at every batch. While
/// callers help, it therefore only looks in now and then (`kGlance`), and submit() wakes it when it sleeps longer than
/// that. A thread that submits in a row completes what has ended itself, in bunches: tidy(). Where the process has one
/// processor, the progress thread looks in more rarely, asks whether work has ended and does not wait for it: drivers
/// spin while they wait, and the application's thread would stand still meanwhile.
class BatchLine : public std::enable_shared_from_this<BatchLine> {
 public:
  /// `turns`, of a blocking line: held from a batch's first command to the end of its last. Null: there is none.
  BatchLine(std::unique_ptr<NativeQueue> queue, bool blocking, std::shared_ptr<Health> health,
            std::shared_ptr<Mutex> turns = nullptr);
  ~BatchLine() = default;
  BatchLine(const BatchLine&) = delete;
  BatchLine& operator=(const BatchLine&) = delete;

  Ticket submit(Batch&& batch);
  void help(Ticket ticket);
  /// After submitting `ticket`, with no lock held: now and then completes batches that have ended. Never waits for the
  /// device.
  void tidy(Ticket ticket);
  /// Waits for what the device was given so far; completes nothing.
  void finish() const { queue_->finish(); }
  /// Waits for all batches and ends the thread. Nothing may be submitted afterwards.
  void stop();

 private:
  using Lock = std::unique_lock<std::mutex>;
  void start_thread() SKMD_REQUIRES(mutex_);
  void progress();
  void rest(Lock& lock) SKMD_REQUIRES(mutex_);
  /// What the progress thread does between two rests; false: nothing has ended, and it is not to wait.
  bool look(Lock& lock) SKMD_REQUIRES(mutex_);
  void advance(Lock& lock) SKMD_REQUIRES(mutex_);
  /// Without waiting, whether the oldest flight has ended, or only waiting can tell. Not an empty line's.
  bool front_ended(Lock& lock) SKMD_REQUIRES(mutex_);
  void complete(Lock& lock) SKMD_REQUIRES(mutex_);
  void enqueue(Flight& flight);
  /// Of a flight that has ended; told to the device's health.
  [[nodiscard]] BatchResult result_of(const Flight& flight, bool good) const;
  /// Makes an unmarked flight of the line one that can be waited for; `finishing`: by this thread, at once. Under
  /// mutex_.
  void mark(Flight& flight, bool finishing) SKMD_REQUIRES(mutex_);
  [[nodiscard]] bool forked() const;
  /// The progress thread may leave what is open to a thread that goes on submitting.
  [[nodiscard]] bool submitter_tidies() const SKMD_REQUIRES(mutex_);

  const std::unique_ptr<NativeQueue> queue_;
  const bool blocking_;
  const bool one_processor_;
  const std::shared_ptr<Health> health_;
  const std::shared_ptr<Mutex> turns_;
  const std::uint32_t generation_;
  Mutex submit_mutex_;         // the device's mutex: native enqueues in the order of tickets. Taken before mutex_
  std::thread::id submitter_;  // of the last batch …
  Ticket alone_ SKMD_GUARDED_BY(submit_mutex_) = 0;  // … and of so many before it

  Mutex mutex_;
  std::condition_variable wake_;   // for the progress thread
  std::condition_variable ended_;  // a batch was completed
  FlightLine flights_ SKMD_GUARDED_BY(mutex_);
  Ticket last_ticket_ = 0;  // written with both mutexes, read with either
  std::atomic<Ticket> completed_{0};
  bool completing_ SKMD_GUARDED_BY(mutex_) = false;  // a thread is completing the front
  // These have ended and none failed: where failures stay, one that did not fail tells.
  Ticket good_until_ SKMD_GUARDED_BY(mutex_) = 0;
  std::uint32_t helpers_ SKMD_GUARDED_BY(mutex_) = 0;
  std::uint32_t waiters_ SKMD_GUARDED_BY(mutex_) = 0;  // threads on ended_
  bool started_ SKMD_GUARDED_BY(mutex_) = false;
  bool stopping_ SKMD_GUARDED_BY(mutex_) = false;
  bool resting_ SKMD_GUARDED_BY(mutex_) = false;   // the progress thread is on wake_ …
  bool glancing_ SKMD_GUARDED_BY(mutex_) = false;  // … and looks in again soon by itself
  bool woken_ SKMD_GUARDED_BY(mutex_) = false;
  std::uint32_t quiet_rests_ SKMD_GUARDED_BY(mutex_) = 0;
  Ticket seen_ SKMD_GUARDED_BY(mutex_) = 0;
  std::thread thread_;
};

}  // namespace skmd::icd

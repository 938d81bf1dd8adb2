// SPDX-License-Identifier: Apache-2.0
// Batches of one device from submission to completion: in order, each completed exactly once, by a thread in help() or
// tidy() or by the progress thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "intercept/backend/vendor/in_flight_queue.h"
#include "intercept/backend/vendor/native_queue.h"
#include "partitioner/base/condition.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

/// One queue for two kinds of driver:
/// - one that runs work asynchronously: submit() enqueues natively on the caller's thread. Many threads may wait for
///   the oldest batch at once, and one of them completes it;
/// - a blocking one (work runs inside enqueue or flush): submit() only appends, and the thread that completes a batch
///   also enqueues it.
///
/// Waking the progress thread costs as much as a small launch, and so does sharing caches with it at every batch. While
/// callers help, it therefore only looks in now and then (`kGlance`), and submit() wakes it when it sleeps longer than
/// that. A thread that submits in a row completes what has ended itself, in bunches: tidy(). Where the process has one
/// processor, the progress thread looks in more rarely, asks whether work has ended and does not wait for it: drivers
/// spin while they wait, and the application's thread would stand still meanwhile.
class SubmissionQueue : public std::enable_shared_from_this<SubmissionQueue> {
 public:
  /// `turns`, of a blocking queue: held from a batch's first command to the end of its last, so that devices that share
  /// it never run at the same time. Null: the device shares none.
  SubmissionQueue(std::unique_ptr<NativeQueue> queue, bool blocking, std::shared_ptr<Health> health,
                  std::shared_ptr<Mutex> turns = nullptr);
  ~SubmissionQueue() = default;
  SubmissionQueue(const SubmissionQueue&) = delete;
  SubmissionQueue& operator=(const SubmissionQueue&) = delete;

  Ticket submit(Batch&& batch);
  void help(Ticket ticket);
  /// As Device::tidy(): looks once per bunch of tickets whether older batches have ended.
  void tidy(Ticket ticket);
  /// The states of the batches that have not completed, oldest first. Other threads may have changed them when this
  /// returns.
  [[nodiscard]] std::vector<std::pair<Ticket, FlightState>> states();
  /// Blocks until the device has ended everything that was enqueued; completes no batch.
  void finish() const { queue_->finish(); }
  /// Blocks until all batches have completed and the thread has ended; in a forked child, or on that thread itself,
  /// only detaches it. Nothing may be submitted afterwards.
  void stop();

 private:
  using Lock = UniqueLock;
  void start_thread() SKMD_REQUIRES(mutex_);
  void progress();
  void rest(Lock& lock) SKMD_REQUIRES(mutex_);
  /// What the progress thread does between two rests; false: nothing has ended, and it is not to wait.
  bool look(Lock& lock) SKMD_REQUIRES(mutex_);
  void advance(Lock& lock) SKMD_REQUIRES(mutex_);
  /// True if the oldest batch has ended, or if only waiting shows that it has. Never waits. Precondition: the queue is
  /// not empty.
  bool front_ended(Lock& lock) SKMD_REQUIRES(mutex_);
  /// Precondition: there is a batch.
  void complete(Lock& lock) SKMD_REQUIRES(mutex_);
  /// A thread completes the oldest batch.
  [[nodiscard]] bool completing() const SKMD_REQUIRES(mutex_) {
    return !flights_.empty() && flights_.front()->state == FlightState::completing;
  }
  /// Gives a batch to the driver or, where the device is set aside, to no driver. `quietly`: without any event.
  void enqueue(InFlightBatch& flight, bool quietly);
  /// The result of a batch that has ended, which is reported to the device's health. `state`: from before `completing`.
  [[nodiscard]] BatchResult result_of(const InFlightBatch& flight, FlightState state, bool good) const;
  /// Makes the end of an unmarked batch observable (NativeQueue::mark()); `finishing`: this thread waits for it at
  /// once. Under mutex_.
  void mark(InFlightBatch& flight, bool finishing) SKMD_REQUIRES(mutex_);
  [[nodiscard]] bool forked() const;
  /// The progress thread may leave open batches to the tidy() of a thread that keeps submitting.
  [[nodiscard]] bool submitter_tidies() const SKMD_REQUIRES(mutex_);

  const std::unique_ptr<NativeQueue> queue_;
  const bool blocking_;
  const bool one_processor_;
  const std::shared_ptr<Health> health_;
  const std::shared_ptr<Mutex> turns_;
  const std::uint32_t generation_;
  Mutex submit_mutex_{LockRank::submit};             // the device's mutex: native enqueues in the order of tickets
  std::thread::id submitter_;                        // of the last batch …
  Ticket alone_ SKMD_GUARDED_BY(submit_mutex_) = 0;  // … and of so many before it

  Mutex mutex_{LockRank::submission_queue};
  Condition wake_;   // for the progress thread
  Condition ended_;  // a batch was completed
  InFlightQueue flights_ SKMD_GUARDED_BY(mutex_);
  Ticket last_ticket_ = 0;  // written with both mutexes, read with either
  std::atomic<Ticket> completed_{0};
  // Batches up to this one have ended, and none failed: where failures persist, the success of a later batch shows it.
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

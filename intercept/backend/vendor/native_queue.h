// SPDX-License-Identifier: Apache-2.0
// A device's in-order native queue, and the translation of a batch's ops into native commands.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "intercept/backend/port/host_clock.h"
#include "intercept/backend/vendor/device_clock.h"
#include "intercept/backend/vendor/flight_state.h"
#include "intercept/backend/vendor/native_objects.h"
#include "intercept/backend/vendor/staged_writes.h"
#include "intercept/backend/vendor/vendor_visit.h"
#include "partitioner/base/inline_vector.h"

namespace skmd::icd {

/// A submitted batch that has not completed. Owns everything that the device may still access.
struct InFlightBatch {
  explicit InFlightBatch(Batch&& taken) : batch(std::move(taken)), submitted(batch.want_times ? host_now() : 0) {}
  ~InFlightBatch() { release_events(); }
  InFlightBatch(const InFlightBatch&) = delete;
  InFlightBatch& operator=(const InFlightBatch&) = delete;
  /// Precondition: no thread waits for these events.
  void release_events();

  Batch batch;
  Ticket ticket = 0;
  /// Changed under SubmissionQueue's mutex or, before the batch is listed, by the thread that submits it.
  FlightState state = FlightState::made;
  std::uint32_t watchers = 0;                // threads in NativeQueue::wait() or ended(), counted by SubmissionQueue
  std::uint64_t submitted;                   // host clock, nanoseconds; 0: no times were asked for
  std::size_t asked_op = 0;                  // the first launch, …
  std::uint64_t asked = 0;                   // … and the host's clock just before the driver got it; 0: there is none
  const NativeContext* context = nullptr;    // set by enqueue()
  domain::InlineVector<cl_event, 2> events;  // one per enqueued op, null for ops without an event
  /// Ops whose event tells of their last part only, and when they began, on the host's clock.
  std::vector<std::pair<std::size_t, std::uint64_t>> begun;
  /// Of ops that go to another machine in several parts, the events of all parts but the last, in their order: a part
  /// that has failed before the next is enqueued fails no other. Null where the driver gave none.
  std::vector<std::pair<std::size_t, cl_event>> parts;
  std::size_t told_from = 0;  // ops before this one have no event either: that of a later op stands for them
  cl_event last = nullptr;    // the last of them that is not null
  std::vector<std::shared_ptr<MemoryHandle>> held;
  cl_int status = CL_SUCCESS;  // first failure at enqueue
  std::string reason;
  bool strays = false;                       // commands without an event may still run behind the last event
  cl_command_queue queue = nullptr;          // set by enqueue()
  bool at_rest = false;                      // the device had nothing to do when it was submitted
  std::shared_ptr<InFlightBatch> next;       // in an InFlightQueue
  std::optional<CompilingLaunch> compiling;  // from its submission until it has ended
  std::atomic<bool> ended_well{false};       // a thread waited for it, with success
  Ticket covers = 0;                         // the newest batch whose end its last event shows as well; set by mark()
};

/// What is worth doing differently for a driver.
struct QueueHabits {
  /// A queue that can tell times costs a multiple of one that cannot (NVIDIA: 13 against 5 us a launch): batches that
  /// want times go through a queue of their own.
  bool slow_times = false;
  /// After a failed command everything later in the context fails (CUDA's sticky errors), and events of all of it say
  /// CL_COMPLETE: only waiting tells. An event costs as much as half a launch: quiet batches go without one.
  bool failures_stay = false;
  /// A kernel is compiled when it is first launched, on the driver's own threads (PoCL).
  bool compiles_at_launch = false;
  /// Pageable memory is copied at a fraction of the link's rate: large transfers go through page-locked memory.
  bool slow_pageable = false;
  /// The device is in another machine and may never answer: it is waited for by await_far().
  bool far = false;
};

class NativeQueue {
 public:
  static Result<std::unique_ptr<NativeQueue>> create(std::shared_ptr<NativeContext> context, std::string device_name,
                                                     QueueHabits habits);
  ~NativeQueue();
  NativeQueue(const NativeQueue&) = delete;
  NativeQueue& operator=(const NativeQueue&) = delete;

  // What is told of a batch's end follows from its state, which is passed along: other threads may complete the batch
  // while these functions run, and it is `completing` then.

  /// Enqueues ops until one fails, which `flight` then says, and flushes, unless the batch is unmarked. On an idle
  /// device a small read may have ended on return. One thread at a time, in the order of tickets.
  void enqueue(InFlightBatch& flight);
  /// Makes the end of an unmarked batch observable: by the event of `later`, a batch behind it; if null, by a marker
  /// behind everything enqueued so far or, with `finishing`, by no event: wait() then calls clFinish(), which costs
  /// half as much. Returns which of them it was, for the batch's state. Precondition: no thread waits for the batch.
  FlightInput mark(InFlightBatch& flight, const InFlightBatch* later, bool finishing) const;
  /// Instead of enqueue(), for a device that is disabled: the batch fails with CL_OUT_OF_RESOURCES.
  void refuse(InFlightBatch& flight) const;
  /// Waits until the device has ended every enqueued op. Any number of threads at once.
  void wait(InFlightBatch& flight, FlightState state) const;
  /// True if the device has ended every enqueued op, or if asking it failed, which result() then tells. False also
  /// where only waiting would show it. Never waits.
  [[nodiscard]] bool ended(const InFlightBatch& flight, FlightState state) const;
  /// First failure and times of a batch that has ended; `good`: it is known already that no accepted op of it failed.
  /// One thread at a time.
  BatchResult result(const InFlightBatch& flight, FlightState state, bool good);

  /// Waits for everything that was enqueued.
  void finish() const;

  [[nodiscard]] const NativeContext& context() const { return *context_; }
  [[nodiscard]] cl_command_queue handle() const { return queue_; }
  [[nodiscard]] const QueueHabits& habits() const { return habits_; }

 private:
  NativeQueue(std::shared_ptr<NativeContext> context, cl_command_queue queue, std::string device_name,
              QueueHabits habits)
      : context_(std::move(context)),
        usual_(queue),
        queue_(queue),
        device_name_(std::move(device_name)),
        habits_(habits) {}

  /// Later commands go to the queue with times, or to the usual one, behind everything that was enqueued.
  void turn_to(bool times);

  Status enqueue_op(const WriteOp& op, InFlightBatch& flight);
  /// finish() of a device in another machine.
  void finish_far() const;
  /// Null where large writes are better left to the driver.
  StagedWrites* staged_writes();
  Status enqueue_op(const ReadOp& op, InFlightBatch& flight);
  Status enqueue_packed(const ReadOp& op, InFlightBatch& flight);
  /// Whether the driver is to wait for a batch's only read inside its enqueue.
  [[nodiscard]] bool waits_inside(const InFlightBatch& flight, const domain::RowRuns& parts) const;
  Status enqueue_op(const FillOp& op, InFlightBatch& flight);
  Status enqueue_op(const CopyOp& op, InFlightBatch& flight);
  Status enqueue_op(const CopyRectOp& op, InFlightBatch& flight);
  Status enqueue_op(const WriteImageOp& op, InFlightBatch& flight);
  Status enqueue_op(const ReadImageOp& op, InFlightBatch& flight);
  Status enqueue_op(const RunOp& op, InFlightBatch& flight);
  /// The index of the first op of a batch that gets an event.
  [[nodiscard]] std::size_t first_told(const InFlightBatch& flight) const;
  /// Where the event of the batch's next op goes; null if it gets none.
  static cl_event* wanted_by(const InFlightBatch& flight, cl_event& event);
  /// A transfer of `rows` of a buffer of `bytes` as single commands, never none.
  [[nodiscard]] domain::RowRuns parts_of(const domain::RowRun& rows, std::uint64_t bytes) const;
  /// Where the event of one of them goes: the op's own, `last`, is that of the last part; null if it gets none.
  cl_event* wanted_of(InFlightBatch& flight, const domain::RowRuns& parts, const domain::RowRun& part,
                      cl_event& last) const;
  /// Takes over a native command's event, or names its failure.
  Status taken(const char* call, cl_int code, cl_event event, InFlightBatch& flight);
  /// The final status of an event, CL_COMPLETE or negative: asked for and, where the driver does not answer, waited
  /// for.
  [[nodiscard]] cl_int final_status(const InFlightBatch& flight, cl_event event) const;
  /// The same of a whole batch, where failures persist: waits for it, unless a thread has already done so with success.
  [[nodiscard]] cl_int lasting_status(const InFlightBatch& flight, FlightState state) const;
  /// The error code of waiting for a batch's last event or, if it has none, for its queue.
  [[nodiscard]] cl_int told_by_waiting(const InFlightBatch& flight, FlightState state) const;
  /// On the device's clock; 0: unknown.
  struct NativeTimes {
    cl_ulong queued = 0, start = 0, end = 0;
  };
  /// Returns false and leaves `at` as it is if the driver does not tell.
  bool profiling_time(cl_event event, cl_profiling_info name, cl_ulong& at) const;
  /// Start and end; neither if the driver does not tell both, or tells what cannot be.
  [[nodiscard]] NativeTimes event_times(cl_event event) const;
  /// One per op.
  [[nodiscard]] std::vector<NativeTimes> native_times(const InFlightBatch& flight) const;
  void learn_clock(const InFlightBatch& flight, const std::vector<NativeTimes>& natives, std::uint64_t observed);
  void read_times(const InFlightBatch& flight, BatchResult& result);

  const std::shared_ptr<NativeContext> context_;
  const cl_command_queue usual_;
  cl_command_queue timed_ = nullptr;      // made when it is needed, if times are slow
  cl_command_queue queue_;                // the one of them that is in use
  bool used_ = false;                     // something was enqueued to it
  std::unique_ptr<StagedWrites> staged_;  // made when it is needed …
  bool stages_ = true;                    // … and possible
  const std::string device_name_;
  const QueueHabits habits_;
  DeviceClock clock_;
};

}  // namespace skmd::icd

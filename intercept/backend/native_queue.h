// SPDX-License-Identifier: Apache-2.0
// A device's in-order native queue, and the translation of a batch's ops into native commands.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "intercept/backend/device_clock.h"
#include "intercept/backend/native_objects.h"
#include "intercept/backend/staged_writes.h"
#include "intercept/backend/vendor_visit.h"
#include "partitioner/few.h"

namespace skmd::icd {

/// Now on the host's steady clock, nanoseconds.
std::uint64_t host_now();

/// A batch on its way. Holds everything that the device may still touch.
struct Flight {
  explicit Flight(Batch&& taken) : batch(std::move(taken)), submitted(batch.want_times ? host_now() : 0) {}
  ~Flight() { release_events(); }
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;
  /// Nobody may be waiting for them.
  void release_events();

  Batch batch;
  Ticket ticket = 0;
  std::uint32_t watchers = 0;           // threads in NativeQueue::wait, counted by the line
  std::uint64_t submitted;              // 0: nobody wants times
  std::size_t asked_op = 0;             // the first launch, …
  std::uint64_t asked = 0;              // … and the host's clock just before the driver got it; 0: there is none
  const cl_icd_dispatch* cl = nullptr;  // set with the first event
  domain::Few<cl_event, 2> events;      // one per enqueued op, null for ops without work
  /// Ops whose event tells of their last part only, and when they began, on the host's clock.
  std::vector<std::pair<std::size_t, std::uint64_t>> begun;
  std::size_t told_from = 0;  // ops before this one have none either: that of a later one stands for them
  cl_event last = nullptr;    // the last of them that is not null
  std::vector<std::shared_ptr<MemoryHandle>> held;
  cl_int status = CL_SUCCESS;  // first failure at enqueue
  std::string reason;
  bool strays = false;                       // commands without an event may be under way behind the last event
  cl_command_queue queue = nullptr;          // set with the first event
  bool at_rest = false;                      // the device had nothing to do when it was submitted
  bool unmarked = false;                     // enqueued without any event: has to get one before anybody looks at it
  std::shared_ptr<Flight> next;              // in a FlightLine
  bool marked = false;                       // the last event is none of an op
  bool with_queue = false;                   // it has no event: waiting for it is finishing its queue
  std::optional<CompilingLaunch> compiling;  // from its submission until it has ended
  std::atomic<bool> ended_well{false};       // some thread waited for it, and was told so
  Ticket covers = 0;                         // the newest flight that its last event stands for, if that is not its own
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
};

class NativeQueue {
 public:
  static Result<std::unique_ptr<NativeQueue>> create(std::shared_ptr<NativeContext> context, std::string device_name,
                                                     QueueHabits habits);
  ~NativeQueue();
  NativeQueue(const NativeQueue&) = delete;
  NativeQueue& operator=(const NativeQueue&) = delete;

  /// Enqueues ops until one fails, and flushes, unless the flight is to be unmarked. Of a device at rest, a small read
  /// may have ended by then. One thread at a time, in the order of tickets.
  void enqueue(Flight& flight);
  /// Gives an unmarked flight the event of a later one, or with null, one that stands for all that was enqueued so far;
  /// with `finishing` none: who waits for it will finish the queue, which costs half of that. Nobody may be waiting for
  /// it.
  void mark(Flight& flight, const Flight* later, bool finishing) const;
  /// Instead of enqueue(), for a device that was set aside.
  void refuse(Flight& flight) const;
  /// Waits until the device has ended every enqueued op. Any number of threads at once.
  void wait(Flight& flight) const;
  /// The device has ended every enqueued op; or asking it failed, which result() tells. Never waits.
  [[nodiscard]] bool ended(const Flight& flight) const;
  /// First failure and times of a flight that has ended; `good`: no accepted op of it failed, as is known already. One
  /// thread at a time.
  BatchResult result(const Flight& flight, bool good);

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

  /// From here on commands go to the queue with times, or to the usual one, behind everything that was enqueued.
  void turn_to(bool times);

  Status enqueue_op(const WriteOp& op, Flight& flight);
  /// Null where large writes are better left to the driver.
  StagedWrites* staged_writes();
  Status enqueue_op(const ReadOp& op, Flight& flight);
  Status enqueue_packed(const ReadOp& op, Flight& flight);
  /// Whether the driver is to wait for a flight's only read inside its enqueue.
  [[nodiscard]] bool waits_inside(const Flight& flight, const domain::RowRuns& parts) const;
  Status enqueue_op(const FillOp& op, Flight& flight);
  Status enqueue_op(const CopyOp& op, Flight& flight);
  Status enqueue_op(const CopyRectOp& op, Flight& flight);
  Status enqueue_op(const WriteImageOp& op, Flight& flight);
  Status enqueue_op(const ReadImageOp& op, Flight& flight);
  Status enqueue_op(const RunOp& op, Flight& flight);
  /// The first op of a flight that gets an event.
  [[nodiscard]] std::size_t first_told(const Flight& flight) const;
  /// Where the event of the flight's next op goes; null if it gets none.
  static cl_event* wanted_by(const Flight& flight, cl_event& event);
  /// Takes over a native command's event, or names its failure.
  Status taken(const char* call, cl_int code, cl_event event, Flight& flight);
  /// CL_COMPLETE or a failure, by whatever call still answers.
  [[nodiscard]] cl_int final_status(const Flight& flight, cl_event event) const;
  /// Likewise of a whole flight, where failures stay: by waiting for it, unless somebody has and it had ended well.
  [[nodiscard]] cl_int lasting_status(const Flight& flight) const;
  /// What a flight's event says when it is waited for, or its queue.
  [[nodiscard]] cl_int told_by_waiting(const Flight& flight) const;
  /// On the device's clock; 0: unknown.
  struct NativeTimes {
    cl_ulong queued = 0, start = 0, end = 0;
  };
  /// One per op.
  [[nodiscard]] std::vector<NativeTimes> native_times(const Flight& flight) const;
  void learn_clock(const Flight& flight, const std::vector<NativeTimes>& natives, std::uint64_t observed);
  void read_times(const Flight& flight, BatchResult& result);

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

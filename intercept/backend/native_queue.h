// SPDX-License-Identifier: Apache-2.0
// One in-order native queue, and the translation of a batch's ops into native commands.
#pragma once

#include <memory>
#include <vector>

#include "intercept/backend/native_objects.h"

namespace skmd::icd {

/// Now on the host's steady clock, nanoseconds.
std::uint64_t host_now();

/// A batch on its way. Holds everything that the device may still touch.
struct Flight {
  explicit Flight(Batch&& taken) : batch(std::move(taken)), submitted(host_now()) {}
  ~Flight() { release_events(); }
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;
  /// Nobody may be waiting for them.
  void release_events();

  Batch batch;
  Ticket ticket = 0;
  std::uint32_t watchers = 0;  // threads in NativeQueue::wait, counted by the line
  std::uint64_t submitted;
  const cl_icd_dispatch* cl = nullptr;  // set with the first event
  std::vector<cl_event> events;         // one per enqueued op, null for ops without work
  cl_event last = nullptr;              // the last of them that is not null
  std::vector<std::shared_ptr<MemoryHandle>> held;
  cl_int status = CL_SUCCESS;  // first failure at enqueue
  std::string reason;
  bool strays = false;  // commands without an event may be under way behind the last event
};

class NativeQueue {
 public:
  static Result<std::unique_ptr<NativeQueue>> create(std::shared_ptr<NativeContext> context, std::string device_name);
  ~NativeQueue() { context_->cl->clReleaseCommandQueue(queue_); }
  NativeQueue(const NativeQueue&) = delete;
  NativeQueue& operator=(const NativeQueue&) = delete;

  /// Enqueues ops until one fails, and flushes. One thread at a time, in the order of tickets.
  void enqueue(Flight& flight);
  /// Instead of enqueue(), for a device that was set aside.
  void refuse(Flight& flight) const;
  /// Waits until the device has ended every enqueued op. Any number of threads at once.
  void wait(const Flight& flight) const;
  /// The device has ended every enqueued op; or asking it failed, which result() tells. Never waits.
  [[nodiscard]] bool ended(const Flight& flight) const;
  /// First failure and times of a flight that has ended. One thread at a time per flight.
  BatchResult result(const Flight& flight) const;

  [[nodiscard]] const NativeContext& context() const { return *context_; }
  [[nodiscard]] cl_command_queue handle() const { return queue_; }

 private:
  NativeQueue(std::shared_ptr<NativeContext> context, cl_command_queue queue, std::string device_name)
      : context_(std::move(context)), queue_(queue), device_name_(std::move(device_name)) {}

  Status enqueue_op(const WriteOp& op, Flight& flight);
  Status enqueue_op(const ReadOp& op, Flight& flight);
  Status enqueue_op(const FillOp& op, Flight& flight);
  Status enqueue_op(const CopyOp& op, Flight& flight);
  Status enqueue_op(const CopyRectOp& op, Flight& flight);
  Status enqueue_op(const WriteImageOp& op, Flight& flight);
  Status enqueue_op(const ReadImageOp& op, Flight& flight);
  Status enqueue_op(const RunOp& op, Flight& flight);
  /// Takes over a native command's event, or names its failure.
  Status taken(const char* call, cl_int code, cl_event event, Flight& flight);
  /// CL_COMPLETE or a failure, by whatever call still answers.
  [[nodiscard]] cl_int final_status(cl_event event) const;
  void read_times(const Flight& flight, BatchResult& result) const;

  const std::shared_ptr<NativeContext> context_;
  const cl_command_queue queue_;
  const std::string device_name_;
};

}  // namespace skmd::icd

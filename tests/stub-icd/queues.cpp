// SPDX-License-Identifier: Apache-2.0
// Queues and waiting: commands run inside the enqueue call, or on a thread of the queue once they were flushed.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <utility>
#include <vector>

#include "tests/stub-icd/control.h"
#include "tests/stub-icd/overrides.h"
#include "tests/stub-icd/stub.h"

namespace stub {
namespace {

using Work = std::function<cl_int()>;

constexpr cl_int kNoCode = -9999;  // what NVIDIA's driver says then

std::atomic<std::size_t> run_so_far{0};

void run(cl_event event, const Work& work, int delay_us) {
  const std::uint64_t start = device_clock();
  if (delay_us > 0) std::this_thread::sleep_for(std::chrono::microseconds(delay_us));
  cl_device_id device = event->queue->device;
  const cl_int gone = lost(device->index);
  cl_int code = gone != CL_SUCCESS ? gone : poisoned(device->index) ? CL_COMPLETE : work();
  if (code < 0 && like_nvidia(device)) {
    poison(device->index);
    code = CL_COMPLETE;
  }
  {
    std::lock_guard lock(event->mutex);
    event->start = start;
    event->end = device_clock();
    event->status = code;
  }
  ++run_so_far;
  event->ended.notify_all();
  call_back(event);
}

void worker(cl_command_queue queue) {
  std::unique_lock lock(queue->mutex);
  while (true) {
    queue->changed.wait(lock, [&] { return queue->stopping || queue->flushed > 0; });
    if (queue->flushed == 0) return;
    const auto command = std::move(queue->commands.front());
    queue->commands.pop_front();
    --queue->flushed;
    lock.unlock();
    wait_while_held();
    run(command.event, command.work, settings().delay_us);
    released(command.event);
    lock.lock();
    ++queue->ended;
    queue->drained.notify_all();
  }
}

void flush_commands(cl_command_queue queue) {
  {
    std::lock_guard lock(queue->mutex);
    queue->flushed = queue->commands.size();
  }
  queue->changed.notify_all();
}

void wait_for(cl_event event) {
  flush_commands(event->queue);
  std::unique_lock lock(event->mutex);
  event->ended.wait(lock, [&] { return event->status <= CL_COMPLETE; });
}

}  // namespace

cl_int enqueue(const char* call, cl_command_queue queue, cl_bool blocking, cl_event* event_out, Work work) {
  if (silent(queue->device->index)) return CL_DEVICE_NOT_AVAILABLE;
  const bool never_ends = falls_silent(call, queue->device->index);
  if (const cl_int failure = run_failure(call, queue->device->index); failure != CL_SUCCESS) {
    work = [failure] { return failure; };
  }
  auto made = std::make_unique<_cl_event>();  // tests fail allocations in here, too
  made->queue = queue;
  if (queue->times) made->queued = device_clock();
  if (never_ends) {
    retained(made.get());  // the driver's own, for ever
  } else if (!queue->worker.joinable()) {
    run(made.get(), work, 0);
  } else {
    std::lock_guard lock(queue->mutex);
    queue->commands.push_back({made.get(), std::move(work)});
    ++queue->taken;
    retained(made.get());
  }
  cl_event const event = made.release();
  if (blocking != CL_FALSE) wait_for(event);
  if (event_out != nullptr) {
    *event_out = event;
  } else {
    released(event);
  }
  return CL_SUCCESS;
}

std::string on_device(cl_command_queue queue) { return "device=" + std::to_string(queue->device->index); }

namespace {

cl_command_queue create_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                              cl_int* code_out) {
  const cl_int failed = record("clCreateCommandQueue", "device=" + std::to_string(device->index));
  if (code_out != nullptr) *code_out = failed;
  if (failed != CL_SUCCESS || context->device != device) return nullptr;
  auto* const queue = new _cl_command_queue;
  queue->device = device;
  queue->times = (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
  if (settings().delay_us >= 0) queue->worker = std::thread(worker, queue);
  return queue;
}

/// What was enqueued until now, and nothing that other threads enqueue meanwhile: it flushes just what it waits for.
void drain(cl_command_queue queue) {
  std::unique_lock lock(queue->mutex);
  queue->flushed = queue->commands.size();
  queue->changed.notify_all();
  queue->drained.wait(lock, [&, until = queue->taken] { return queue->ended >= until; });
}

/// Nothing runs on a lost device any more, and nothing of it touches memory that is given back.
cl_int drop_if_lost(cl_command_queue queue, cl_int failed) {
  if (lost(queue->device->index) != CL_SUCCESS) drain(queue);
  return failed;
}

cl_int flush(cl_command_queue queue) {
  const cl_int failed = record("clFlush", [&] { return on_device(queue); });
  if (failed != CL_SUCCESS) return drop_if_lost(queue, failed);
  flush_commands(queue);
  return CL_SUCCESS;
}

cl_int finish(cl_command_queue queue) {
  const cl_int failed = record("clFinish", [&] { return on_device(queue); });
  if (failed != CL_SUCCESS) return drop_if_lost(queue, failed);
  drain(queue);
  return poisoned(queue->device->index) ? CL_INVALID_COMMAND_QUEUE : CL_SUCCESS;
}

std::atomic<int> inside{0}, kept_us{0};

/// A thread in clWaitForEvents.
struct Waiter {
  Waiter() { ++inside; }
  ~Waiter() {
    if (const int us = kept_us; us > 0 && gettid() != getpid())
      std::this_thread::sleep_for(std::chrono::microseconds(us));
    --inside;
  }
};

/// A driver whose memory is gone when the process ends would crash.
[[gnu::destructor]] void look_for_waiters() {
  if (kept_us > 0 && inside > 0) _exit(kEndedUnderneath);
}

cl_int wait_for_events(cl_uint count, const cl_event* events) {
  const cl_int failed =
      record("clWaitForEvents", [&] { return "count=" + std::to_string(count) + " " + on_device(events[0]->queue); });
  if (failed != CL_SUCCESS) return drop_if_lost(events[0]->queue, failed);  // without having waited
  bool all_good = true;
  const Waiter waiter;
  for (cl_uint i = 0; i < count; ++i) {
    wait_for(events[i]);
    std::lock_guard lock(events[i]->mutex);
    all_good = all_good && events[i]->status == CL_COMPLETE;
  }
  if (poisoned(events[0]->queue->device->index)) return kNoCode;
  return all_good ? CL_SUCCESS : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}

cl_int retain_event(cl_event event) { return retained(event), CL_SUCCESS; }
cl_int release_event(cl_event event) {
  return record("clReleaseEvent", [] { return ""; }), released(event);
}
/// Waits for events on the queue's thread; a queue without one has nothing that could still be under way.
cl_int wait_there(const char* call, cl_command_queue queue, cl_uint count, const cl_event* events, cl_event* event) {
  if (const cl_int failed = record(call, on_device(queue)); failed != CL_SUCCESS) return failed;
  // Given back with the work, which a lost device throws away unrun.
  std::vector<std::shared_ptr<_cl_event>> before;
  for (cl_uint i = 0; i < count; ++i) before.emplace_back(retained(events[i]), [](cl_event each) { released(each); });
  return enqueue(call, queue, CL_FALSE, event, [before = std::move(before)] {
    for (const auto& each : before) wait_for(each.get());
    return CL_SUCCESS;
  });
}
cl_int marker(cl_command_queue queue, cl_uint count, const cl_event* events, cl_event* event) {
  return wait_there("clEnqueueMarkerWithWaitList", queue, count, events, event);
}
cl_int barrier(cl_command_queue queue, cl_uint count, const cl_event* events, cl_event* event) {
  return wait_there("clEnqueueBarrierWithWaitList", queue, count, events, event);
}

cl_int release_queue(cl_command_queue queue) { return record("clReleaseCommandQueue"), released(queue); }

}  // namespace

void keep_waiters(int us) { kept_us = us; }
int waiters() { return inside; }
std::size_t commands_run() { return run_so_far; }

void fill_queue_table(cl_icd_dispatch& table) {
  table.clCreateCommandQueue = create_queue;
  table.clReleaseCommandQueue = release_queue;
  table.clFlush = flush;
  table.clFinish = finish;
  table.clWaitForEvents = wait_for_events;
  table.clEnqueueMarkerWithWaitList = marker;
  table.clEnqueueBarrierWithWaitList = barrier;
  fill_event_table(table);
  table.clRetainEvent = retain_event;
  table.clReleaseEvent = release_event;
}

}  // namespace stub

_cl_command_queue::~_cl_command_queue() {
  if (!worker.joinable()) return;
  stub::flush_commands(this);
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  changed.notify_all();
  worker.join();
}

// SPDX-License-Identifier: Apache-2.0
// Queues, events and commands: inside the enqueue call, or on a thread of the queue once they were flushed.
// Over 400 lines, since its last part is the table of all commands, which are local to this file.
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
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

std::string place(cl_command_queue queue, std::size_t offset, std::size_t bytes) {
  return "device=" + std::to_string(queue->device->index) + " offset=" + std::to_string(offset) +
         " bytes=" + std::to_string(bytes);
}

bool outside(cl_mem mem, std::size_t offset, std::size_t bytes) {
  return bytes == 0 || offset > mem->bytes || bytes > mem->bytes - offset;
}

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

cl_int write_buffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, std::size_t offset, std::size_t bytes,
                    const void* host, cl_uint, const cl_event*, cl_event* event) {
  const cl_int failed = record("clEnqueueWriteBuffer", place(queue, offset, bytes));
  if (failed != CL_SUCCESS) return failed;
  if (outside(mem, offset, bytes) || host == nullptr) return CL_INVALID_VALUE;
  return enqueue("clEnqueueWriteBuffer", queue, blocking, event, [=] {
    std::memmove(mem->data + offset, host, bytes);
    return CL_SUCCESS;
  });
}

cl_int read_buffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, std::size_t offset, std::size_t bytes,
                   void* host, cl_uint, const cl_event*, cl_event* event) {
  const cl_int failed = record("clEnqueueReadBuffer",
                               [&] { return place(queue, offset, bytes) + (blocking != CL_FALSE ? " blocking" : ""); });
  if (failed != CL_SUCCESS) return failed;
  if (outside(mem, offset, bytes) || host == nullptr) return CL_INVALID_VALUE;
  return enqueue("clEnqueueReadBuffer", queue, blocking, event, [=] {
    std::memmove(host, mem->data + offset, bytes);
    return CL_SUCCESS;
  });
}

/// Two-dimensional rectangles, which is what the adapter uses.
struct Rect {
  std::size_t mem_begin, host_begin, width, rows, mem_pitch, host_pitch;
  [[nodiscard]] std::size_t mem_end() const { return mem_begin + (rows - 1) * mem_pitch + width; }
};

cl_int checked_rect(const char* call, cl_command_queue queue, cl_mem mem, const std::size_t* origin,
                    const std::size_t* host_origin, const std::size_t* region, std::size_t pitch,
                    std::size_t host_pitch, Rect& rect) {
  const cl_int failed =
      record(call, "device=" + std::to_string(queue->device->index) + " origin=" + std::to_string(origin[0]) + "," +
                       std::to_string(origin[1]) + " region=" + std::to_string(region[0]) + "," +
                       std::to_string(region[1]) + " pitch=" + std::to_string(pitch));
  if (failed != CL_SUCCESS) return failed;
  if (region[0] == 0 || region[1] == 0 || region[2] != 1 || pitch < region[0] || host_pitch < region[0]) {
    return CL_INVALID_VALUE;
  }
  rect = {origin[0] + origin[1] * pitch,
          host_origin[0] + host_origin[1] * host_pitch,
          region[0],
          region[1],
          pitch,
          host_pitch};
  // As strict as NVIDIA's driver: rows inside their pitch, and the last one's pitch inside the buffer.
  if (origin[0] + region[0] > pitch || (origin[1] + region[1]) * pitch > mem->bytes) return CL_INVALID_VALUE;
  return rect.mem_end() <= mem->bytes ? CL_SUCCESS : CL_INVALID_VALUE;
}

cl_int write_rect(cl_command_queue queue, cl_mem mem, cl_bool blocking, const std::size_t* origin,
                  const std::size_t* host_origin, const std::size_t* region, std::size_t pitch, std::size_t,
                  std::size_t host_pitch, std::size_t, const void* host, cl_uint, const cl_event*, cl_event* event) {
  const char* const call = "clEnqueueWriteBufferRect";
  Rect rect{};
  const cl_int code = checked_rect(call, queue, mem, origin, host_origin, region, pitch, host_pitch, rect);
  if (code != CL_SUCCESS) return code;
  return enqueue(call, queue, blocking, event, [=] {
    for (std::size_t i = 0; i < rect.rows; ++i) {
      std::memmove(mem->data + rect.mem_begin + i * rect.mem_pitch,
                   static_cast<const std::byte*>(host) + rect.host_begin + i * rect.host_pitch, rect.width);
    }
    return CL_SUCCESS;
  });
}

cl_int read_rect(cl_command_queue queue, cl_mem mem, cl_bool blocking, const std::size_t* origin,
                 const std::size_t* host_origin, const std::size_t* region, std::size_t pitch, std::size_t,
                 std::size_t host_pitch, std::size_t, void* host, cl_uint, const cl_event*, cl_event* event) {
  const char* const call = "clEnqueueReadBufferRect";
  Rect rect{};
  const cl_int code = checked_rect(call, queue, mem, origin, host_origin, region, pitch, host_pitch, rect);
  if (code != CL_SUCCESS) return code;
  return enqueue(call, queue, blocking, event, [=] {
    for (std::size_t i = 0; i < rect.rows; ++i) {
      std::memmove(static_cast<std::byte*>(host) + rect.host_begin + i * rect.host_pitch,
                   mem->data + rect.mem_begin + i * rect.mem_pitch, rect.width);
    }
    return CL_SUCCESS;
  });
}

cl_int fill_buffer(cl_command_queue queue, cl_mem mem, const void* pattern, std::size_t width, std::size_t offset,
                   std::size_t bytes, cl_uint, const cl_event*, cl_event* event) {
  const cl_int failed =
      record("clEnqueueFillBuffer", place(queue, offset, bytes) + " pattern=" + std::to_string(width));
  if (failed != CL_SUCCESS) return failed;
  const bool power = width != 0 && width <= 128 && (width & (width - 1)) == 0;
  if (!power || offset % width != 0 || bytes % width != 0 || outside(mem, offset, bytes)) return CL_INVALID_VALUE;
  const auto* const first = static_cast<const std::byte*>(pattern);
  return enqueue("clEnqueueFillBuffer", queue, CL_FALSE, event,
                 [=, copy = std::vector<std::byte>(first, first + width)] {
                   for (std::size_t i = 0; i < bytes; i += width)
                     std::memcpy(mem->data + offset + i, copy.data(), width);
                   return CL_SUCCESS;
                 });
}

cl_int copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to, std::size_t from_offset, std::size_t to_offset,
                   std::size_t bytes, cl_uint, const cl_event*, cl_event* event) {
  const cl_int failed =
      record("clEnqueueCopyBuffer", place(queue, from_offset, bytes) + " to=" + std::to_string(to_offset));
  if (failed != CL_SUCCESS) return failed;
  if (outside(from, from_offset, bytes) || outside(to, to_offset, bytes)) return CL_INVALID_VALUE;
  return enqueue("clEnqueueCopyBuffer", queue, CL_FALSE, event, [=] {
    std::memmove(to->data + to_offset, from->data + from_offset, bytes);
    return CL_SUCCESS;
  });
}

std::size_t rect_offset(const std::size_t* origin, std::size_t row, std::size_t slice) {
  return origin[0] + origin[1] * row + origin[2] * slice;
}

cl_int copy_rect(cl_command_queue queue, cl_mem from, cl_mem to, const std::size_t* from_origin,
                 const std::size_t* to_origin, const std::size_t* region, std::size_t from_row, std::size_t from_slice,
                 std::size_t to_row, std::size_t to_slice, cl_uint, const cl_event*, cl_event* event) {
  const char* const call = "clEnqueueCopyBufferRect";
  const std::size_t width = region[0], rows = region[1], slices = region[2];
  const cl_int failed =
      record(call, "device=" + std::to_string(queue->device->index) + " region=" + std::to_string(width) + "," +
                       std::to_string(rows) + "," + std::to_string(slices));
  if (failed != CL_SUCCESS) return failed;
  if (width == 0 || rows == 0 || slices == 0 || from_row < width || to_row < width) return CL_INVALID_VALUE;
  const std::size_t source = rect_offset(from_origin, from_row, from_slice);
  const std::size_t target = rect_offset(to_origin, to_row, to_slice);
  const auto bytes = [&](std::size_t row, std::size_t slice) {
    return (slices - 1) * slice + (rows - 1) * row + width;
  };
  if (outside(from, source, bytes(from_row, from_slice)) || outside(to, target, bytes(to_row, to_slice)))
    return CL_INVALID_VALUE;
  return enqueue(call, queue, CL_FALSE, event, [=] {
    for (std::size_t z = 0; z < slices; ++z)
      for (std::size_t y = 0; y < rows; ++y)
        std::memcpy(to->data + target + z * to_slice + y * to_row, from->data + source + z * from_slice + y * from_row,
                    width);
    return CL_SUCCESS;
  });
}

std::string triple(const std::size_t* values, cl_uint count, std::size_t otherwise) {
  std::string text;
  for (cl_uint i = 0; i < count; ++i) {
    text += (i > 0 ? "," : "") + std::to_string(values != nullptr ? values[i] : otherwise);
  }
  return text;
}

cl_int run_range(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const std::size_t* offset,
                 const std::size_t* global, const std::size_t* local, cl_uint, const cl_event*, cl_event* event) {
  const char* const call = "clEnqueueNDRangeKernel";
  if (dimensions < 1 || dimensions > 3) return CL_INVALID_WORK_DIMENSION;
  const cl_int failed = record(call, [&] {
    return "device=" + std::to_string(queue->device->index) + " kernel=" + kernel->text.name +
           " offset=" + triple(offset, dimensions, 0) + " global=" + triple(global, dimensions, 0) +
           " local=" + triple(local, dimensions, 0);
  });
  if (failed != CL_SUCCESS) return failed;
  Range range;
  range.dimensions = dimensions;
  for (cl_uint i = 0; i < dimensions; ++i) {
    if (global[i] == 0) return CL_INVALID_GLOBAL_WORK_SIZE;
    if (local != nullptr && (local[i] == 0 || global[i] % local[i] != 0)) return CL_INVALID_WORK_GROUP_SIZE;
    range.offset[i] = offset != nullptr ? offset[i] : 0;
    range.global[i] = global[i];
  }
  for (const Argument& argument : kernel->arguments) {
    if (!argument.set) return CL_INVALID_KERNEL_ARGS;
  }
  return enqueue(call, queue, CL_FALSE, event, [name = kernel->text.name, arguments = kernel->arguments, range] {
    return run_kernel(name, arguments, range);
  });
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

void fill_command_table(cl_icd_dispatch& table) {
  table.clEnqueueMarkerWithWaitList = marker;
  table.clEnqueueBarrierWithWaitList = barrier;
  table.clCreateCommandQueue = create_queue;
  table.clReleaseCommandQueue = release_queue;
  table.clEnqueueWriteBuffer = write_buffer;
  table.clEnqueueReadBuffer = read_buffer;
  table.clEnqueueWriteBufferRect = write_rect;
  table.clEnqueueReadBufferRect = read_rect;
  table.clEnqueueFillBuffer = fill_buffer;
  table.clEnqueueCopyBuffer = copy_buffer;
  table.clEnqueueCopyBufferRect = copy_rect;
  fill_image_commands(table);
  fill_map_commands(table);
  table.clEnqueueNDRangeKernel = run_range;
  table.clFlush = flush;
  table.clFinish = finish;
  table.clWaitForEvents = wait_for_events;
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

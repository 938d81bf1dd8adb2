// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/native_queue.h"

#include <algorithm>
#include <chrono>

#include "intercept/backend/port/empty_op.h"
#include "intercept/backend/port/host_clock.h"
#include "intercept/backend/port/image_layout.h"
#include "intercept/backend/port/rectangles.h"
#include "intercept/backend/vendor/native_error.h"
#include "intercept/backend/vendor/vendor_constants.h"

namespace skmd::icd {
namespace {

using namespace tuning;

cl_mem mem_of(const std::shared_ptr<NativeMemory>& memory) { return static_cast<const VendorMemory&>(*memory).mem(); }

std::uint64_t bytes_of(const std::shared_ptr<NativeMemory>& memory) {
  return static_cast<const VendorMemory&>(*memory).bytes();
}

/// Origin and region of a row run, the same on both sides.
struct Rect {
  explicit Rect(const domain::RowRun& rows)
      : origin{rows.begin % rows.stride, rows.begin / rows.stride, 0}, region{rows.width, rows.rows, 1} {}
  std::size_t origin[3];
  std::size_t region[3];
};

/// The widest repetition of a pattern of equal bytes that still divides offset and size.
std::vector<std::byte> widened(const FillOp& op) {
  const auto& pattern = op.pattern;
  if (pattern.empty() || pattern.size() >= kWideFill ||
      !std::all_of(pattern.begin(), pattern.end(), [&](std::byte b) { return b == pattern.front(); })) {
    return pattern;
  }
  std::size_t width = kWideFill;
  while (width > pattern.size() && (op.offset % width != 0 || op.bytes % width != 0)) width /= 2;
  return std::vector<std::byte>(width, pattern.front());
}

}  // namespace

void InFlightBatch::release_events() {
  for (cl_event event : events) {
    if (event != nullptr && !context->gone()) context->cl->clReleaseEvent(event);
  }
  for (const auto& [op, event] : parts) {
    if (event != nullptr && !context->gone()) context->cl->clReleaseEvent(event);
  }
  events.clear();
  parts.clear();
  last = nullptr;
}

Result<std::unique_ptr<NativeQueue>> NativeQueue::create(std::shared_ptr<NativeContext> context,
                                                         std::string device_name, QueueHabits habits) {
  const cl_command_queue_properties properties = habits.slow_times ? 0 : CL_QUEUE_PROFILING_ENABLE;
  cl_int code = CL_SUCCESS;
  cl_command_queue queue = context->cl->clCreateCommandQueue(context->context, context->device, properties, &code);
  if (queue == nullptr) return native_failure("clCreateCommandQueue", code);
  const std::shared_ptr<NativeContext> owner = context;
  return owned(
      [&] {
        return std::unique_ptr<NativeQueue>(new NativeQueue(std::move(context), queue, std::move(device_name), habits));
      },
      [&] { owner->cl->clReleaseCommandQueue(queue); });
}

NativeQueue::~NativeQueue() {
  staged_.reset();
  if (context_->gone()) return;
  if (timed_ != nullptr) context_->cl->clReleaseCommandQueue(timed_);
  context_->cl->clReleaseCommandQueue(usual_);
}

void NativeQueue::turn_to(bool times) {
  if (!habits_.slow_times) return;
  const auto& cl = *context_->cl;
  if (times && timed_ == nullptr) {
    cl_int code = CL_SUCCESS;
    timed_ = cl.clCreateCommandQueue(context_->context, context_->device, CL_QUEUE_PROFILING_ENABLE, &code);
  }
  cl_command_queue const next = times && timed_ != nullptr ? timed_ : usual_;  // there may be no times, then
  if (next == queue_) return;
  if (used_) {
    cl_event before = nullptr;
    bool ordered = cl.clEnqueueMarkerWithWaitList(queue_, 0, nullptr, &before) == CL_SUCCESS;
    if (ordered) {
      ordered =
          cl.clFlush(queue_) == CL_SUCCESS && cl.clEnqueueBarrierWithWaitList(next, 1, &before, nullptr) == CL_SUCCESS;
      cl.clReleaseEvent(before);
    }
    if (!ordered) cl.clFinish(queue_);
  }
  queue_ = next;
}

void NativeQueue::finish() const {
  if (habits_.far) return finish_far();
  context_->cl->clFinish(usual_);
  if (timed_ != nullptr) context_->cl->clFinish(timed_);
}

cl_event* NativeQueue::wanted_by(const InFlightBatch& flight, cl_event& event) {
  return flight.events.size() < flight.told_from ? nullptr : &event;
}

Status NativeQueue::taken(const char* call, cl_int code, cl_event event, InFlightBatch& flight) {
  if (code != CL_SUCCESS) return native_failure(call, code);
  flight.events.push_back(event);
  if (event != nullptr) flight.last = event;
  return {};
}

domain::RowRuns NativeQueue::parts_of(const domain::RowRun& rows, std::uint64_t bytes) const {
  if (!habits_.far) return as_rectangles(rows, bytes);
  domain::RowRuns parts;
  for (const domain::RowRun& part : as_pieces(rows, bytes, kFarPiece)) parts.push_back(part);
  return parts;
}

cl_event* NativeQueue::wanted_of(InFlightBatch& flight, const domain::RowRuns& parts, const domain::RowRun& part,
                                 cl_event& last) const {
  if (&part == &parts.back()) return wanted_by(flight, last);
  if (!habits_.far) return nullptr;
  flight.parts.emplace_back(flight.events.size(), nullptr);
  return &flight.parts.back().second;
}

StagedWrites* NativeQueue::staged_writes() {
  if (!habits_.slow_pageable || !stages_) return nullptr;
  if (!staged_) staged_ = StagedWrites::create(context_);
  stages_ = staged_ != nullptr;
  return staged_.get();
}

Status NativeQueue::enqueue_op(const WriteOp& op, InFlightBatch& flight) {
  const auto& cl = *context_->cl;
  cl_event event = nullptr;
  const bool stages = op.locked == nullptr && StagedWrites::worth(op.rows);
  if (StagedWrites* staged = stages ? staged_writes() : nullptr; staged != nullptr) {
    flight.begun.emplace_back(flight.events.size(), host_now());
    if (Status status = staged->write(queue_, mem_of(op.memory), op.host,
                                      as_pieces(op.rows, bytes_of(op.memory), kPinnedPiece), wanted_by(flight, event));
        !status)
      return status;
    return taken("a write", CL_SUCCESS, event, flight);
  }
  const auto parts = parts_of(op.rows, bytes_of(op.memory));
  for (const domain::RowRun& part : parts) {
    cl_event* const wanted = wanted_of(flight, parts, part, event);
    if (part.rows == 1) {
      const cl_int code = cl.clEnqueueWriteBuffer(queue_, mem_of(op.memory), CL_FALSE, part.begin, part.width,
                                                  op.host + part.begin, 0, nullptr, wanted);
      if (code != CL_SUCCESS) return native_failure("clEnqueueWriteBuffer", code);
      continue;
    }
    const Rect rect(part);
    const cl_int code =
        cl.clEnqueueWriteBufferRect(queue_, mem_of(op.memory), CL_FALSE, rect.origin, rect.origin, rect.region,
                                    part.stride, 0, part.stride, 0, op.host, 0, nullptr, wanted);
    if (code != CL_SUCCESS) return native_failure("clEnqueueWriteBufferRect", code);
  }
  return taken("a write", CL_SUCCESS, event, flight);
}

Status NativeQueue::enqueue_packed(const ReadOp& op, InFlightBatch& flight) {
  const auto& cl = *context_->cl;
  const domain::RowRun& rows = op.rows;
  cl_event event = nullptr;
  if (rows.rows == 1) {
    const cl_int code = cl.clEnqueueReadBuffer(queue_, mem_of(op.memory), CL_FALSE, rows.begin, rows.width, op.host, 0,
                                               nullptr, wanted_by(flight, event));
    return taken("clEnqueueReadBuffer", code, event, flight);
  }
  const Rect rect(rows);
  const std::size_t host_origin[3] = {0, 0, 0};
  const cl_int code =
      cl.clEnqueueReadBufferRect(queue_, mem_of(op.memory), CL_FALSE, rect.origin, host_origin, rect.region,
                                 rows.stride, 0, rows.width, 0, op.host, 0, nullptr, wanted_by(flight, event));
  return taken("clEnqueueReadBufferRect", code, event, flight);
}

bool NativeQueue::waits_inside(const InFlightBatch& flight, const domain::RowRuns& parts) const {
  if (!habits_.slow_pageable || !flight.at_rest || !flight.batch.awaited || flight.batch.work().size() != 1)
    return false;
  return parts.size() == 1 && parts.front().rows == 1 && parts.front().width <= kMaxInside;
}

Status NativeQueue::enqueue_op(const ReadOp& op, InFlightBatch& flight) {
  if (op.packed) return enqueue_packed(op, flight);
  const auto& cl = *context_->cl;
  cl_event event = nullptr;
  const auto parts = parts_of(op.rows, bytes_of(op.memory));
  for (const domain::RowRun& part : parts) {
    cl_event* const wanted = wanted_of(flight, parts, part, event);
    if (part.rows == 1) {
      const auto read = [&](cl_bool blocking) {
        return cl.clEnqueueReadBuffer(queue_, mem_of(op.memory), blocking, part.begin, part.width, op.host + part.begin,
                                      0, nullptr, wanted);
      };
      // If that fails, the end of the batch tells why.
      if (waits_inside(flight, parts) && read(CL_TRUE) == CL_SUCCESS) continue;
      if (const cl_int code = read(CL_FALSE); code != CL_SUCCESS) return native_failure("clEnqueueReadBuffer", code);
      continue;
    }
    const Rect rect(part);
    const cl_int code =
        cl.clEnqueueReadBufferRect(queue_, mem_of(op.memory), CL_FALSE, rect.origin, rect.origin, rect.region,
                                   part.stride, 0, part.stride, 0, op.host, 0, nullptr, wanted);
    if (code != CL_SUCCESS) return native_failure("clEnqueueReadBufferRect", code);
  }
  return taken("a read", CL_SUCCESS, event, flight);
}

Status NativeQueue::enqueue_op(const FillOp& op, InFlightBatch& flight) {
  const std::vector<std::byte> pattern = widened(op);
  cl_event event = nullptr;
  const cl_int code = context_->cl->clEnqueueFillBuffer(queue_, mem_of(op.memory), pattern.data(), pattern.size(),
                                                        op.offset, op.bytes, 0, nullptr, wanted_by(flight, event));
  return taken("clEnqueueFillBuffer", code, event, flight);
}

Status NativeQueue::enqueue_op(const CopyOp& op, InFlightBatch& flight) {
  cl_event event = nullptr;
  const cl_int code = context_->cl->clEnqueueCopyBuffer(queue_, mem_of(op.from), mem_of(op.to), op.from_offset,
                                                        op.to_offset, op.bytes, 0, nullptr, wanted_by(flight, event));
  return taken("clEnqueueCopyBuffer", code, event, flight);
}

Status NativeQueue::enqueue_op(const CopyRectOp& op, InFlightBatch& flight) {
  const auto& cl = *context_->cl;
  const BoxPlace from = box_place(op.from_begin, op.from_pitch, op.region, bytes_of(op.from));
  const BoxPlace to = box_place(op.to_begin, op.to_pitch, op.region, bytes_of(op.to));
  cl_event event = nullptr;
  if (from.fits && to.fits) {
    const std::size_t region[3] = {op.region[0], op.region[1], op.region[2]};
    const std::size_t from_slice = op.region[2] > 1 ? op.from_pitch[1] : 0;
    const std::size_t to_slice = op.region[2] > 1 ? op.to_pitch[1] : 0;
    const cl_int code = cl.clEnqueueCopyBufferRect(queue_, mem_of(op.from), mem_of(op.to), from.origin, to.origin,
                                                   region, op.from_pitch[0], from_slice, op.to_pitch[0], to_slice, 0,
                                                   nullptr, wanted_by(flight, event));
    return taken("clEnqueueCopyBufferRect", code, event, flight);
  }
  for (std::uint64_t z = 0; z < op.region[2]; ++z) {
    for (std::uint64_t y = 0; y < op.region[1]; ++y) {
      const bool last = z + 1 == op.region[2] && y + 1 == op.region[1];
      const cl_int code = cl.clEnqueueCopyBuffer(queue_, mem_of(op.from), mem_of(op.to),
                                                 op.from_begin + z * op.from_pitch[1] + y * op.from_pitch[0],
                                                 op.to_begin + z * op.to_pitch[1] + y * op.to_pitch[0], op.region[0], 0,
                                                 nullptr, last ? wanted_by(flight, event) : nullptr);
      if (code != CL_SUCCESS) return native_failure("clEnqueueCopyBuffer", code);
    }
  }
  return taken("clEnqueueCopyBuffer", CL_SUCCESS, event, flight);
}

Status NativeQueue::enqueue_op(const WriteImageOp& op, InFlightBatch& flight) {
  const auto boxes = image_boxes(static_cast<const VendorMemory&>(*op.image).shape(), op.rows);
  cl_event event = nullptr;
  for (const ImageBox& box : boxes) {
    cl_event* const wanted = &box == &boxes.back() ? wanted_by(flight, event) : nullptr;
    const cl_int code =
        context_->cl->clEnqueueWriteImage(queue_, mem_of(op.image), CL_FALSE, box.origin.data(), box.region.data(),
                                          box.row_pitch, 0, op.host + box.begin, 0, nullptr, wanted);
    if (code != CL_SUCCESS) return native_failure("clEnqueueWriteImage", code);
  }
  return taken("clEnqueueWriteImage", CL_SUCCESS, event, flight);
}

Status NativeQueue::enqueue_op(const ReadImageOp& op, InFlightBatch& flight) {
  const auto boxes = image_boxes(static_cast<const VendorMemory&>(*op.image).shape(), op.rows);
  cl_event event = nullptr;
  for (const ImageBox& box : boxes) {
    cl_event* const wanted = &box == &boxes.back() ? wanted_by(flight, event) : nullptr;
    const cl_int code =
        context_->cl->clEnqueueReadImage(queue_, mem_of(op.image), CL_FALSE, box.origin.data(), box.region.data(),
                                         box.row_pitch, 0, op.host + box.begin, 0, nullptr, wanted);
    if (code != CL_SUCCESS) return native_failure("clEnqueueReadImage", code);
  }
  return taken("clEnqueueReadImage", CL_SUCCESS, event, flight);
}

Status NativeQueue::enqueue_op(const RunOp& op, InFlightBatch& flight) {
  auto& kernel = static_cast<VendorKernel&>(*op.kernel);
  if (auto bound = kernel.bind(op.arguments, op.record, flight.held, [this] { finish(); }); !bound) return bound;
  const domain::NdRange& range = op.range;
  const std::size_t offset[3] = {range.offset[0], range.offset[1], range.offset[2]};
  const std::size_t global[3] = {range.global[0], range.global[1], range.global[2]};
  const std::size_t local[3] = {range.local[0], range.local[1], range.local[2]};
  if (flight.batch.want_times && flight.asked == 0) {
    flight.asked_op = flight.events.size();
    flight.asked = host_now();
  }
  const bool at_origin = offset[0] == 0 && offset[1] == 0 && offset[2] == 0;
  cl_event event = nullptr;
  const cl_int code =
      context_->cl->clEnqueueNDRangeKernel(queue_, kernel.handle, range.work_dim, at_origin ? nullptr : offset, global,
                                           local, 0, nullptr, wanted_by(flight, event));
  return taken("clEnqueueNDRangeKernel", code, event, flight);
}

std::size_t NativeQueue::first_told(const InFlightBatch& flight) const {
  const std::vector<Op>& ops = flight.batch.work();
  if (flight.state == FlightState::unmarked) return ops.size();
  if (flight.batch.want_times || !habits_.failures_stay) return 0;
  const auto last = std::find_if_not(ops.rbegin(), ops.rend(), is_empty);
  return static_cast<std::size_t>(ops.rend() - last) - (last != ops.rend() ? 1 : 0);
}

void NativeQueue::enqueue(InFlightBatch& flight) {
  if (context_->gone()) return refuse(flight);
  turn_to(flight.batch.want_times);
  flight.context = context_.get();
  flight.queue = queue_;
  flight.events.reserve(flight.batch.work().size() + 1);  // and one of mark()
  used_ = used_ || !flight.batch.work().empty();
  flight.told_from = first_told(flight);
  for (const Op& op : flight.batch.work()) {
    if (is_empty(op)) {
      flight.events.push_back(nullptr);
      continue;
    }
    const auto done = std::visit([&](const auto& one) { return enqueue_op(one, flight); }, op);
    if (!done) {
      // A write of several rows may have got half way.
      flight.strays = true;
      flight.status = done.error().code;
      flight.reason = device_name_ + ": " + done.error().reason;
      break;
    }
  }
  if (flight.state == FlightState::unmarked) return;  // mark() or a later batch flushes
  const cl_int code = context_->cl->clFlush(queue_);
  if (code != CL_SUCCESS && flight.status == CL_SUCCESS) {
    flight.status = native_failure("clFlush", code).code;
    flight.reason = device_name_ + ": " + native_failure("clFlush", code).reason;
  }
}

}  // namespace skmd::icd

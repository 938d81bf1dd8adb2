// SPDX-License-Identifier: Apache-2.0
// How batches on a native queue end: waiting for them, asking for their end, their status and times.
#include <algorithm>
#include <optional>

#include "intercept/backend/port/host_clock.h"
#include "intercept/backend/vendor/far_wait.h"
#include "intercept/backend/vendor/native_error.h"
#include "intercept/backend/vendor/native_queue.h"

namespace skmd::icd {

FlightInput NativeQueue::mark(InFlightBatch& flight, const InFlightBatch* later, bool finishing) const {
  if (later == nullptr && finishing) return FlightInput::leave_to_queue;
  const auto& cl = *context_->cl;
  cl_event event = nullptr;
  if (later != nullptr) {
    event = later->last;
    if (cl.clRetainEvent(event) != CL_SUCCESS) event = nullptr;
  } else if (cl.clEnqueueMarkerWithWaitList(flight.queue, 0, nullptr, &event) == CL_SUCCESS) {
    cl.clFlush(flight.queue);
  }
  if (event != nullptr) {
    flight.events.push_back(event);
    flight.last = event;
    return FlightInput::mark;
  }
  const cl_int code = cl.clFinish(flight.queue);
  if (code != CL_SUCCESS && flight.status == CL_SUCCESS) {
    flight.status = code;
    flight.reason = device_name_ + ": " + native_failure("clFinish", code).reason;
  }
  return FlightInput::finish;
}

void NativeQueue::refuse(InFlightBatch& flight) const {
  flight.context = context_.get();
  flight.status = CL_OUT_OF_RESOURCES;
  flight.reason = device_name_ + " was set aside after a failure";
}

cl_int NativeQueue::told_by_waiting(const InFlightBatch& flight, FlightState state) const {
  if (habits_.far) return flight.last == nullptr ? CL_SUCCESS : await_far(*context_, flight.last);
  const auto& cl = *context_->cl;
  if (state != FlightState::with_queue)
    return flight.last == nullptr ? CL_SUCCESS : cl.clWaitForEvents(1, &flight.last);
  const cl_int code = cl.clFinish(flight.queue);
  if (code == CL_SUCCESS) return code;
  // A call that failed may have waited for nothing.
  cl_event event = nullptr;
  if (cl.clEnqueueMarkerWithWaitList(flight.queue, 0, nullptr, &event) != CL_SUCCESS) return code;
  cl.clFlush(flight.queue);
  const cl_int told = cl.clWaitForEvents(1, &event);
  cl.clReleaseEvent(event);
  return told;
}

void NativeQueue::finish_far() const {
  const auto& cl = *context_->cl;
  cl_event event = nullptr;
  if (context_->gone() || cl.clEnqueueMarkerWithWaitList(queue_, 0, nullptr, &event) != CL_SUCCESS) return;
  cl.clFlush(queue_);
  static_cast<void>(await_far(*context_, event));
  if (!context_->gone()) cl.clReleaseEvent(event);
}

void NativeQueue::wait(InFlightBatch& flight, FlightState state) const {
  const bool well = told_by_waiting(flight, state) == CL_SUCCESS;
  if (habits_.far) {
    if (flight.strays && flight.queue != nullptr) finish_far();
  } else if ((!well || flight.strays) && flight.queue != nullptr) {
    context_->cl->clFinish(flight.queue);
  }
  if (well) flight.ended_well.store(true, std::memory_order_relaxed);
}

cl_int NativeQueue::lasting_status(const InFlightBatch& flight, FlightState state) const {
  // A call that failed once is asked again: real failures stay.
  const bool well = flight.ended_well.load(std::memory_order_relaxed) || told_by_waiting(flight, state) == CL_SUCCESS;
  // Not the driver's code, which says nothing of a single command: the context is lost.
  return well ? CL_COMPLETE : cl_int{CL_OUT_OF_RESOURCES};
}

cl_int NativeQueue::final_status(const InFlightBatch& flight, cl_event event) const {
  if (habits_.far) return await_far(*context_, event);
  const auto& cl = *context_->cl;
  // Finishing a queue succeeds after failures, and so may waiting: only the event's own status tells.
  const auto ask = [&](cl_int& status) {
    return cl.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  };
  cl_int status = CL_QUEUED;
  const cl_int unknown = ask(status);
  if (unknown == CL_SUCCESS && status <= CL_COMPLETE) return status;
  const cl_int failed = cl.clWaitForEvents(1, &event);
  if (failed == CL_SUCCESS) return CL_COMPLETE;
  cl.clFinish(flight.queue);
  if (ask(status) == CL_SUCCESS && status <= CL_COMPLETE) return status;
  return failed < 0 ? failed : CL_OUT_OF_RESOURCES;
}

bool NativeQueue::ended(const InFlightBatch& flight, FlightState state) const {
  if (context_->gone()) return true;
  if (flight.strays || state == FlightState::with_queue) return false;  // no event shows it
  if (flight.last == nullptr) return true;
  cl_int status = CL_COMPLETE;
  const cl_int code =
      context_->cl->clGetEventInfo(flight.last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  return code != CL_SUCCESS || status <= CL_COMPLETE;
}

BatchResult NativeQueue::result(const InFlightBatch& flight, FlightState state, bool good) {
  const std::size_t accepted = flight.events.size() - (state == FlightState::marked ? 1 : 0);
  BatchResult result{flight.status, flight.reason, {}, judge(flight.status, false), accepted};
  if (context_->gone()) {
    // Also of a batch that was not given to it for that.
    result.fault = Fault::device;
    if (flight.status == CL_SUCCESS && flight.ended_well.load(std::memory_order_relaxed)) result.fault = Fault::none;
    if (result.fault == Fault::none) return result;
    result.status = CL_DEVICE_NOT_AVAILABLE;
    result.reason = device_name_ + ": its machine does not answer any more";
    return result;
  }
  const auto judged = [&](std::size_t i, cl_int failure) {
    if (failure == CL_SUCCESS) return;
    const Fault fault = judge(failure, true);
    if (result.status == CL_SUCCESS) {
      result.status = failure;
      result.reason = device_name_ + ": op " + std::to_string(i) + " of " + std::to_string(flight.batch.work().size()) +
                      " ended with " + native_code_name(failure);
    }
    result.fault = std::max(result.fault, fault);
  };
  if (habits_.failures_stay && !good) {
    if (flight.last != nullptr || state == FlightState::with_queue)
      judged(std::max<std::size_t>(flight.events.size(), 1) - 1, lasting_status(flight, state));
  } else {
    for (std::size_t i = 0; i < flight.events.size() && !good; ++i)
      if (flight.events[i] != nullptr) judged(i, final_status(flight, flight.events[i]));
    for (const auto& [op, event] : flight.parts)
      if (event != nullptr) judged(op, final_status(flight, event));
  }
  if (flight.batch.want_times) read_times(flight, result);
  return result;
}

bool NativeQueue::profiling_time(cl_event event, cl_profiling_info name, cl_ulong& at) const {
  return context_->cl->clGetEventProfilingInfo(event, name, sizeof at, &at, nullptr) == CL_SUCCESS;
}

NativeQueue::NativeTimes NativeQueue::event_times(cl_event event) const {
  NativeTimes times;
  const bool told = profiling_time(event, CL_PROFILING_COMMAND_START, times.start) &&
                    profiling_time(event, CL_PROFILING_COMMAND_END, times.end);
  return told && times.start != 0 && times.end >= times.start ? times : NativeTimes{};
}

std::vector<NativeQueue::NativeTimes> NativeQueue::native_times(const InFlightBatch& flight) const {
  std::vector<NativeTimes> all(flight.batch.work().size());
  for (std::size_t i = 0; i < std::min(flight.events.size(), all.size()); ++i) {
    if (flight.events[i] == nullptr) continue;
    all[i] = event_times(flight.events[i]);
    if (all[i].end == 0 || i != flight.asked_op || flight.asked == 0) continue;
    if (!profiling_time(flight.events[i], CL_PROFILING_COMMAND_QUEUED, all[i].queued)) all[i].queued = 0;
  }
  // A transfer in parts began when its first part did.
  for (const auto& [op, event] : flight.parts) {
    cl_ulong start = 0;
    if (event == nullptr || op >= all.size() || all[op].end == 0) continue;
    if (profiling_time(event, CL_PROFILING_COMMAND_START, start) && start != 0)
      all[op].start = std::min(all[op].start, start);
  }
  return all;
}

void NativeQueue::learn_clock(const InFlightBatch& flight, const std::vector<NativeTimes>& natives,
                              std::uint64_t observed) {
  // Of a launch, since a transfer's one event may be that of the last of many commands.
  std::optional<DeviceClock::Pair> taken;
  const NativeTimes& launch = natives[flight.asked_op];
  if (launch.queued != 0 && launch.queued <= launch.start) taken = {flight.asked, launch.queued};
  cl_ulong latest = 0;
  for (const NativeTimes& times : natives) latest = std::max(latest, times.end);
  clock_.learn(taken, {observed, latest});
}

void NativeQueue::read_times(const InFlightBatch& flight, BatchResult& result) {
  const std::uint64_t observed = host_now();
  const std::vector<NativeTimes> natives = native_times(flight);
  const auto known = [](const NativeTimes& times) { return times.end != 0; };
  if (std::none_of(natives.begin(), natives.end(), known)) return;
  learn_clock(flight, natives, observed);
  const auto on_host = [&](cl_ulong native) {
    return std::clamp(clock_.on_host(native), flight.submitted, std::max(flight.submitted, observed));
  };
  result.times.reserve(natives.size());
  for (const NativeTimes& times : natives) {
    if (!known(times)) {
      const std::uint64_t at = result.times.empty() ? flight.submitted : result.times.back().end;
      result.times.push_back({at, at, 0});
    } else {
      result.times.push_back({on_host(times.start), on_host(times.end), times.end - times.start});
    }
  }
  for (const auto& [op, begun] : flight.begun)
    if (op < result.times.size()) result.times[op].start = std::min(result.times[op].start, begun);
}

}  // namespace skmd::icd

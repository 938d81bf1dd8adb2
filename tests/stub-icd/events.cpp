// SPDX-License-Identifier: Apache-2.0
// What events tell, and the callbacks at their end.
#include <utility>
#include <vector>

#include "tests/stub-icd/stub.h"

namespace stub {

void call_back(cl_event event) {
  std::vector<_cl_event::Callback> callbacks;
  cl_int status = CL_COMPLETE;
  {
    std::lock_guard lock(event->mutex);
    callbacks = std::exchange(event->callbacks, {});
    status = event->status;
  }
  for (const _cl_event::Callback& each : callbacks) each.function(event, status, each.data);
}

namespace {

cl_int get_event_info(cl_event event, cl_event_info name, std::size_t size, void* out, std::size_t* size_out) {
  if (const cl_int failed = record("clGetEventInfo", [&] { return on_device(event->queue); }); failed != CL_SUCCESS) {
    return failed;
  }
  if (name != CL_EVENT_COMMAND_EXECUTION_STATUS) return CL_INVALID_VALUE;
  std::lock_guard lock(event->mutex);
  return answer_value(event->status, size, out, size_out);
}

cl_int get_profiling_info(cl_event event, cl_profiling_info name, std::size_t size, void* out, std::size_t* size_out) {
  if (const cl_int failed = record("clGetEventProfilingInfo", [] { return ""; }); failed != CL_SUCCESS) return failed;
  std::lock_guard lock(event->mutex);
  if (event->status != CL_COMPLETE || !event->queue->times) return CL_PROFILING_INFO_NOT_AVAILABLE;
  if (name == CL_PROFILING_COMMAND_QUEUED) return answer_value(cl_ulong{event->queued}, size, out, size_out);
  if (name == CL_PROFILING_COMMAND_START) return answer_value(cl_ulong{event->start}, size, out, size_out);
  if (name == CL_PROFILING_COMMAND_END) return answer_value(cl_ulong{event->end}, size, out, size_out);
  return CL_INVALID_VALUE;
}

cl_int set_event_callback(cl_event event, cl_int status, void(CL_CALLBACK* function)(cl_event, cl_int, void*),
                          void* data) {
  const cl_int failed = record("clSetEventCallback", [&] { return on_device(event->queue); });
  if (failed != CL_SUCCESS) return failed;
  if (status != CL_COMPLETE || function == nullptr) return CL_INVALID_VALUE;
  {
    std::lock_guard lock(event->mutex);
    event->callbacks.push_back({function, data});
    if (event->status > CL_COMPLETE) return CL_SUCCESS;
  }
  call_back(event);
  return CL_SUCCESS;
}

}  // namespace

void fill_event_table(cl_icd_dispatch& table) {
  table.clGetEventInfo = get_event_info;
  table.clGetEventProfilingInfo = get_profiling_info;
  table.clSetEventCallback = set_event_callback;
}

}  // namespace stub

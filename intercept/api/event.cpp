// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/event.h"

#include "intercept/api/dispatch.h"
#include "intercept/api/entry.h"
#include "intercept/api/info.h"
#include "intercept/machine/machine.h"
#include "intercept/object/queue.h"

#include <CL/cl_ext.h>

#include <string>

namespace skmd::icd::api {

cl_int CL_API_CALL clWaitForEvents(cl_uint num_events, const cl_event* event_list) {
  return entry("clWaitForEvents", [&]() -> Status {
    // CL_INVALID_VALUE: "if num_events is zero or event_list is NULL".
    if (num_events == 0 || event_list == nullptr) return Error{CL_INVALID_VALUE, "there is no event to wait for"};
    const auto first = borrow<Event>(event_list[0]);
    if (!first) return first.error();
    const auto events = wait_list(num_events, event_list, (*first)->context(), CL_INVALID_EVENT);
    if (!events) return events.error();
    bool failed = false;
    for (const Ref<Event>& event : *events) failed |= event->wait() < 0;
    // "if the execution status of any of the events in event_list is a negative integer value"
    if (failed) return Error{CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an event of the list ended with an error"};
    return {};
  });
}

namespace {

/// CL_EVENT_COMMAND_TERMINATION_REASON_ARM (cl_arm_controlled_kernel_termination).
Result<cl_command_termination_reason_arm> termination_reason(const Event& event) {
  if (event.type() != CL_COMMAND_NDRANGE_KERNEL && event.type() != CL_COMMAND_TASK)
    return Error{CL_INVALID_EVENT, "param_name CL_EVENT_COMMAND_TERMINATION_REASON_ARM: event is of no kernel"};
  if (!event.ended())
    return Error{CL_INVALID_OPERATION, "param_name CL_EVENT_COMMAND_TERMINATION_REASON_ARM: event's status is " +
                                           std::to_string(event.status()) +
                                           ", and it has to be CL_COMPLETE or negative"};
  if (event.status() == CL_COMMAND_TERMINATED_ITSELF_WITH_FAILURE_ARM)
    return CL_COMMAND_TERMINATION_CONTROLLED_FAILURE_ARM;
  if (event.status() < 0) return CL_COMMAND_TERMINATION_ERROR_ARM;
  return event.ended_itself() ? CL_COMMAND_TERMINATION_CONTROLLED_SUCCESS_ARM : CL_COMMAND_TERMINATION_COMPLETION_ARM;
}

}  // namespace

cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info name, size_t size, void* value, size_t* size_ret) {
  return entry("clGetEventInfo", [&]() -> Status {
    const auto object = borrow<Event>(event);
    if (!object) return object.error();
    const InfoQuery query(name, size, value, size_ret);
    switch (name) {
      case CL_EVENT_COMMAND_QUEUE:
        return query.value<cl_command_queue>(handle_of((*object)->queue()));
      case CL_EVENT_CONTEXT:
        return query.value<cl_context>(handle_of((*object)->context()));
      case CL_EVENT_COMMAND_TYPE:
        return query.value<cl_command_type>((*object)->type());
      case CL_EVENT_COMMAND_EXECUTION_STATUS:
        return query.value<cl_int>((*object)->status());
      case CL_EVENT_REFERENCE_COUNT:
        return query.value<cl_uint>((*object)->slot()->references.load() - (*object)->lent_to_callbacks().load());
      case CL_EVENT_COMMAND_TERMINATION_REASON_ARM: {
        if (!offers_termination((*object)->context().machine().settings)) return query.unknown();
        const auto reason = termination_reason(**object);
        return reason ? query.value<cl_command_termination_reason_arm>(*reason) : reason.error();
      }
      default:
        return query.unknown();
    }
  });
}

cl_int CL_API_CALL clRetainEvent(cl_event event) { return retain_handle<Event>("clRetainEvent", event); }
cl_int CL_API_CALL clReleaseEvent(cl_event event) { return release_handle<Event>("clReleaseEvent", event); }

cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t size, void* value,
                                           size_t* size_ret) {
  return entry("clGetEventProfilingInfo", [&]() -> Status {
    const auto object = borrow<Event>(event);
    if (!object) return object.error();
    const auto time = (*object)->profile(name);
    if (!time) return time.error();
    return InfoQuery(name, size, value, size_ret).value<cl_ulong>(*time);
  });
}

cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int* errcode_ret) {
  return entry("clCreateUserEvent", errcode_ret, [&]() -> Result<cl_event> {
    const auto owner = borrow<Context>(context);
    if (!owner) return owner.error();
    return give(make_object<Event>(*owner, nullptr, CL_COMMAND_USER, *(*owner)->machine().executor));
  });
}

cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int execution_status) {
  return entry("clSetUserEventStatus", [&]() -> Status {
    const auto object = borrow<Event>(event);
    if (!object) return object.error();
    // CL_INVALID_EVENT: "if event is not a valid user event object".
    if ((*object)->type() != CL_COMMAND_USER) return Error{CL_INVALID_EVENT, "the event is not a user event"};
    // CL_INVALID_VALUE: "if the execution_status is not CL_COMPLETE or a negative integer value".
    if (execution_status > CL_COMPLETE)
      return Error{CL_INVALID_VALUE, "execution_status " + std::to_string(execution_status) + " is positive"};
    // CL_INVALID_OPERATION: "if the execution_status for event has already been changed by a previous call".
    if (!(*object)->complete(execution_status))
      return Error{CL_INVALID_OPERATION, "the event's status has already been set"};
    return {};
  });
}

cl_int CL_API_CALL clSetEventCallback(cl_event event, cl_int type, void(CL_CALLBACK* callback)(cl_event, cl_int, void*),
                                      void* user_data) {
  return entry("clSetEventCallback", [&]() -> Status {
    const auto object = borrow<Event>(event);
    if (!object) return object.error();
    // CL_INVALID_VALUE: "if pfn_event_notify is NULL or if command_exec_callback_type is not CL_SUBMITTED, CL_RUNNING,
    // or CL_COMPLETE".
    if (callback == nullptr) return Error{CL_INVALID_VALUE, "pfn_event_notify is NULL"};
    if (type != CL_SUBMITTED && type != CL_RUNNING && type != CL_COMPLETE)
      return Error{CL_INVALID_VALUE,
                   "command_exec_callback_type " + std::to_string(type) + " is not a status to wait for"};
    // The handle stays usable inside the callback, even if the application has released it since.
    Event* raw = object->get();
    if (!retain(*raw->slot())) return Error{CL_INVALID_EVENT, "the event was released"};
    raw->lent_to_callbacks().fetch_add(1);
    const auto give_back = [](Event& lent) {
      lent.lent_to_callbacks().fetch_sub(1);
      release(*lent.slot());
    };
    try {
      raw->on_status(type, [event, callback, user_data, give_back, kept = *object](cl_int status) {
        callback(event, status, user_data);
        give_back(*kept);
      });
    } catch (...) {  // no memory: the callback will not be called
      give_back(*raw);
      throw;
    }
    return {};
  });
}

}  // namespace skmd::icd::api

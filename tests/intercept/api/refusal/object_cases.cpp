// SPDX-License-Identifier: Apache-2.0
// Samplers and events.
#include "tests/intercept/api/refusal/cases.h"

namespace skmd::test {
namespace {

using Sampler = cl_sampler;
using Event = cl_event;

void add_samplers(Cases& cases) {
  constexpr Machine kImages = Machine::with_images;
  constexpr cl_int kBad = CL_INVALID_SAMPLER;
  add_bad_handles<Sampler>(
      cases, "clRetainSampler", kBad, "the sampler", [](World&, Sampler sampler) { return clRetainSampler(sampler); },
      kImages);
  add_bad_handles<Sampler>(
      cases, "clReleaseSampler", kBad, "the sampler", [](World&, Sampler sampler) { return clReleaseSampler(sampler); },
      kImages);
  add_bad_handles<Sampler>(
      cases, "clGetSamplerInfo", kBad, "the sampler",
      [](World& w, Sampler sampler) {
        return clGetSamplerInfo(sampler, CL_SAMPLER_CONTEXT, World::kValueBytes, w.value(), w.size_ret());
      },
      kImages);
  add_bad_queries(
      cases, "clGetSamplerInfo", CL_SAMPLER_CONTEXT,
      [](World& w, cl_uint name, size_t size, void* value, size_t* size_ret) {
        return clGetSamplerInfo(w.mine.sampler, name, size, value, size_ret);
      },
      kImages);
}

struct WrongSampler {
  const char* wrong;
  std::vector<cl_sampler_properties> list;
};

void add_sampler_creation(Cases& cases) {
  add_bad_handles<cl_context>(
      cases, "clCreateSamplerWithProperties", CL_INVALID_CONTEXT, "the context",
      [](World& w, cl_context context) { return w.made(clCreateSamplerWithProperties(context, nullptr, w.code())); });
  add_bad_handles<cl_context>(
      cases, "clCreateSampler", CL_INVALID_CONTEXT, "the context", [](World& w, cl_context context) {
        return w.made(clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, w.code()));
      });
  const std::vector<WrongSampler> lists{
      {"a property is unknown", {0x7777, 1, 0}},
      {"a property is given twice",
       {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0}},
      {"coordinates are no boolean", {CL_SAMPLER_NORMALIZED_COORDS, 2, 0}},
      {"the addressing mode is unknown", {CL_SAMPLER_ADDRESSING_MODE, 0x7777, 0}},
      {"the filter mode is unknown", {CL_SAMPLER_FILTER_MODE, 0x7777, 0}},
      {"the filter mode has high bits",
       {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR | (cl_sampler_properties{1} << 40), 0}},
  };
  for (const WrongSampler& wrong : lists)
    cases.push_back({"clCreateSamplerWithProperties", CL_INVALID_VALUE, wrong.wrong, [list = wrong.list](World& w) {
                       return w.made(clCreateSamplerWithProperties(w.mine.context, list.data(), w.code()));
                     }});
  cases.push_back({"clCreateSampler", CL_INVALID_VALUE, "the addressing mode is unknown", [](World& w) {
                     return w.made(clCreateSampler(w.mine.context, CL_TRUE, 0x7777, CL_FILTER_NEAREST, w.code()));
                   }});
  cases.push_back({"clCreateSampler", CL_INVALID_VALUE, "the filter mode is unknown", [](World& w) {
                     return w.made(clCreateSampler(w.mine.context, CL_TRUE, CL_ADDRESS_CLAMP, 0x7777, w.code()));
                   }});
  cases.push_back({"clCreateSampler", CL_INVALID_OPERATION, "the device has no images",
                   [](World& w) {
                     return w.made(
                         clCreateSampler(w.mine.context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, w.code()));
                   },
                   Machine::without_images});
  cases.push_back({"clCreateSamplerWithProperties", CL_INVALID_OPERATION, "the device has no images",
                   [](World& w) { return w.made(clCreateSamplerWithProperties(w.mine.context, nullptr, w.code())); },
                   Machine::without_images});
}

void CL_CALLBACK never(cl_event, cl_int, void*) { ADD_FAILURE() << "a refused callback was called"; }

void add_events(Cases& cases) {
  constexpr cl_int kBad = CL_INVALID_EVENT;
  add_bad_handles<Event>(cases, "clRetainEvent", kBad, "the event",
                         [](World&, Event event) { return clRetainEvent(event); });
  add_bad_handles<Event>(cases, "clReleaseEvent", kBad, "the event",
                         [](World&, Event event) { return clReleaseEvent(event); });
  add_bad_handles<Event>(cases, "clGetEventInfo", kBad, "the event", [](World& w, Event event) {
    return clGetEventInfo(event, CL_EVENT_CONTEXT, World::kValueBytes, w.value(), w.size_ret());
  });
  add_bad_queries(cases, "clGetEventInfo", CL_EVENT_CONTEXT,
                  [](World& w, cl_uint name, size_t size, void* value, size_t* size_ret) {
                    return clGetEventInfo(w.complete, name, size, value, size_ret);
                  });
  add_bad_handles<Event>(cases, "clSetUserEventStatus", kBad, "the event",
                         [](World&, Event event) { return clSetUserEventStatus(event, CL_COMPLETE); });
  cases.push_back({"clSetUserEventStatus", kBad, "not a user event",
                   [](World& w) { return clSetUserEventStatus(w.marker, CL_COMPLETE); }});
  for (const cl_int status : {CL_QUEUED, CL_SUBMITTED, CL_RUNNING, 77})
    cases.push_back({"clSetUserEventStatus", CL_INVALID_VALUE, "status " + std::to_string(status),
                     [status](World& w) { return clSetUserEventStatus(w.mine.event, status); }});
  for (const cl_int status : {CL_COMPLETE, -7})
    cases.push_back({"clSetUserEventStatus", CL_INVALID_OPERATION, "set before, now " + std::to_string(status),
                     [status](World& w) { return clSetUserEventStatus(w.complete, status); }});
  add_bad_handles<Event>(cases, "clSetEventCallback", kBad, "the event",
                         [](World&, Event event) { return clSetEventCallback(event, CL_COMPLETE, never, nullptr); });
  cases.push_back({"clSetEventCallback", CL_INVALID_VALUE, "the function is NULL",
                   [](World& w) { return clSetEventCallback(w.complete, CL_COMPLETE, nullptr, nullptr); }});
  for (const cl_int type : {CL_QUEUED, -1, 7})
    cases.push_back({"clSetEventCallback", CL_INVALID_VALUE, "type " + std::to_string(type),
                     [type](World& w) { return clSetEventCallback(w.complete, type, never, nullptr); }});
  add_bad_handles<cl_context>(
      cases, "clCreateUserEvent", CL_INVALID_CONTEXT, "the context",
      [](World& w, cl_context context) { return w.made(clCreateUserEvent(context, w.code())); });
}

void add_waits(Cases& cases) {
  cases.push_back(
      {"clWaitForEvents", CL_INVALID_VALUE, "no events", [](World& w) { return clWaitForEvents(0, &w.complete); }});
  cases.push_back(
      {"clWaitForEvents", CL_INVALID_VALUE, "the list is NULL", [](World&) { return clWaitForEvents(1, nullptr); }});
  for (const Bad bad : kEveryBad)
    for (const bool first : {true, false})
      cases.push_back({"clWaitForEvents", CL_INVALID_EVENT,
                       std::string(first ? "the first" : "the second") + " event is " + name_of(bad),
                       [bad, first](World& w) {
                         const Event wrong = w.bad<Event>(bad);
                         const Event list[2] = {first ? wrong : w.complete, first ? w.complete : wrong};
                         return clWaitForEvents(2, list);
                       }});
  cases.push_back({"clWaitForEvents", CL_INVALID_CONTEXT, "events of two contexts", [](World& w) {
                     const Event list[2] = {w.complete, w.other.event};
                     return clWaitForEvents(2, list);
                   }});
  cases.push_back({"clWaitForEvents", CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an event failed", [](World& w) {
                     const Event list[2] = {w.broken, w.complete};
                     return clWaitForEvents(2, list);
                   }});
}

void add_profiling(Cases& cases) {
  constexpr cl_uint kStart = CL_PROFILING_COMMAND_START;
  add_bad_handles<Event>(cases, "clGetEventProfilingInfo", CL_INVALID_EVENT, "the event", [](World& w, Event event) {
    return clGetEventProfilingInfo(event, kStart, World::kValueBytes, w.value(), w.size_ret());
  });
  const auto unavailable = [&cases](const char* wrong, Event World::*event) {
    cases.push_back({"clGetEventProfilingInfo", CL_PROFILING_INFO_NOT_AVAILABLE, wrong, [event](World& w) {
                       return clGetEventProfilingInfo(w.*event, kStart, World::kValueBytes, w.value(), w.size_ret());
                     }});
  };
  unavailable("a user event", &World::complete);
  unavailable("the queue does not profile", &World::marker);
  cases.push_back({"clGetEventProfilingInfo", CL_PROFILING_INFO_NOT_AVAILABLE, "an open user event", [](World& w) {
                     return clGetEventProfilingInfo(w.mine.event, kStart, World::kValueBytes, w.value(), w.size_ret());
                   }});
  // An event that can tell: made by a call that succeeds.
  const auto profiled = [](World& w, cl_uint name, size_t size) {
    Event event = nullptr;
    EXPECT_EQ(clEnqueueMarkerWithWaitList(w.mine.queue, 0, nullptr, &event), CL_SUCCESS);
    EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
    const cl_int code = clGetEventProfilingInfo(event, name, size, w.value(), w.size_ret());
    clReleaseEvent(event);
    return code;
  };
  cases.push_back({"clGetEventProfilingInfo", CL_INVALID_VALUE, "the name is unknown",
                   [profiled](World& w) { return profiled(w, 0x7777, World::kValueBytes); }});
  cases.push_back({"clGetEventProfilingInfo", CL_INVALID_VALUE, "the buffer is too small",
                   [profiled](World& w) { return profiled(w, kStart, sizeof(cl_ulong) - 1); }});
}

}  // namespace

void add_object_cases(Cases& cases) {
  add_samplers(cases);
  add_sampler_creation(cases);
  add_events(cases);
  add_waits(cases);
  add_profiling(cases);
}

}  // namespace skmd::test

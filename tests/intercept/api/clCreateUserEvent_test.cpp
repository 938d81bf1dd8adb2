// SPDX-License-Identifier: Apache-2.0
// clCreateUserEvent, clSetUserEventStatus, clSetEventCallback, clWaitForEvents, clGetEventInfo,
// clGetEventProfilingInfo.
#include <future>

#include "tests/intercept/api/driver_fixture.h"
#include "tests/intercept/api/info_checks.h"

namespace skmd::test {
namespace {

class EventCalls : public Driver {
 protected:
  template <class T>
  static T ask(cl_event event, cl_event_info name) {
    return value_of<T>(check_query([=](size_t size, void* value, size_t* size_ret) {
      return clGetEventInfo(event, name, size, value, size_ret);
    }));
  }
};
using ClCreateUserEvent = EventCalls;
using ClSetEventCallback = EventCalls;
using ClWaitForEvents = EventCalls;
using ClGetEventProfilingInfo = EventCalls;

TEST_F(ClCreateUserEvent, StartsSubmittedWithoutAQueueAndIsSetOnce) {
  cl_int status = 1;
  EXPECT_EQ(clCreateUserEvent(nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  const cl_event event = user_event();
  EXPECT_EQ(ask<cl_int>(event, CL_EVENT_COMMAND_EXECUTION_STATUS), CL_SUBMITTED);
  EXPECT_EQ(ask<cl_command_queue>(event, CL_EVENT_COMMAND_QUEUE), nullptr);
  EXPECT_EQ(ask<cl_command_type>(event, CL_EVENT_COMMAND_TYPE), static_cast<cl_command_type>(CL_COMMAND_USER));
  EXPECT_EQ(ask<cl_context>(event, CL_EVENT_CONTEXT), context());
  EXPECT_EQ(ask<cl_uint>(event, CL_EVENT_REFERENCE_COUNT), 1u);
  EXPECT_EQ(clSetUserEventStatus(event, CL_RUNNING), CL_INVALID_VALUE);
  EXPECT_EQ(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clSetUserEventStatus(event, -1), CL_INVALID_OPERATION);
  EXPECT_EQ(clSetUserEventStatus(nullptr, CL_COMPLETE), CL_INVALID_EVENT);
  check_unknown(
      [=](size_t size, void* value, size_t* size_ret) { return clGetEventInfo(event, 0x7777, size, value, size_ret); });
}

TEST_F(ClCreateUserEvent, OnlyUserEventsCanBeSet) {
  cl_event marker = nullptr;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue(), 0, nullptr, &marker), CL_SUCCESS);
  EXPECT_EQ(clSetUserEventStatus(marker, CL_COMPLETE), CL_INVALID_EVENT);
  clReleaseEvent(marker);
}

TEST_F(ClSetEventCallback, ChecksItsArguments) {
  const cl_event event = user_event();
  const auto callback = [](cl_event, cl_int, void*) {};
  EXPECT_EQ(clSetEventCallback(event, CL_COMPLETE, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clSetEventCallback(event, CL_QUEUED, callback, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clSetEventCallback(event, -1, callback, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clSetEventCallback(nullptr, CL_COMPLETE, callback, nullptr), CL_INVALID_EVENT);
}

struct Told {
  std::promise<std::pair<cl_int, cl_int>> result;
};

void CL_CALLBACK tell(cl_event event, cl_int status, void* told) {
  // The handle is usable although the application has released it.
  cl_int seen = 1;
  const cl_int answer = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof seen, &seen, nullptr);
  static_cast<Told*>(told)->result.set_value({answer == CL_SUCCESS ? status : answer, seen});
}

TEST_F(ClSetEventCallback, FiresAfterAReleaseAndDoesNotCountAsAReference) {
  static Told told;
  const cl_event gate = user_event();
  cl_event event = nullptr;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue(), 1, &gate, &event), CL_SUCCESS);
  ASSERT_EQ(clSetEventCallback(event, CL_COMPLETE, tell, &told), CL_SUCCESS);
  EXPECT_EQ(ask<cl_uint>(event, CL_EVENT_REFERENCE_COUNT), 1u);
  ASSERT_EQ(clReleaseEvent(event), CL_SUCCESS);
  clSetUserEventStatus(gate, CL_COMPLETE);
  const auto [status, seen] = told.result.get_future().get();
  EXPECT_EQ(status, CL_COMPLETE);
  EXPECT_EQ(seen, CL_COMPLETE);
}

TEST_F(ClSetEventCallback, TellsTheNegativeStatus) {
  static Told told;
  const cl_event event = user_event();
  ASSERT_EQ(clSetEventCallback(event, CL_RUNNING, tell, &told), CL_SUCCESS);
  clSetUserEventStatus(event, -8);
  EXPECT_EQ(told.result.get_future().get().first, -8);
}

TEST_F(ClWaitForEvents, ChecksItsListAndReportsFailures) {
  const cl_event good = user_event();
  clSetUserEventStatus(good, CL_COMPLETE);
  const cl_event failed = user_event();
  clSetUserEventStatus(failed, -8);
  EXPECT_EQ(clWaitForEvents(0, &good), CL_INVALID_VALUE);
  EXPECT_EQ(clWaitForEvents(1, nullptr), CL_INVALID_VALUE);
  const cl_event with_null[2] = {good, nullptr};
  EXPECT_EQ(clWaitForEvents(2, with_null), CL_INVALID_EVENT);
  cl_event foreign = clCreateUserEvent(other_context(), nullptr);
  clSetUserEventStatus(foreign, CL_COMPLETE);
  const cl_event mixed[2] = {good, foreign};
  EXPECT_EQ(clWaitForEvents(2, mixed), CL_INVALID_CONTEXT);
  clReleaseEvent(foreign);
  const cl_event list[2] = {failed, good};
  EXPECT_EQ(clWaitForEvents(2, list), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(clWaitForEvents(1, &good), CL_SUCCESS);
}

TEST_F(ClGetEventProfilingInfo, IsNotAvailableForUserEventsUnprofiledQueuesAndBeforeTheEnd) {
  cl_ulong time = 0;
  const auto ask_end = [&](cl_event event) {
    return clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr);
  };
  const cl_event gate = user_event();
  EXPECT_EQ(ask_end(gate), CL_PROFILING_INFO_NOT_AVAILABLE);
  cl_event event = nullptr;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue(), 1, &gate, &event), CL_SUCCESS);
  EXPECT_EQ(ask_end(event), CL_PROFILING_INFO_NOT_AVAILABLE);
  clSetUserEventStatus(gate, CL_COMPLETE);
  clWaitForEvents(1, &event);
  EXPECT_EQ(ask_end(event), CL_SUCCESS);
  EXPECT_EQ(clGetEventProfilingInfo(event, 0x7777, sizeof time, &time, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 4, &time, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(ask_end(nullptr), CL_INVALID_EVENT);
  clReleaseEvent(event);
  cl_command_queue plain = clCreateCommandQueueWithProperties(context(), device(), nullptr, nullptr);
  ASSERT_EQ(clEnqueueMarkerWithWaitList(plain, 0, nullptr, &event), CL_SUCCESS);
  clFinish(plain);
  EXPECT_EQ(ask_end(event), CL_PROFILING_INFO_NOT_AVAILABLE);
  clReleaseEvent(event);
  clReleaseCommandQueue(plain);
}

}  // namespace
}  // namespace skmd::test

// SPDX-License-Identifier: Apache-2.0
// Queues: creation (present and deprecated), clGetCommandQueueInfo, clFlush, clFinish, clSetCommandQueueProperty, and
// the deprecated markers and barriers.
#include <cstring>

#include "tests/intercept/api/driver_fixture.h"
#include "tests/intercept/api/info_checks.h"

namespace skmd::test {
namespace {

class Queues : public Driver {
 protected:
  static cl_int create(std::vector<cl_queue_properties> list) {
    cl_int status = 1;
    cl_command_queue made = clCreateCommandQueueWithProperties(context(), device(), list.data(), &status);
    EXPECT_EQ(made != nullptr, status == CL_SUCCESS);
    if (made != nullptr) clReleaseCommandQueue(made);
    return status;
  }
  static std::vector<unsigned char> ask(cl_command_queue queue, cl_command_queue_info name) {
    return check_query([=](size_t size, void* value, size_t* size_ret) {
      return clGetCommandQueueInfo(queue, name, size, value, size_ret);
    });
  }
};
using ClCreateCommandQueueWithProperties = Queues;
using ClCreateCommandQueue = Queues;
using ClGetCommandQueueInfo = Queues;
using ClSetCommandQueueProperty = Queues;
using ClEnqueueMarker = Queues;
using ClFinish = Queues;

TEST_F(ClCreateCommandQueueWithProperties, TellsInvalidValuesFromUnsupportedOnes) {
  constexpr cl_queue_properties kOrder = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  EXPECT_EQ(create({CL_QUEUE_PROPERTIES, kOrder | CL_QUEUE_PROFILING_ENABLE, 0}), CL_SUCCESS);
  EXPECT_EQ(create({0}), CL_SUCCESS);
  EXPECT_EQ(create({0x7777, 1, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(create({CL_QUEUE_PROPERTIES, 0, CL_QUEUE_PROPERTIES, 0, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(create({CL_QUEUE_PROPERTIES, 1u << 20, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(create({CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(create({CL_QUEUE_PROPERTIES, kOrder | CL_QUEUE_ON_DEVICE, 0}), CL_INVALID_QUEUE_PROPERTIES);
  EXPECT_EQ(create({CL_QUEUE_PROPERTIES, kOrder | CL_QUEUE_ON_DEVICE_DEFAULT, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(create({CL_QUEUE_SIZE, 1024, 0}), CL_INVALID_VALUE);
  cl_int status = 1;
  EXPECT_EQ(clCreateCommandQueueWithProperties(nullptr, device(), nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  EXPECT_EQ(clCreateCommandQueueWithProperties(context(), nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_DEVICE);
}

TEST_F(ClCreateCommandQueue, TakesHostPropertiesOnlyAndReportsNoArray) {
  cl_int status = 1;
  EXPECT_EQ(clCreateCommandQueue(context(), device(), CL_QUEUE_ON_DEVICE, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  cl_command_queue made = clCreateCommandQueue(context(), device(), CL_QUEUE_PROFILING_ENABLE, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_TRUE(ask(made, CL_QUEUE_PROPERTIES_ARRAY).empty());
  EXPECT_EQ(value_of<cl_command_queue_properties>(ask(made, CL_QUEUE_PROPERTIES)),
            cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE});
  clReleaseCommandQueue(made);
}

TEST_F(ClGetCommandQueueInfo, TellsTheQueuesFacts) {
  const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_command_queue made = clCreateCommandQueueWithProperties(context(), device(), list, nullptr);
  EXPECT_EQ(value_of<cl_context>(ask(made, CL_QUEUE_CONTEXT)), context());
  EXPECT_EQ(value_of<cl_device_id>(ask(made, CL_QUEUE_DEVICE)), device());
  EXPECT_EQ(value_of<cl_uint>(ask(made, CL_QUEUE_REFERENCE_COUNT)), 1u);
  EXPECT_EQ(value_of<cl_command_queue>(ask(made, CL_QUEUE_DEVICE_DEFAULT)), nullptr);
  const auto array = ask(made, CL_QUEUE_PROPERTIES_ARRAY);
  ASSERT_EQ(array.size(), sizeof list);
  EXPECT_EQ(std::memcmp(array.data(), list, sizeof list), 0);
  EXPECT_EQ(clGetCommandQueueInfo(made, CL_QUEUE_SIZE, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  check_unknown([=](size_t size, void* value, size_t* size_ret) {
    return clGetCommandQueueInfo(made, 0x7777, size, value, size_ret);
  });
  EXPECT_EQ(clReleaseCommandQueue(made), CL_SUCCESS);
  EXPECT_EQ(clGetCommandQueueInfo(made, CL_QUEUE_CONTEXT, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
}

TEST_F(ClSetCommandQueueProperty, IsRefusedButTellsTheOldProperties) {
  cl_command_queue_properties old = 0;
  EXPECT_EQ(clSetCommandQueueProperty(queue(), CL_QUEUE_PROFILING_ENABLE, CL_FALSE, &old), CL_INVALID_OPERATION);
  EXPECT_EQ(old, cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE});
  EXPECT_EQ(clSetCommandQueueProperty(nullptr, 0, CL_TRUE, &old), CL_INVALID_COMMAND_QUEUE);
}

TEST_F(ClFinish, SucceedsAlsoAfterFailedCommandsAndChecksItsQueue) {
  const cl_event gate = user_event();
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue(), 1, &gate, nullptr), CL_SUCCESS);
  clSetUserEventStatus(gate, -3);
  EXPECT_EQ(clFinish(queue()), CL_SUCCESS);
  EXPECT_EQ(clFlush(queue()), CL_SUCCESS);
  EXPECT_EQ(clFinish(nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clFlush(nullptr), CL_INVALID_COMMAND_QUEUE);
}

TEST_F(ClFinish, AQueueReleasedWithCommandsInFlightFinishesThem) {
  cl_command_queue made = clCreateCommandQueueWithProperties(context(), device(), nullptr, nullptr);
  const cl_event gate = user_event();
  unsigned char host[64] = {};
  cl_mem memory = buffer(64, CL_MEM_COPY_HOST_PTR, host);
  cl_event event = nullptr;
  ASSERT_EQ(clEnqueueReadBuffer(made, memory, CL_FALSE, 0, 64, host, 1, &gate, &event), CL_SUCCESS);
  EXPECT_EQ(clReleaseCommandQueue(made), CL_SUCCESS);
  clSetUserEventStatus(gate, CL_COMPLETE);
  EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
  clReleaseEvent(event);
}

TEST_F(ClEnqueueMarker, TheDeprecatedFormsCheckTheirEvents) {
  EXPECT_EQ(clEnqueueMarker(queue(), nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueMarker(nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  cl_event event = nullptr;
  ASSERT_EQ(clEnqueueMarker(queue(), &event), CL_SUCCESS);
  EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
  EXPECT_EQ(clEnqueueBarrier(queue()), CL_SUCCESS);
  EXPECT_EQ(clEnqueueBarrier(nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueWaitForEvents(queue(), 0, &event), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueWaitForEvents(queue(), 1, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueWaitForEvents(queue(), 1, &event), CL_SUCCESS);
  clReleaseEvent(event);
  EXPECT_EQ(clEnqueueWaitForEvents(queue(), 1, &event), CL_INVALID_EVENT);
}

TEST_F(ClEnqueueMarker, ADeprecatedWaitHoldsBackLaterCommandsOfAnOutOfOrderQueue) {
  cl_command_queue made = clCreateCommandQueue(context(), device(), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, nullptr);
  const cl_event gate = user_event();
  ASSERT_EQ(clEnqueueWaitForEvents(made, 1, &gate), CL_SUCCESS);
  unsigned char host[64] = {};
  cl_event event = nullptr;
  ASSERT_EQ(clEnqueueReadBuffer(made, buffer(64), CL_FALSE, 0, 64, host, 0, nullptr, &event), CL_SUCCESS);
  cl_int status = CL_COMPLETE;
  clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  EXPECT_EQ(status, CL_QUEUED);
  clSetUserEventStatus(gate, CL_COMPLETE);
  EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
  clReleaseEvent(event);
  clReleaseCommandQueue(made);
}

}  // namespace
}  // namespace skmd::test

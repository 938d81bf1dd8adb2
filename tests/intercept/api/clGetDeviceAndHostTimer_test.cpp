// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {
namespace {

using ClGetDeviceAndHostTimer = Driver;

TEST_F(ClGetDeviceAndHostTimer, BothAreOneClockThatEventsUseToo) {
  cl_ulong before = 0, device_time = 0, host_time = 0;
  ASSERT_EQ(clGetHostTimer(device(), &before), CL_SUCCESS);
  cl_event event = nullptr;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue(), 0, nullptr, &event), CL_SUCCESS);
  ASSERT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
  cl_ulong queued = 0;
  EXPECT_EQ(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED, sizeof queued, &queued, nullptr), CL_SUCCESS);
  clReleaseEvent(event);
  ASSERT_EQ(clGetDeviceAndHostTimer(device(), &device_time, &host_time), CL_SUCCESS);
  EXPECT_EQ(device_time, host_time);
  EXPECT_LE(before, queued);
  EXPECT_LE(queued, host_time);
}

TEST_F(ClGetDeviceAndHostTimer, NullsAndForeignDevicesAreRefused) {
  cl_ulong time = 0;
  EXPECT_EQ(clGetDeviceAndHostTimer(device(), nullptr, &time), CL_INVALID_VALUE);
  EXPECT_EQ(clGetDeviceAndHostTimer(device(), &time, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetHostTimer(device(), nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetHostTimer(foreign_handle<cl_device_id>(platform()), &time), CL_INVALID_DEVICE);
}
}  // namespace
}  // namespace skmd::test

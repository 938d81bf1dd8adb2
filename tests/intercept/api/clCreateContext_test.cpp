// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {
namespace {

class ClCreateContext : public Driver {
 protected:
  cl_int create(const cl_context_properties* properties) {
    cl_int status = 12345;
    cl_device_id id = device();
    cl_context made = clCreateContext(properties, 1, &id, nullptr, nullptr, &status);
    EXPECT_EQ(made != nullptr, status == CL_SUCCESS);
    if (made != nullptr) clReleaseContext(made);
    return status;
  }
};

void CL_CALLBACK on_error(const char*, const void*, size_t, void*) {}

TEST_F(ClCreateContext, TakesThePlatformAndUserSync) {
  const auto own = reinterpret_cast<cl_context_properties>(platform());
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, own, CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, 0};
  EXPECT_EQ(create(properties), CL_SUCCESS);
}

TEST_F(ClCreateContext, UnknownAndDoubledPropertiesAreRefused) {
  const auto own = reinterpret_cast<cl_context_properties>(platform());
  const cl_context_properties unknown[] = {CL_CONTEXT_PLATFORM, own, 0x7777, 1, 0};
  EXPECT_EQ(create(unknown), CL_INVALID_PROPERTY);
  const cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, own, CL_CONTEXT_PLATFORM, own, 0};
  EXPECT_EQ(create(twice), CL_INVALID_PROPERTY);
  const cl_context_properties gl[] = {CL_CONTEXT_PLATFORM, own, 0x2008, 1, 0};
  EXPECT_EQ(create(gl), CL_INVALID_PROPERTY);
  const cl_context_properties sync[] = {CL_CONTEXT_PLATFORM, own, CL_CONTEXT_INTEROP_USER_SYNC, 7, 0};
  EXPECT_EQ(create(sync), CL_INVALID_PROPERTY);
}

TEST_F(ClCreateContext, AnotherPlatformIsRefused) {
  const auto foreign = reinterpret_cast<cl_context_properties>(foreign_handle<cl_platform_id>(platform()));
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, foreign, 0};
  EXPECT_EQ(create(properties), CL_INVALID_PLATFORM);
}

TEST_F(ClCreateContext, UserDataNeedsACallback) {
  cl_int status = 0;
  int data = 0;
  cl_device_id id = device();
  EXPECT_EQ(clCreateContext(nullptr, 1, &id, nullptr, &data, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  cl_context made = clCreateContext(nullptr, 1, &id, on_error, &data, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  clReleaseContext(made);
}

TEST_F(ClCreateContext, DevicesMustBeOurs) {
  cl_int status = 0;
  cl_device_id ids[] = {device(), foreign_handle<cl_device_id>(platform())};
  EXPECT_EQ(clCreateContext(nullptr, 2, ids, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_DEVICE);
}

TEST_F(ClCreateContext, TheSameDeviceTwiceCountsOnce) {
  cl_device_id ids[] = {device(), device()};
  cl_int status = 0;
  cl_context made = clCreateContext(nullptr, 2, ids, nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  cl_uint number = 0;
  EXPECT_EQ(clGetContextInfo(made, CL_CONTEXT_NUM_DEVICES, sizeof number, &number, nullptr), CL_SUCCESS);
  EXPECT_EQ(number, 1u);
  clReleaseContext(made);
}
}  // namespace
}  // namespace skmd::test

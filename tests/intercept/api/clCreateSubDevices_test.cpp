// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {
namespace {

using ClCreateSubDevices = Driver;

TEST_F(ClCreateSubDevices, RefusesEveryScheme) {
  for (const cl_device_partition_property scheme :
       {CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN}) {
    const cl_device_partition_property properties[] = {scheme, 1, 0};
    cl_uint number = 7;
    EXPECT_EQ(clCreateSubDevices(device(), properties, 0, nullptr, &number), CL_INVALID_VALUE);
    EXPECT_EQ(number, 7u);
  }
}

TEST_F(ClCreateSubDevices, RootDevicesAreNotCounted) {
  EXPECT_EQ(clRetainDevice(device()), CL_SUCCESS);
  EXPECT_EQ(clReleaseDevice(device()), CL_SUCCESS);
  EXPECT_EQ(clReleaseDevice(device()), CL_SUCCESS);
  cl_uint count = 0;
  EXPECT_EQ(clGetDeviceInfo(device(), CL_DEVICE_REFERENCE_COUNT, sizeof count, &count, nullptr), CL_SUCCESS);
  EXPECT_EQ(count, 1u);
}

TEST_F(ClCreateSubDevices, ForeignDevicesAreRefused) {
  const auto foreign = foreign_handle<cl_device_id>(platform());
  EXPECT_EQ(clCreateSubDevices(foreign, nullptr, 0, nullptr, nullptr), CL_INVALID_DEVICE);
  EXPECT_EQ(clRetainDevice(foreign), CL_INVALID_DEVICE);
  EXPECT_EQ(clReleaseDevice(foreign), CL_INVALID_DEVICE);
}
}  // namespace
}  // namespace skmd::test

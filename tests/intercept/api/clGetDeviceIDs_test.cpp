// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {
namespace {

class ClGetDeviceIDs : public Driver {
 protected:
  cl_device_type own_type() {
    cl_device_type type = 0;
    EXPECT_EQ(clGetDeviceInfo(device(), CL_DEVICE_TYPE, sizeof type, &type, nullptr), CL_SUCCESS);
    return type;
  }
  cl_int count(cl_device_type type, cl_uint& number) { return clGetDeviceIDs(platform(), type, 0, nullptr, &number); }
};

TEST_F(ClGetDeviceIDs, AnswersForItsTypeDefaultAllAndUnionsWithThem) {
  const cl_device_type other = own_type() == CL_DEVICE_TYPE_GPU ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU;
  for (const cl_device_type type :
       {own_type(), cl_device_type{CL_DEVICE_TYPE_DEFAULT}, cl_device_type{CL_DEVICE_TYPE_ALL}, own_type() | other,
        own_type() | CL_DEVICE_TYPE_CUSTOM}) {
    cl_uint number = 0;
    EXPECT_EQ(count(type, number), CL_SUCCESS) << type;
    EXPECT_EQ(number, 1u) << type;
  }
}

TEST_F(ClGetDeviceIDs, OtherValidTypesAreNotFound) {
  const cl_device_type other = own_type() == CL_DEVICE_TYPE_GPU ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU;
  for (const cl_device_type type : {other, cl_device_type{CL_DEVICE_TYPE_CUSTOM}}) {
    cl_uint number = 7;
    EXPECT_EQ(count(type, number), CL_DEVICE_NOT_FOUND) << type;
    EXPECT_EQ(number, 7u);
  }
}

TEST_F(ClGetDeviceIDs, ZeroAndUnknownBitsAreInvalid) {
  cl_uint number = 0;
  EXPECT_EQ(count(0, number), CL_INVALID_DEVICE_TYPE);
  EXPECT_EQ(count(cl_device_type{1} << 20, number), CL_INVALID_DEVICE_TYPE);
  EXPECT_EQ(count(own_type() | cl_device_type{1} << 20, number), CL_INVALID_DEVICE_TYPE);
}

TEST_F(ClGetDeviceIDs, OutputsMustMakeSense) {
  cl_device_id id = nullptr;
  EXPECT_EQ(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 0, &id, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 4, &id, nullptr), CL_SUCCESS);
  EXPECT_EQ(id, device());
}

TEST_F(ClGetDeviceIDs, AForeignPlatformIsInvalid) {
  cl_uint number = 0;
  EXPECT_EQ(clGetDeviceIDs(foreign_handle<cl_platform_id>(platform()), CL_DEVICE_TYPE_ALL, 0, nullptr, &number),
            CL_INVALID_PLATFORM);
}
}  // namespace
}  // namespace skmd::test

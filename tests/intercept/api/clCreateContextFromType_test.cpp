// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {
namespace {

class ClCreateContextFromType : public Driver {
 protected:
  cl_int create(cl_device_type type) {
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                reinterpret_cast<cl_context_properties>(platform()), 0};
    cl_int status = 12345;
    cl_context made = clCreateContextFromType(properties, type, nullptr, nullptr, &status);
    EXPECT_EQ(made != nullptr, status == CL_SUCCESS);
    if (made != nullptr) clReleaseContext(made);
    return status;
  }
};

TEST_F(ClCreateContextFromType, TakesDefaultAndAll) {
  EXPECT_EQ(create(CL_DEVICE_TYPE_DEFAULT), CL_SUCCESS);
  EXPECT_EQ(create(CL_DEVICE_TYPE_ALL), CL_SUCCESS);
}

TEST_F(ClCreateContextFromType, BadBitsAndOtherTypesAreTwoErrors) {
  EXPECT_EQ(create(0), CL_INVALID_DEVICE_TYPE);
  EXPECT_EQ(create(cl_device_type{1} << 20), CL_INVALID_DEVICE_TYPE);
  EXPECT_EQ(create(CL_DEVICE_TYPE_ACCELERATOR), CL_DEVICE_NOT_FOUND);
  EXPECT_EQ(create(CL_DEVICE_TYPE_CUSTOM), CL_DEVICE_NOT_FOUND);
}
}  // namespace
}  // namespace skmd::test

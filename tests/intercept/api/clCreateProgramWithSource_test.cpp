// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/api/driver_fixture.h"
#include "tests/intercept/api/info_checks.h"

namespace skmd::test {
namespace {

using ClCreateProgramWithSource = Driver;

TEST_F(ClCreateProgramWithSource, JoinsStringsWithAndWithoutLengthsAndAddsNothing) {
  const char* strings[] = {"kernel void a", "() {}//garbage behind the length", "\n// end"};
  const size_t lengths[] = {0, 5, 0};
  cl_int status = 0;
  cl_program made = clCreateProgramWithSource(context(), 3, strings, lengths, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(text_of(check_query([made](size_t size, void* value, size_t* size_ret) {
              return clGetProgramInfo(made, CL_PROGRAM_SOURCE, size, value, size_ret);
            })),
            "kernel void a() {}\n// end");
  EXPECT_EQ(clReleaseProgram(made), CL_SUCCESS);
  EXPECT_EQ(clReleaseProgram(made), CL_INVALID_PROGRAM);
}

TEST_F(ClCreateProgramWithSource, NullsAreInvalid) {
  const char* strings[] = {"x", nullptr};
  cl_int status = 0;
  EXPECT_EQ(clCreateProgramWithSource(context(), 0, strings, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateProgramWithSource(context(), 1, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateProgramWithSource(context(), 2, strings, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateProgramWithSource(foreign_handle<cl_context>(platform()), 1, strings, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
}
}  // namespace
}  // namespace skmd::test

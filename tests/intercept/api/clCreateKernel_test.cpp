// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {
namespace {

using ClCreateKernel = Driver;

TEST_F(ClCreateKernel, NamesAreChecked) {
  cl_program made = program("void helper() {} kernel void k() { helper(); }");
  cl_int status = 0;
  EXPECT_EQ(clCreateKernel(made, "missing", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_KERNEL_NAME);
  EXPECT_EQ(clCreateKernel(made, "helper", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_KERNEL_NAME);
  EXPECT_EQ(clCreateKernel(made, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateKernel(foreign_handle<cl_program>(platform()), "k", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROGRAM);
}

TEST_F(ClCreateKernel, AMissingExecutableCountsMoreThanTheName) {
  const char* text = "kernel void k() {}";
  cl_program made = clCreateProgramWithSource(context(), 1, &text, nullptr, nullptr);
  cl_int status = 0;
  EXPECT_EQ(clCreateKernel(made, "missing", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROGRAM_EXECUTABLE);
  clReleaseProgram(made);
}

TEST_F(ClCreateKernel, HandlesAreCounted) {
  cl_kernel made = clCreateKernel(program("kernel void k() {}"), "k", nullptr);
  EXPECT_EQ(clRetainKernel(made), CL_SUCCESS);
  cl_uint count = 0;
  EXPECT_EQ(clGetKernelInfo(made, CL_KERNEL_REFERENCE_COUNT, sizeof count, &count, nullptr), CL_SUCCESS);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(clReleaseKernel(made), CL_SUCCESS);
  EXPECT_EQ(clReleaseKernel(made), CL_SUCCESS);
  EXPECT_EQ(clReleaseKernel(made), CL_INVALID_KERNEL);
  EXPECT_EQ(clRetainKernel(made), CL_INVALID_KERNEL);
}

TEST_F(ClCreateKernel, AllOfAProgramAtOnce) {
  cl_program made = program("kernel void a() {} kernel void b() {}");
  cl_kernel kernels[3] = {};
  cl_uint number = 7;
  EXPECT_EQ(clCreateKernelsInProgram(made, 1, kernels, &number), CL_INVALID_VALUE);
  EXPECT_EQ(number, 7u);
  EXPECT_EQ(clCreateKernelsInProgram(made, 0, nullptr, &number), CL_SUCCESS);
  EXPECT_EQ(number, 2u);
  EXPECT_EQ(clCreateKernelsInProgram(made, 3, kernels, nullptr), CL_SUCCESS);
  EXPECT_EQ(kernels[2], nullptr);
  char name[8] = "";
  EXPECT_EQ(clGetKernelInfo(kernels[1], CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr), CL_SUCCESS);
  EXPECT_STREQ(name, "b");
  clReleaseKernel(kernels[0]);
  clReleaseKernel(kernels[1]);
}
}  // namespace
}  // namespace skmd::test

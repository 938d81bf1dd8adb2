// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {
namespace {

using ClReleaseContext = Driver;

TEST_F(ClReleaseContext, TheLastReleaseKillsTheHandle) {
  cl_device_id id = device();
  cl_context made = clCreateContext(nullptr, 1, &id, nullptr, nullptr, nullptr);
  EXPECT_EQ(clReleaseContext(made), CL_SUCCESS);
  EXPECT_EQ(clReleaseContext(made), CL_INVALID_CONTEXT);
  EXPECT_EQ(clRetainContext(made), CL_INVALID_CONTEXT);
  cl_int status = 0;
  EXPECT_EQ(clCreateBuffer(made, CL_MEM_READ_WRITE, 64, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
}

TEST_F(ClReleaseContext, AttachedObjectsKeepItUsable) {
  cl_device_id id = device();
  cl_context made = clCreateContext(nullptr, 1, &id, nullptr, nullptr, nullptr);
  cl_mem memory = clCreateBuffer(made, CL_MEM_READ_WRITE, 64, nullptr, nullptr);
  EXPECT_EQ(clReleaseContext(made), CL_SUCCESS);
  cl_context from_query = nullptr;  // as C++ wrappers do: query, retain, release
  EXPECT_EQ(clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof from_query, &from_query, nullptr), CL_SUCCESS);
  EXPECT_EQ(from_query, made);
  EXPECT_EQ(clRetainContext(from_query), CL_SUCCESS);
  EXPECT_EQ(clReleaseContext(from_query), CL_SUCCESS);
  EXPECT_EQ(clReleaseMemObject(memory), CL_SUCCESS);
  EXPECT_EQ(clRetainContext(made), CL_INVALID_CONTEXT) << "nothing is attached any more";
}

TEST_F(ClReleaseContext, OneKindIsNotAnother) {
  EXPECT_EQ(clReleaseContext(reinterpret_cast<cl_context>(queue())), CL_INVALID_CONTEXT);
  EXPECT_EQ(clReleaseCommandQueue(reinterpret_cast<cl_command_queue>(context())), CL_INVALID_COMMAND_QUEUE);
}
}  // namespace
}  // namespace skmd::test

// SPDX-License-Identifier: Apache-2.0
// clEnqueueMapBuffer and clEnqueueUnmapMemObject.
#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {
namespace {

class ClEnqueueMapBuffer : public Driver {
 protected:
  void* map(cl_mem memory, cl_map_flags flags, size_t offset, size_t size, cl_int expected = CL_SUCCESS) {
    cl_int status = 1;
    void* pointer = clEnqueueMapBuffer(queue(), memory, CL_TRUE, flags, offset, size, 0, nullptr, nullptr, &status);
    EXPECT_EQ(status, expected);
    EXPECT_EQ(pointer != nullptr, expected == CL_SUCCESS);
    return pointer;
  }
  cl_int unmap(cl_mem memory, void* pointer) {
    return clEnqueueUnmapMemObject(queue(), memory, pointer, 0, nullptr, nullptr);
  }
  static cl_uint count(cl_mem memory) {
    cl_uint value = 99;
    clGetMemObjectInfo(memory, CL_MEM_MAP_COUNT, sizeof value, &value, nullptr);
    return value;
  }
};

TEST_F(ClEnqueueMapBuffer, OfAUseHostPtrBufferIsTheApplicationsMemory) {
  alignas(64) unsigned char host[256] = {};
  cl_mem memory = buffer(sizeof host, CL_MEM_USE_HOST_PTR, host);
  void* pointer = map(memory, CL_MAP_READ, 32, 64);
  EXPECT_EQ(pointer, host + 32);
  EXPECT_EQ(unmap(memory, pointer), CL_SUCCESS);
  clFinish(queue());
}

TEST_F(ClEnqueueMapBuffer, TheSameBytesHaveTheSameAddressAlsoThroughASubBuffer) {
  cl_mem memory = buffer(8192);
  const cl_buffer_region region{4096, 1024};
  cl_mem child = clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
  auto* whole = static_cast<unsigned char*>(map(memory, CL_MAP_READ, 0, 8192));
  EXPECT_EQ(map(child, CL_MAP_READ, 16, 16), whole + 4096 + 16);
  EXPECT_EQ(unmap(child, whole + 4096 + 16), CL_SUCCESS);
  EXPECT_EQ(unmap(memory, whole), CL_SUCCESS);
  clReleaseMemObject(child);
  clFinish(queue());
}

TEST_F(ClEnqueueMapBuffer, WhatIsWrittenBeforeTheUnmapIsReadByKernelsAndTheReverse) {
  cl_mem memory = buffer(64 * sizeof(int));
  auto* numbers = static_cast<int*>(map(memory, CL_MAP_WRITE_INVALIDATE_REGION, 0, 64 * sizeof(int)));
  for (int i = 0; i < 64; ++i) numbers[i] = i;
  ASSERT_EQ(unmap(memory, numbers), CL_SUCCESS);
  cl_kernel twice = kernel("kernel void twice(global int* p) { p[get_global_id(0)] *= 2; }", "twice");
  clSetKernelArg(twice, 0, sizeof memory, &memory);
  const size_t global = 64;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue(), twice, 1, nullptr, &global, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  numbers = static_cast<int*>(map(memory, CL_MAP_READ | CL_MAP_WRITE, 0, 64 * sizeof(int)));
  for (int i = 0; i < 64; ++i) EXPECT_EQ(numbers[i], 2 * i);
  numbers[3] = -1;
  ASSERT_EQ(unmap(memory, numbers), CL_SUCCESS);
  int back[64] = {};
  ASSERT_EQ(clEnqueueReadBuffer(queue(), memory, CL_TRUE, 0, sizeof back, back, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(back[3], -1);
  EXPECT_EQ(back[4], 8);
}

TEST_F(ClEnqueueMapBuffer, WriteMapsMayNotOverlap) {
  cl_mem memory = buffer(256);
  void* first = map(memory, CL_MAP_WRITE, 0, 128);
  map(memory, CL_MAP_WRITE, 64, 128, CL_INVALID_OPERATION);
  EXPECT_EQ(count(memory), 1u);
  void* beside = map(memory, CL_MAP_WRITE, 128, 128);
  void* reading = map(memory, CL_MAP_READ, 0, 256);
  EXPECT_EQ(count(memory), 3u);
  EXPECT_EQ(unmap(memory, first), CL_SUCCESS);
  EXPECT_EQ(unmap(memory, beside), CL_SUCCESS);
  EXPECT_EQ(unmap(memory, reading), CL_SUCCESS);
  EXPECT_EQ(count(memory), 0u);
  clFinish(queue());
}

TEST_F(ClEnqueueMapBuffer, BadRangesFlagsAndAccessAreRefused) {
  cl_mem memory = buffer(256);
  map(memory, CL_MAP_READ, 0, 0, CL_INVALID_VALUE);
  map(memory, CL_MAP_READ, 200, 57, CL_INVALID_VALUE);
  map(memory, CL_MAP_READ, 1, ~size_t{0}, CL_INVALID_VALUE);
  map(memory, 1u << 20, 0, 16, CL_INVALID_VALUE);
  map(memory, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 16, CL_INVALID_VALUE);
  map(nullptr, CL_MAP_READ, 0, 16, CL_INVALID_MEM_OBJECT);
  map(buffer(64, CL_MEM_HOST_WRITE_ONLY), CL_MAP_READ, 0, 16, CL_INVALID_OPERATION);
  map(buffer(64, CL_MEM_HOST_READ_ONLY), CL_MAP_WRITE, 0, 16, CL_INVALID_OPERATION);
  map(buffer(64, CL_MEM_HOST_READ_ONLY), CL_MAP_WRITE_INVALIDATE_REGION, 0, 16, CL_INVALID_OPERATION);
  map(buffer(64, CL_MEM_HOST_NO_ACCESS), CL_MAP_READ, 0, 16, CL_INVALID_OPERATION);
}

TEST_F(ClEnqueueMapBuffer, UnmapTakesOnlyPointersThatAreMapped) {
  cl_mem memory = buffer(256);
  cl_mem other = buffer(256);
  auto* pointer = static_cast<unsigned char*>(map(memory, CL_MAP_READ, 0, 256));
  EXPECT_EQ(unmap(memory, pointer + 1), CL_INVALID_VALUE);
  EXPECT_EQ(unmap(other, pointer), CL_INVALID_VALUE);
  EXPECT_EQ(unmap(memory, pointer), CL_SUCCESS);
  EXPECT_EQ(unmap(memory, pointer), CL_INVALID_VALUE);
  EXPECT_EQ(unmap(nullptr, pointer), CL_INVALID_MEM_OBJECT);
  clFinish(queue());
}

}  // namespace
}  // namespace skmd::test

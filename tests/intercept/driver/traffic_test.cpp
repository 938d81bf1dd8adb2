// SPDX-License-Identifier: Apache-2.0
// Bytes that cross the link to one device with a memory of its own, counted at the stub driver: what can be done where
// the bytes are sends nothing.
#include <CL/cl.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/stub-icd/control.h"
#include "tests/stub-icd/kernels.h"

namespace {

constexpr std::size_t kBytes = 1 << 20;
constexpr std::size_t kItems = kBytes / sizeof(cl_uint);

#define OK(call) ASSERT_EQ(call, CL_SUCCESS)

std::size_t number_after(const std::string& line, const std::string& key) {
  const std::size_t at = line.find(key);
  return at == std::string::npos ? 0 : std::strtoull(line.c_str() + at + key.size(), nullptr, 10);
}

class Traffic : public ::testing::Test {
 protected:
  void SetUp() override {
    cl_platform_id platform = nullptr;
    OK(clGetPlatformIDs(1, &platform, nullptr));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
    cl_int code = 1;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    OK(code);
    queue = clCreateCommandQueueWithProperties(context, device, nullptr, &code);
    OK(code);
    const char* source = stub::kKernelSource;
    program = clCreateProgramWithSource(context, 1, &source, nullptr, &code);
    OK(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr));
    fill = clCreateKernel(program, "stub_fill", &code);
    count = clCreateKernel(program, "stub_count", &code);
    OK(code);
    for (cl_mem* buffer : {&a, &b}) {
      *buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, kBytes, nullptr, &code);
      OK(code);
    }
    stub::take_log();
  }
  void TearDown() override {
    for (cl_mem buffer : {a, b}) clReleaseMemObject(buffer);
    for (cl_kernel kernel : {fill, count}) clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }

  void launch(cl_kernel kernel, cl_mem buffer, cl_uint value = 0) {
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    if (kernel == fill) {
      OK(clSetKernelArg(kernel, 1, sizeof value, &value));
    }
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kItems, nullptr, 0, nullptr, nullptr));
  }
  std::vector<cl_uint> read(cl_mem buffer) {
    std::vector<cl_uint> values(kItems);
    EXPECT_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, kBytes, values.data(), 0, nullptr, nullptr), CL_SUCCESS);
    return values;
  }
  /// Bytes written to and read from devices since the last call.
  std::size_t moved() {
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    std::size_t bytes = 0;
    for (const std::string& line : stub::take_log()) {
      const bool linear = line.rfind("clEnqueueWriteBuffer ", 0) == 0 || line.rfind("clEnqueueReadBuffer ", 0) == 0;
      if (linear) bytes += number_after(line, "bytes=");
      // Rows: width, number.
      if (line.rfind("clEnqueueWriteBufferRect", 0) == 0 || line.rfind("clEnqueueReadBufferRect", 0) == 0)
        bytes += number_after(line, "region=") * number_after(line.substr(line.find("region=")), ",");
    }
    return bytes;
  }

  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
  cl_kernel fill = nullptr, count = nullptr;
  cl_mem a = nullptr, b = nullptr;
};

TEST_F(Traffic, FillsBetweenKernelsSendNothing) {
  launch(fill, a, 5);
  const cl_uint pattern = 40;
  OK(clEnqueueFillBuffer(queue, a, &pattern, sizeof pattern, 0, kBytes / 2, 0, nullptr, nullptr));
  launch(count, a);
  EXPECT_EQ(moved(), 0u);
  const auto values = read(a);
  EXPECT_EQ(moved(), kBytes);
  for (std::size_t i = 0; i < kItems; ++i) ASSERT_EQ(values[i], i < kItems / 2 ? 41u : 6u) << i;
}

TEST_F(Traffic, AFreshBufferIsFilledWhereItIsUsed) {
  const cl_uint pattern = 7;
  OK(clEnqueueFillBuffer(queue, b, &pattern, sizeof pattern, 0, kBytes, 0, nullptr, nullptr));
  launch(count, b);
  EXPECT_EQ(moved(), 0u);
  EXPECT_EQ(read(b), std::vector<cl_uint>(kItems, 8));
}

TEST_F(Traffic, CopiesOfRowsBetweenKernelsSendNothing) {
  launch(fill, a, 3);
  launch(fill, b, 1);
  const std::size_t from[3] = {0, 0, 0}, to[3] = {1024, 0, 0}, region[3] = {1024, 512, 1};
  OK(clEnqueueCopyBufferRect(queue, a, b, from, to, region, 2048, 0, 2048, 0, 0, nullptr, nullptr));
  launch(count, b);
  EXPECT_EQ(moved(), 0u);
  const auto values = read(b);
  for (std::size_t i = 0; i < kItems; ++i) ASSERT_EQ(values[i], i % 512 < 256 ? 2u : 4u) << i;
}

TEST_F(Traffic, CopiesInsideABufferSendNothing) {
  launch(fill, a, 3);
  launch(fill, b, 1);
  OK(clEnqueueCopyBuffer(queue, a, b, 0, kBytes / 2, kBytes / 2, 0, nullptr, nullptr));
  OK(clEnqueueCopyBuffer(queue, b, b, kBytes / 2, 0, kBytes / 4, 0, nullptr, nullptr));
  launch(count, b);
  EXPECT_EQ(moved(), 0u);
  const auto values = read(b);
  for (std::size_t i = 0; i < kItems; ++i) ASSERT_EQ(values[i], i >= kItems / 4 && i < kItems / 2 ? 2u : 4u) << i;
}

}  // namespace

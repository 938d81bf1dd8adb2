// SPDX-License-Identifier: Apache-2.0
// The fake driver's clFinish beside a thread that enqueues: it ends, also if commands arrive between its flush and its
// wait.
#include <CL/cl.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

namespace {

constexpr int kRounds = 20000;

#define OK(call) ASSERT_EQ(call, CL_SUCCESS)

TEST(StubFinish, WaitsForNothingThatItDidNotFlush) {
  cl_platform_id platform = nullptr;
  OK(clGetPlatformIDs(1, &platform, nullptr));
  cl_device_id device = nullptr;
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
  cl_int code = 0;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  OK(code);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
  OK(code);
  std::array<cl_uchar, 16> bytes{};
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes.size(), nullptr, &code);
  OK(code);
  // The other thread enqueues once a round and then nothing until this one's clFinish has ended.
  std::atomic<int> begun{0}, enqueued{0};
  std::thread other([&] {
    for (int round = 1; round <= kRounds; ++round) {
      while (begun.load() < round) std::this_thread::yield();
      EXPECT_EQ(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
                CL_SUCCESS);
      enqueued = round;
    }
  });
  for (int round = 1; round <= kRounds; ++round) {
    begun = round;
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    while (enqueued.load() < round) std::this_thread::yield();
  }
  other.join();
  OK(clFinish(queue));
  OK(clReleaseMemObject(buffer));
  OK(clReleaseCommandQueue(queue));
  OK(clReleaseContext(context));
}

}  // namespace

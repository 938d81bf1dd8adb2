// SPDX-License-Identifier: Apache-2.0
// One kernel object that all threads launch on queues of their own, while now one and now another of them sets its
// argument. Setters exclude launches, as the specification asks of the application; launches exclude nothing.
#include <CL/cl.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "tests/stub-icd/kernels.h"

namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 600;
constexpr std::size_t kItems = 1024;
constexpr std::size_t kBytes = kItems * sizeof(cl_uint);
constexpr std::size_t kBuffers = 3;

#define OK(call) ASSERT_EQ(call, CL_SUCCESS)

class SharedKernel : public testing::Test {
 protected:
  void SetUp() override {
    cl_platform_id platform = nullptr;
    OK(clGetPlatformIDs(1, &platform, nullptr));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr));
    cl_int code = 0;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
    OK(code);
    program_ = clCreateProgramWithSource(context_, 1, const_cast<const char**>(&stub::kKernelSource), nullptr, &code);
    OK(code);
    OK(clBuildProgram(program_, 0, nullptr, "", nullptr, nullptr));
    kernel_ = clCreateKernel(program_, "stub_count", &code);
    OK(code);
    std::vector<cl_uint> zeros(kItems, 0);
    for (cl_mem& buffer : buffers_) {
      buffer = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, kBytes, zeros.data(), &code);
      OK(code);
    }
    OK(clSetKernelArg(kernel_, 0, sizeof(cl_mem), &buffers_[0]));
  }
  void TearDown() override {
    OK(clReleaseKernel(kernel_));
    for (cl_mem buffer : buffers_) OK(clReleaseMemObject(buffer));
    OK(clReleaseProgram(program_));
    OK(clReleaseContext(context_));
  }

  void work(unsigned seed) {
    std::mt19937 random(seed);
    cl_int code = 0;
    cl_command_queue queue = clCreateCommandQueue(
        context_, device_, seed % 2 != 0 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : cl_command_queue_properties{0},
        &code);
    OK(code);
    for (int round = 0; round < kRounds; ++round) {
      if (random() % 16 == 0) {
        const std::unique_lock set(setting_);
        current_ = random() % kBuffers;
        OK(clSetKernelArg(kernel_, 0, sizeof(cl_mem), &buffers_[current_]));
      }
      if (random() % 32 == 0) {
        OK(clFinish(queue));
      }
      launch(queue, random() % 4 == 0 ? kItems / 2 : kItems, random() % 8 == 0);
    }
    OK(clFinish(queue));
    OK(clReleaseCommandQueue(queue));
  }

  void launch(cl_command_queue queue, std::size_t items, bool watched) {
    cl_event event = nullptr;
    {
      const std::shared_lock launching(setting_);
      OK(clEnqueueNDRangeKernel(queue, kernel_, 1, nullptr, &items, nullptr, 0, nullptr, watched ? &event : nullptr));
      ++(items == kItems ? whole_ : half_)[current_];
    }
    if (!watched) return;
    OK(clWaitForEvents(1, &event));
    OK(clReleaseEvent(event));
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
  std::array<cl_mem, kBuffers> buffers_{};
  std::shared_mutex setting_;
  std::size_t current_ = 0;  // the buffer that is set
  std::array<std::atomic<cl_uint>, kBuffers> whole_{}, half_{};
};

TEST_F(SharedKernel, EachLaunchHasTheArgumentThatWasSetLast) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back([this, i] { work(i + 1); });
  for (std::thread& thread : threads) thread.join();
  cl_int code = 0;
  cl_command_queue queue = clCreateCommandQueue(context_, device_, 0, &code);
  OK(code);
  for (std::size_t b = 0; b < kBuffers; ++b) {
    std::vector<cl_uint> seen(kItems), expected(kItems, whole_[b]);
    for (std::size_t i = 0; i < kItems / 2; ++i) expected[i] += half_[b];
    OK(clEnqueueReadBuffer(queue, buffers_[b], CL_TRUE, 0, kBytes, seen.data(), 0, nullptr, nullptr));
    EXPECT_EQ(seen, expected) << "buffer " << b;
  }
  OK(clReleaseCommandQueue(queue));
}

}  // namespace

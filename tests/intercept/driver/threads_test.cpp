// SPDX-License-Identifier: Apache-2.0
// Eight threads of one application on one virtual device over the stub driver: queues of their own and one shared
// out-of-order queue, kernels set and launched, buffers written, read, mapped, copied and filled, user events,
// callbacks, programs built and everything released while others work. Every thread knows what its own buffers must
// hold.
#include <CL/cl.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "tests/stub-icd/kernels.h"

namespace {

constexpr int kThreads = 8;
constexpr int kRounds = 200;
constexpr std::size_t kItems = 2048;
constexpr std::size_t kBytes = kItems * sizeof(cl_uint);

struct Shared {
  cl_context context = nullptr;
  cl_device_id device = nullptr;
  cl_command_queue queue = nullptr;  // out of order, used by all threads
  cl_program program = nullptr;
  cl_mem common = nullptr;  // read by all, written by none
  std::atomic<int> callbacks{0}, expected_callbacks{0};
};

#define OK(call) ASSERT_EQ(call, CL_SUCCESS)

void CL_CALLBACK count(cl_event, cl_int status, void* shared) {
  EXPECT_EQ(status, CL_COMPLETE);
  ++static_cast<Shared*>(shared)->callbacks;
}

cl_program build(const Shared& s) {
  cl_int code = 0;
  cl_program program =
      clCreateProgramWithSource(s.context, 1, const_cast<const char**>(&stub::kKernelSource), nullptr, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  return program;
}

/// One thread's application.
class Worker {
 public:
  Worker(Shared& shared, unsigned seed) : s_(shared), random_(seed), mine_(kItems, 0), other_(kItems, 0) {}

  void run() {
    open();
    for (int round = 0; round < kRounds && !testing::Test::HasFatalFailure(); ++round) step();
    check();
    close();
  }

 private:
  std::size_t pick(std::size_t n) { return random_() % n; }

  void open() {
    cl_int code = 0;
    queue_ = clCreateCommandQueue(s_.context, s_.device, 0, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    for (cl_mem* buffer : {&a_, &b_}) {
      *buffer = clCreateBuffer(s_.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, kBytes, mine_.data(), &code);
      ASSERT_EQ(code, CL_SUCCESS);
    }
    copy_ = clCreateKernel(s_.program, "stub_copy", &code);
    count_ = clCreateKernel(s_.program, "stub_count", &code);
    scatter_ = clCreateKernel(s_.program, "stub_scatter", &code);
    ASSERT_EQ(code, CL_SUCCESS);
  }

  void close() {
    for (cl_kernel kernel : {copy_, count_, scatter_}) OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(a_));
    OK(clReleaseMemObject(b_));
    OK(clReleaseCommandQueue(queue_));
  }

  /// Launches on the thread's own queue, or, waiting for that one first, on the shared queue.
  void launch(cl_kernel kernel, std::size_t items) {
    const std::size_t local = 32;
    if (pick(3) != 0) {
      OK(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &local, 0, nullptr, nullptr));
      return;
    }
    cl_event before = nullptr, done = nullptr;
    OK(clEnqueueMarkerWithWaitList(queue_, 0, nullptr, &before));
    OK(clEnqueueNDRangeKernel(s_.queue, kernel, 1, nullptr, &items, &local, 1, &before, &done));
    OK(clSetEventCallback(done, CL_COMPLETE, count, &s_));
    ++s_.expected_callbacks;
    OK(clEnqueueBarrierWithWaitList(queue_, 1, &done, nullptr));
    OK(clReleaseEvent(before));
    OK(clReleaseEvent(done));
  }

  void step() {
    switch (pick(8)) {
      case 0:
        return write();
      case 1:
        return check();
      case 2:
        return copy_kernel();
      case 3:
        return scatter();
      case 4:
        return map();
      case 5:
        return fill_and_copy();
      case 6:
        return behind_user_event();
      default:
        return count_up();
    }
  }

  void write() {
    const std::size_t first = pick(kItems), n = 1 + pick(kItems - first);
    for (std::size_t i = first; i < first + n; ++i) mine_[i] = random_();
    OK(clEnqueueWriteBuffer(queue_, a_, CL_TRUE, first * 4, n * 4, mine_.data() + first, 0, nullptr, nullptr));
  }

  void check() {
    std::vector<cl_uint> seen(kItems);
    OK(clEnqueueReadBuffer(queue_, a_, CL_TRUE, 0, kBytes, seen.data(), 0, nullptr, nullptr));
    ASSERT_EQ(seen, mine_);
    OK(clEnqueueReadBuffer(queue_, b_, CL_TRUE, 0, kBytes, seen.data(), 0, nullptr, nullptr));
    ASSERT_EQ(seen, other_);
  }

  void copy_kernel() {
    OK(clSetKernelArg(copy_, 0, sizeof a_, &a_));
    OK(clSetKernelArg(copy_, 1, sizeof b_, &b_));
    const std::size_t items = 32 * (1 + pick(kItems / 32));
    std::copy(mine_.begin(), mine_.begin() + static_cast<std::ptrdiff_t>(items), other_.begin());
    launch(copy_, items);
  }

  /// other[common[i]] = i: `common` is a permutation, so no two items meet.
  void scatter() {
    OK(clSetKernelArg(scatter_, 0, sizeof b_, &b_));
    OK(clSetKernelArg(scatter_, 1, sizeof s_.common, &s_.common));
    for (std::size_t i = 0; i < kItems; ++i) other_[(i * 389) % kItems] = static_cast<cl_uint>(i);
    launch(scatter_, kItems);
  }

  void count_up() {
    OK(clSetKernelArg(count_, 0, sizeof a_, &a_));
    const std::size_t items = 32 * (1 + pick(kItems / 32));
    for (std::size_t i = 0; i < items; ++i) ++mine_[i];
    launch(count_, items);
  }

  void map() {
    cl_int code = 0;
    const std::size_t first = pick(kItems), n = 1 + pick(kItems - first);
    auto* mapped = static_cast<cl_uint*>(clEnqueueMapBuffer(queue_, a_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, first * 4,
                                                            n * 4, 0, nullptr, nullptr, &code));
    ASSERT_EQ(code, CL_SUCCESS);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(mapped[i], mine_[first + i]);
      mapped[i] = mine_[first + i] = random_();
    }
    OK(clEnqueueUnmapMemObject(queue_, a_, mapped, 0, nullptr, nullptr));
  }

  void fill_and_copy() {
    const cl_uint value = random_();
    const std::size_t first = pick(kItems), n = 1 + pick(kItems - first);
    OK(clEnqueueFillBuffer(queue_, b_, &value, sizeof value, first * 4, n * 4, 0, nullptr, nullptr));
    OK(clEnqueueCopyBuffer(queue_, b_, a_, first * 4, first * 4, n * 4, 0, nullptr, nullptr));
    for (std::size_t i = first; i < first + n; ++i) mine_[i] = other_[i] = value;
  }

  /// Commands held back by the host, then let go by another thread than the one that waits.
  void behind_user_event() {
    cl_int code = 0;
    cl_event gate = clCreateUserEvent(s_.context, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    OK(clEnqueueBarrierWithWaitList(queue_, 1, &gate, nullptr));
    count_up();
    std::thread opener([gate] { EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS); });
    check();
    opener.join();
    OK(clReleaseEvent(gate));
  }

  Shared& s_;
  std::mt19937 random_;
  std::vector<cl_uint> mine_, other_;  // what a_ and b_ must hold
  cl_command_queue queue_ = nullptr;
  cl_mem a_ = nullptr, b_ = nullptr;
  cl_kernel copy_ = nullptr, count_ = nullptr, scatter_ = nullptr;
};

/// Builds and throws away programs, contexts and queues meanwhile.
void churn(Shared& s) {
  for (int i = 0; i < 10; ++i) {
    OK(clReleaseProgram(build(s)));
    cl_int code = 0;
    cl_context context = clCreateContext(nullptr, 1, &s.device, nullptr, nullptr, &code);
    OK(code);
    cl_command_queue queue = clCreateCommandQueue(context, s.device, 0, &code);
    OK(code);
    OK(clReleaseContext(context));
    OK(clReleaseCommandQueue(queue));
  }
}

void open_shared(Shared& s) {
  cl_platform_id platform = nullptr;
  OK(clGetPlatformIDs(1, &platform, nullptr));
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &s.device, nullptr));
  cl_int code = 0;
  s.context = clCreateContext(nullptr, 1, &s.device, nullptr, nullptr, &code);
  OK(code);
  s.queue = clCreateCommandQueue(s.context, s.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  OK(code);
  s.program = build(s);
  std::vector<cl_uint> permutation(kItems);
  for (std::size_t i = 0; i < kItems; ++i) permutation[i] = static_cast<cl_uint>((i * 389) % kItems);
  s.common = clCreateBuffer(s.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, kBytes, permutation.data(), &code);
  OK(code);
}

TEST(Threads, EightOfOneApplicationSeeTheirOwnResults) {
  Shared s;
  open_shared(s);
  if (HasFatalFailure()) return;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back([&s, i] { Worker(s, i + 1).run(); });
  churn(s);
  for (std::thread& thread : threads) thread.join();
  OK(clFinish(s.queue));
  OK(clReleaseMemObject(s.common));
  OK(clReleaseProgram(s.program));
  OK(clReleaseCommandQueue(s.queue));
  OK(clReleaseContext(s.context));
  while (s.callbacks < s.expected_callbacks) std::this_thread::yield();
  EXPECT_EQ(s.callbacks, s.expected_callbacks);
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// Launches that come again after the one before has ended. What a kernel remembers of them keeps nothing alive, and is
// forgotten where the application gives anything else under the same names.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {
namespace {

constexpr char kAdd[] =
    "kernel void k(global int* to, global const int* from, int add) {"
    " size_t i = get_global_id(0); to[i] = from[i] + add; }";
constexpr size_t kItems = 64;
constexpr size_t kBytes = kItems * sizeof(cl_int);

std::atomic<int> gone;
void CL_CALLBACK note(cl_mem, void*) { ++gone; }

class RepeatedLaunches : public Driver {
 protected:
  RepeatedLaunches() { gone = 0; }
  /// Its own reference: the test releases it.
  cl_mem loose(cl_int value) {
    std::vector<cl_int> values(kItems, value);
    cl_mem made = clCreateBuffer(context(), CL_MEM_COPY_HOST_PTR, kBytes, values.data(), nullptr);
    EXPECT_EQ(clSetMemObjectDestructorCallback(made, note, nullptr), CL_SUCCESS);
    return made;
  }
  void run(cl_kernel made, cl_mem to, cl_mem from, cl_int add, size_t items = kItems) {
    ASSERT_EQ(clSetKernelArg(made, 0, sizeof to, &to), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(made, 1, sizeof from, &from), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(made, 2, sizeof add, &add), CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue(), made, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue()), CL_SUCCESS);
  }
  /// The thread that completed a launch may hold it for a moment longer.
  static void expect_gone(int objects, const char* why = "") {
    for (int i = 0; i < 10000 && gone < objects; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(gone, objects) << why;
  }
  std::vector<cl_int> seen(cl_mem memory) {
    std::vector<cl_int> values(kItems, -1);
    EXPECT_EQ(clEnqueueReadBuffer(queue(), memory, CL_TRUE, 0, kBytes, values.data(), 0, nullptr, nullptr), CL_SUCCESS);
    return values;
  }
};

TEST_F(RepeatedLaunches, KeepNoBufferAlive) {
  cl_kernel made = kernel(kAdd, "k");
  cl_mem from = loose(3);
  cl_mem to = loose(0);
  for (int i = 0; i < 20; ++i) run(made, to, from, 4);
  EXPECT_EQ(seen(to), std::vector<cl_int>(kItems, 7));
  EXPECT_EQ(clReleaseMemObject(from), CL_SUCCESS);
  expect_gone(1, "the kernel still has it as an argument");
  EXPECT_EQ(clReleaseMemObject(to), CL_SUCCESS);
  expect_gone(2);
}

TEST_F(RepeatedLaunches, OfManyKernelsKeepNoBufferAlive) {
  cl_program shared = program(kAdd);
  cl_mem from = loose(3);
  cl_mem to = loose(0);
  std::vector<cl_kernel> kernels;
  for (int i = 0; i < 50; ++i) {
    cl_kernel made = clCreateKernel(shared, "k", nullptr);
    run(made, to, from, i);
    if (i % 3 == 0)
      kernels.push_back(made);
    else
      clReleaseKernel(made);
  }
  EXPECT_EQ(clReleaseMemObject(to), CL_SUCCESS);
  expect_gone(1);
  EXPECT_EQ(clReleaseMemObject(from), CL_SUCCESS);
  expect_gone(2);
  for (cl_kernel made : kernels) clReleaseKernel(made);
}

TEST_F(RepeatedLaunches, KeepNoViewAliveThoughItsBufferStays) {
  cl_kernel made = kernel(kAdd, "k");
  cl_mem whole = loose(5);
  cl_mem to = buffer(kBytes);
  const cl_buffer_region region{0, kBytes};
  cl_mem view = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
  ASSERT_EQ(clSetMemObjectDestructorCallback(view, note, nullptr), CL_SUCCESS);
  for (int i = 0; i < 3; ++i) run(made, to, view, 1);
  EXPECT_EQ(clReleaseMemObject(whole), CL_SUCCESS);
  EXPECT_EQ(gone, 0) << "its view lives";
  EXPECT_EQ(clReleaseMemObject(view), CL_SUCCESS);
  expect_gone(2);
}

TEST_F(RepeatedLaunches, BuffersThatTakeTurnsAreToldApart) {
  cl_kernel made = kernel(kAdd, "k");
  for (const size_t buffers : {2u, 3u, 7u}) {
    std::vector<cl_mem> ring;
    for (size_t i = 0; i < buffers; ++i) ring.push_back(loose(0));
    const size_t steps = 5 * buffers;
    for (size_t i = 0; i < steps; ++i) run(made, ring[(i + 1) % buffers], ring[i % buffers], 2);
    EXPECT_EQ(seen(ring[steps % buffers]), std::vector<cl_int>(kItems, static_cast<cl_int>(2 * steps)));
    for (cl_mem memory : ring) EXPECT_EQ(clReleaseMemObject(memory), CL_SUCCESS);
  }
}

TEST_F(RepeatedLaunches, SizesAreToldApart) {
  cl_kernel made = kernel(kAdd, "k");
  cl_mem from = buffer(kBytes), to = buffer(kBytes);
  const cl_int one = 1;
  ASSERT_EQ(clEnqueueFillBuffer(queue(), from, &one, 4, 0, kBytes, 0, nullptr, nullptr), CL_SUCCESS);
  for (int i = 0; i < 12; ++i) {
    const cl_int none = 0;
    ASSERT_EQ(clEnqueueFillBuffer(queue(), to, &none, 4, 0, kBytes, 0, nullptr, nullptr), CL_SUCCESS);
    const size_t items = 1 + static_cast<size_t>(i * 11) % kItems;
    run(made, to, from, 1, items);
    std::vector<cl_int> expected(kItems, 0);
    std::fill_n(expected.begin(), items, 2);
    EXPECT_EQ(seen(to), expected) << items;
  }
}

TEST_F(RepeatedLaunches, ABufferInThePlaceOfOneThatWentIsAnother) {
  cl_kernel made = kernel(kAdd, "k");
  cl_mem to = buffer(kBytes);
  for (cl_int i = 0; i < 30; ++i) {  // handles are used again
    cl_mem from = loose(i);
    for (int j = 0; j < 2; ++j) run(made, to, from, 100);
    EXPECT_EQ(seen(to), std::vector<cl_int>(kItems, 100 + i));
    EXPECT_EQ(clReleaseMemObject(from), CL_SUCCESS);
    expect_gone(i + 1);
  }
}

TEST_F(RepeatedLaunches, BuffersMayGoWhileOtherThreadsLaunch) {
  cl_program shared = program(kAdd);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  cl_mem common = buffer(kBytes);
  const cl_int three = 3;
  ASSERT_EQ(clEnqueueFillBuffer(queue(), common, &three, 4, 0, kBytes, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue()), CL_SUCCESS);
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      cl_kernel made = clCreateKernel(shared, "k", nullptr);
      for (cl_int i = 0; i < 60; ++i) {
        cl_mem to = loose(0);
        for (int j = 0; j < 2; ++j) run(made, to, common, i);
        if (seen(to) != std::vector<cl_int>(kItems, 3 + i)) ++wrong;
        clReleaseMemObject(to);
      }
      clReleaseKernel(made);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  expect_gone(180);
}

}  // namespace
}  // namespace skmd::test

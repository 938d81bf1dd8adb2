// SPDX-License-Identifier: Apache-2.0
// Eight threads of one application on one virtual device over the stub driver: queues of their own and one shared
// out-of-order queue, kernels set, cloned and launched, buffers written, read, mapped, copied and filled, sub-buffers
// and images, user events, callbacks that release objects, programs built and linked and everything released while
// others work. Every thread knows what its own buffers must hold.
#include <CL/cl.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "tests/stub-icd/kernels.h"

namespace {

constexpr int kThreads = 8;
constexpr int kRounds = 200;
constexpr std::size_t kItems = 2048;
constexpr std::size_t kBytes = kItems * sizeof(cl_uint);
constexpr std::size_t kSide = 16;  // of images: four bytes a pixel

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

/// What a callback gives back once its command has ended.
struct Gift {
  Shared* shared;
  cl_mem memory;
  cl_kernel kernel;
};

void CL_CALLBACK give_back(cl_event event, cl_int status, void* data) {
  const std::unique_ptr<Gift> gift(static_cast<Gift*>(data));
  EXPECT_EQ(status, CL_COMPLETE);
  EXPECT_EQ(clReleaseMemObject(gift->memory), CL_SUCCESS);
  EXPECT_EQ(clReleaseKernel(gift->kernel), CL_SUCCESS);
  EXPECT_EQ(clReleaseEvent(event), CL_SUCCESS);
  ++gift->shared->callbacks;
}

cl_program build(const Shared& s) {
  cl_int code = 0;
  cl_program program =
      clCreateProgramWithSource(s.context, 1, const_cast<const char**>(&stub::kKernelSource), nullptr, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  return program;
}

/// Compiled as two units, linked, its kernels asked for.
void link(const Shared& s) {
  const char* const texts[2] = {"uint twice(uint value) { return 2 * value; }",
                                "uint twice(uint value); kernel void linked(global uint* out) { *out = twice(21); }"};
  cl_program units[2] = {};
  cl_int code = 0;
  for (int i = 0; i < 2; ++i) {
    const char* text = texts[i];
    units[i] = clCreateProgramWithSource(s.context, 1, &text, nullptr, &code);
    OK(code);
    OK(clCompileProgram(units[i], 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr));
  }
  cl_program program = clLinkProgram(s.context, 0, nullptr, "", 2, units, nullptr, nullptr, &code);
  OK(code);
  for (cl_program unit : units) OK(clReleaseProgram(unit));
  cl_kernel kernel = nullptr;
  OK(clCreateKernelsInProgram(program, 1, &kernel, nullptr));
  OK(clReleaseProgram(program));
  OK(clReleaseKernel(kernel));
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
    const cl_image_format format{CL_RGBA, CL_UNORM_INT8};
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = desc.image_height = kSide;
    image_ = clCreateImage(s_.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc, pixels_.data(), &code);
    ASSERT_EQ(code, CL_SUCCESS);
    copy_ = clCreateKernel(s_.program, "stub_copy", &code);
    count_ = clCreateKernel(s_.program, "stub_count", &code);
    scatter_ = clCreateKernel(s_.program, "stub_scatter", &code);
    ASSERT_EQ(code, CL_SUCCESS);
  }

  void close() {
    for (cl_kernel kernel : {copy_, count_, scatter_}) OK(clReleaseKernel(kernel));
    OK(clReleaseMemObject(a_));
    OK(clReleaseMemObject(b_));
    OK(clReleaseMemObject(image_));
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
    switch (pick(13)) {
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
      case 7:
        return image();
      case 8:
        return sub_buffer();
      case 9:
        return several_maps();
      case 10:
        return cloned();
      case 11:
        return released_by_a_callback();
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

  /// A box of the image written, filled or copied, and all of it read.
  void image() {
    const std::size_t origin[3] = {pick(kSide / 2), pick(kSide / 2), 0}, region[3] = {kSide / 2, kSide / 2, 1};
    const std::size_t corner[3] = {0, 0, 0}, whole[3] = {kSide, kSide, 1};
    std::vector<cl_uint> box(kSide / 2 * kSide / 2);
    const cl_uint shade = static_cast<cl_uint>(pick(2) * 0xFFFFFFFFu);
    const bool filled = pick(2) == 0;
    for (cl_uint& pixel : box) pixel = filled ? shade : static_cast<cl_uint>(random_());
    const float color[4] = {shade == 0 ? 0.f : 1.f, shade == 0 ? 0.f : 1.f, shade == 0 ? 0.f : 1.f,
                            shade == 0 ? 0.f : 1.f};
    if (filled) {
      OK(clEnqueueFillImage(queue_, image_, color, origin, region, 0, nullptr, nullptr));
    } else {
      OK(clEnqueueWriteImage(queue_, image_, CL_TRUE, origin, region, 0, 0, box.data(), 0, nullptr, nullptr));
    }
    for (std::size_t y = 0; y < kSide / 2; ++y)
      for (std::size_t x = 0; x < kSide / 2; ++x)
        pixels_[(origin[1] + y) * kSide + origin[0] + x] = box[y * kSide / 2 + x];
    std::vector<cl_uint> seen(kSide * kSide);
    OK(clEnqueueReadImage(queue_, image_, CL_TRUE, corner, whole, 0, 0, seen.data(), 0, nullptr, nullptr));
    ASSERT_EQ(seen, pixels_);
  }

  /// A view that lives no longer than its launch.
  void sub_buffer() {
    const std::size_t half = kItems / 2, first = half * pick(2);
    const cl_buffer_region region{first * 4, half * 4};
    cl_int code = 0;
    cl_mem view = clCreateSubBuffer(a_, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    OK(code);
    OK(clSetKernelArg(count_, 0, sizeof view, &view));
    for (std::size_t i = first; i < first + half; ++i) ++mine_[i];
    launch(count_, half);
    OK(clReleaseMemObject(view));
  }

  /// Two mappings at once, neither waited for by its call.
  void several_maps() {
    cl_int code = 0;
    cl_event mapped[2] = {};
    auto* read = static_cast<cl_uint*>(
        clEnqueueMapBuffer(queue_, a_, CL_FALSE, CL_MAP_READ, 0, kBytes, 0, nullptr, &mapped[0], &code));
    OK(code);
    auto* written = static_cast<cl_uint*>(clEnqueueMapBuffer(queue_, b_, CL_FALSE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                                                             kBytes / 2, 0, nullptr, &mapped[1], &code));
    OK(code);
    OK(clWaitForEvents(2, mapped));
    for (std::size_t i = 0; i < kItems; ++i) ASSERT_EQ(read[i], mine_[i]);
    for (std::size_t i = 0; i < kItems / 2; ++i) written[i] = other_[i] = static_cast<cl_uint>(random_());
    OK(clEnqueueUnmapMemObject(queue_, b_, written, 0, nullptr, nullptr));
    OK(clEnqueueUnmapMemObject(queue_, a_, read, 0, nullptr, nullptr));
    for (cl_event event : mapped) OK(clReleaseEvent(event));
  }

  /// A clone keeps its arguments while the original gets others.
  void cloned() {
    OK(clSetKernelArg(copy_, 0, sizeof a_, &a_));
    OK(clSetKernelArg(copy_, 1, sizeof b_, &b_));
    cl_int code = 0;
    cl_kernel clone = clCloneKernel(copy_, &code);
    OK(code);
    OK(clSetKernelArg(copy_, 1, sizeof a_, &a_));
    other_ = mine_;
    launch(clone, kItems);
    OK(clReleaseKernel(clone));
  }

  void released_by_a_callback() {
    cl_int code = 0;
    cl_mem memory = clCreateBuffer(s_.context, CL_MEM_READ_WRITE, kBytes, nullptr, &code);
    OK(code);
    cl_kernel kernel = clCreateKernel(s_.program, "stub_fill", &code);
    OK(code);
    const cl_uint value = 1;
    OK(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    OK(clSetKernelArg(kernel, 1, sizeof value, &value));
    cl_event done = nullptr;
    const std::size_t items = kItems;
    ++s_.expected_callbacks;
    OK(clEnqueueNDRangeKernel(s_.queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, &done));
    OK(clSetEventCallback(done, CL_COMPLETE, give_back, new Gift{&s_, memory, kernel}));
    OK(clFlush(s_.queue));
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
  std::vector<cl_uint> pixels_ = std::vector<cl_uint>(kSide * kSide, 0);
  cl_command_queue queue_ = nullptr;
  cl_mem a_ = nullptr, b_ = nullptr, image_ = nullptr;
  cl_kernel copy_ = nullptr, count_ = nullptr, scatter_ = nullptr;
};

/// Builds and throws away programs, contexts and queues meanwhile.
void churn(Shared& s) {
  for (int i = 0; i < 10; ++i) {
    OK(clReleaseProgram(build(s)));
    link(s);
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

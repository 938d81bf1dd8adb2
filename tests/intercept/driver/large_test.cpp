// SPDX-License-Identifier: Apache-2.0
// Megabytes at a time over the stub driver, against plain arrays: reads and writes that go past the shadow, and through
// page-locked memory where the environment (CMakeLists.txt) makes the driver one that copies slowly.
#include <CL/cl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <list>
#include <random>
#include <vector>

#include "tests/seed.h"
#include "tests/stub-icd/kernels.h"

namespace skmd::test {
namespace {

constexpr std::size_t kBuffers = 4;
constexpr std::size_t kWords = std::size_t{3} << 20;
constexpr std::size_t kLocal = 64;
constexpr std::size_t kPitch = 2048;
constexpr int kSteps = 200;

using Words = std::vector<std::uint32_t>;

class LargeTransfers : public testing::Test {
 protected:
  void SetUp() override {
    cl_platform_id platform = nullptr;
    ASSERT_EQ(clGetPlatformIDs(1, &platform, nullptr), CL_SUCCESS);
    ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), CL_SUCCESS);
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, nullptr);
    queue_ = clCreateCommandQueue(context_, device_, 0, nullptr);
    program_ = clCreateProgramWithSource(context_, 1, const_cast<const char**>(&stub::kKernelSource), nullptr, nullptr);
    ASSERT_EQ(clBuildProgram(program_, 1, &device_, "", nullptr, nullptr), CL_SUCCESS);
    count_ = clCreateKernel(program_, "stub_count", nullptr);
    copy_ = clCreateKernel(program_, "stub_copy", nullptr);
    grid_ = clCreateKernel(program_, "stub_grid", nullptr);
    for (std::size_t i = 0; i < kBuffers; ++i) {
      model_[i].resize(kWords);
      std::generate(model_[i].begin(), model_[i].end(), std::ref(random_));
      // One that starts without bytes, one that starts with some, one in the application's own memory, and one whose
      // memory on the host is page-locked.
      const cl_mem_flags flags = i == 0   ? 0
                                 : i == 1 ? CL_MEM_COPY_HOST_PTR
                                 : i == 2 ? CL_MEM_USE_HOST_PTR
                                          : CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR;
      if (i == 0) std::fill(model_[i].begin(), model_[i].end(), 0u);
      if (i == 2) own_ = model_[i];
      void* const host = i == 0 ? nullptr : i == 2 ? own_.data() : model_[i].data();
      buffers_[i] = clCreateBuffer(context_, CL_MEM_READ_WRITE | flags, kWords * 4, host, nullptr);
      ASSERT_NE(buffers_[i], nullptr);
    }
    pinned_ = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, kWords * 4, nullptr, nullptr);
    pages_ = static_cast<std::uint32_t*>(clEnqueueMapBuffer(queue_, pinned_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                                            kWords * 4, 0, nullptr, nullptr, nullptr));
    ASSERT_NE(pages_, nullptr);
    const std::uint32_t zero = 0;
    clEnqueueFillBuffer(queue_, buffers_[0], &zero, 4, 0, kWords * 4, 0, nullptr, nullptr);
  }
  void TearDown() override {
    clFinish(queue_);
    clEnqueueUnmapMemObject(queue_, pinned_, pages_, 0, nullptr, nullptr);
    clReleaseMemObject(pinned_);
    for (cl_mem buffer : buffers_) clReleaseMemObject(buffer);
    clReleaseKernel(count_);
    clReleaseKernel(copy_);
    clReleaseKernel(grid_);
    clReleaseProgram(program_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }

  std::size_t below(std::size_t limit) { return random_() % limit; }
  /// A range of words: megabytes, some hundred kilobytes, or a few.
  std::pair<std::size_t, std::size_t> range(std::size_t granule = 1) {
    const std::size_t first = below(kWords / 2) / granule * granule;
    const std::size_t kind = below(6);
    const std::size_t most = kind == 0 ? 4096 : kind < 3 ? 131072 : kWords - first;
    return {first, std::max(granule, (1 + below(most)) / granule * granule)};
  }

  /// Memory of the application's for a transfer: in page-locked pages, or pageable.
  std::uint32_t* side(std::size_t count) {
    if (below(2) == 0 && !pages_read_) return pages_;
    return sources_.emplace_back(count).data();
  }
  /// All commands so far have ended.
  void blocked() {
    sources_.clear();
    pages_read_ = false;
  }
  void write() {
    const std::size_t b = below(kBuffers);
    const auto [first, count] = range();
    // A non-blocking write's memory is left alone until something blocks.
    const cl_bool blocking = below(2) == 0 ? CL_TRUE : CL_FALSE;
    std::uint32_t* const source = side(count);
    pages_read_ = pages_read_ || source == pages_;
    std::generate(source, source + count, std::ref(random_));
    std::copy(source, source + count, model_[b].begin() + static_cast<std::ptrdiff_t>(first));
    ASSERT_EQ(clEnqueueWriteBuffer(queue_, buffers_[b], blocking, first * 4, count * 4, source, 0, nullptr, nullptr),
              CL_SUCCESS);
    if (blocking == CL_TRUE) blocked();
  }
  void read() {
    const std::size_t b = below(kBuffers);
    const auto [first, count] = range();
    std::uint32_t* const target = side(count);
    ASSERT_EQ(clEnqueueReadBuffer(queue_, buffers_[b], CL_TRUE, first * 4, count * 4, target, 0, nullptr, nullptr),
              CL_SUCCESS);
    expect(target, b, first, count, "read");
    blocked();
  }
  void map(bool writing) {
    const std::size_t b = below(kBuffers);
    const auto [first, count] = range();
    cl_int status = CL_SUCCESS;
    auto* const words = static_cast<std::uint32_t*>(
        clEnqueueMapBuffer(queue_, buffers_[b], CL_TRUE, writing ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_READ, first * 4,
                           count * 4, 0, nullptr, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    expect(words, b, first, count, "map");
    if (below(3) == 0) {  // a read into the mapped memory itself
      ASSERT_EQ(clEnqueueReadBuffer(queue_, buffers_[b], CL_TRUE, first * 4, count * 4, words, 0, nullptr, nullptr),
                CL_SUCCESS);
      expect(words, b, first, count, "read into the map");
    }
    if (writing)
      for (std::size_t i = 0; i < count; ++i) words[i] = model_[b][first + i] = static_cast<std::uint32_t>(random_());
    ASSERT_EQ(clEnqueueUnmapMemObject(queue_, buffers_[b], words, 0, nullptr, nullptr), CL_SUCCESS);
  }
  void count() {
    const std::size_t b = below(kBuffers);
    const auto [first, items] = range(kLocal);
    clSetKernelArg(count_, 0, sizeof(cl_mem), &buffers_[b]);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, count_, 1, &first, &items, &kLocal, 0, nullptr, nullptr), CL_SUCCESS);
    for (std::size_t i = first; i < first + items; ++i) ++model_[b][i];
  }
  void copy() {
    const std::size_t from = below(kBuffers);
    const std::size_t to = (from + 1 + below(kBuffers - 1)) % kBuffers;
    const auto [first, items] = range(kLocal);
    clSetKernelArg(copy_, 0, sizeof(cl_mem), &buffers_[from]);
    clSetKernelArg(copy_, 1, sizeof(cl_mem), &buffers_[to]);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, copy_, 1, &first, &items, &kLocal, 0, nullptr, nullptr), CL_SUCCESS);
    std::copy_n(model_[from].begin() + static_cast<std::ptrdiff_t>(first), items,
                model_[to].begin() + static_cast<std::ptrdiff_t>(first));
  }
  /// A rectangle of the buffer in rows of kPitch words.
  void grid() {
    const std::size_t b = below(kBuffers);
    const std::size_t offset[2] = {below(kPitch / 2), below(kWords / kPitch / 2)};
    const std::size_t items[2] = {1 + below(kPitch - offset[0]), 1 + below(kWords / kPitch - offset[1])};
    const cl_uint width = kPitch;
    clSetKernelArg(grid_, 0, sizeof(cl_mem), &buffers_[b]);
    clSetKernelArg(grid_, 1, sizeof width, &width);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, grid_, 2, offset, items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    for (std::size_t y = offset[1]; y < offset[1] + items[1]; ++y)
      for (std::size_t x = offset[0]; x < offset[0] + items[0]; ++x)
        model_[b][y * kPitch + x] = static_cast<std::uint32_t>(1000 * y + x);
  }
  void expect(const std::uint32_t* got, std::size_t buffer, std::size_t first, std::size_t count, const char* what) {
    const std::uint32_t* const want = model_[buffer].data() + first;
    const auto [bad, right] = std::mismatch(got, got + count, want);
    ASSERT_EQ(bad, got + count) << "step " << step_ << ", " << what << ": word " << first + (bad - got) << " of buffer "
                                << buffer << " is " << *bad << ", not " << *right;
  }

  std::mt19937 random_{20120917 + seed_offset()};
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  cl_kernel count_ = nullptr, copy_ = nullptr, grid_ = nullptr;
  std::array<cl_mem, kBuffers> buffers_{};
  std::array<Words, kBuffers> model_;
  Words own_;
  std::list<Words> sources_;
  cl_mem pinned_ = nullptr;
  std::uint32_t* pages_ = nullptr;  // of pinned_
  bool pages_read_ = false;         // by a write that may not have ended
  int step_ = 0;
};

TEST_F(LargeTransfers, EveryByteReadIsTheByteLastWritten) {
  for (step_ = 0; step_ < kSteps && !HasFatalFailure(); ++step_) {
    const std::size_t kind = below(10);
    if (kind < 3)
      write();
    else if (kind < 6)
      read();
    else if (kind < 7)
      map(below(2) == 0);
    else if (kind < 8)
      count();
    else if (kind < 9)
      grid();
    else
      copy();
  }
}

}  // namespace
}  // namespace skmd::test

// SPDX-License-Identifier: Apache-2.0
// clEnqueueReadBuffer, clEnqueueWriteBuffer and the rectangular forms.
#include <algorithm>
#include <cstdint>
#include <numeric>

#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {
namespace {

using ClEnqueueReadBuffer = Driver;

TEST_F(ClEnqueueReadBuffer, GivesBackWhatWasWritten) {
  std::vector<unsigned char> in(100000);
  std::iota(in.begin(), in.end(), std::uint8_t{0});
  cl_mem memory = buffer(in.size());
  ASSERT_EQ(clEnqueueWriteBuffer(queue(), memory, CL_FALSE, 0, in.size(), in.data(), 0, nullptr, nullptr), CL_SUCCESS);
  std::vector<unsigned char> out(in.size());
  ASSERT_EQ(clEnqueueReadBuffer(queue(), memory, CL_TRUE, 0, out.size(), out.data(), 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(out, in);
}

TEST_F(ClEnqueueReadBuffer, SizeZeroIsAMarkerOfThatType) {
  cl_mem memory = buffer(64);
  unsigned char host = 0;
  cl_event event = nullptr;
  EXPECT_EQ(clEnqueueReadBuffer(queue(), memory, CL_TRUE, 64, 0, &host, 0, nullptr, &event), CL_SUCCESS);
  cl_command_type type = 0;
  clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr);
  EXPECT_EQ(type, static_cast<cl_command_type>(CL_COMMAND_READ_BUFFER));
  clReleaseEvent(event);
  EXPECT_EQ(clEnqueueWriteBuffer(queue(), memory, CL_TRUE, 0, 0, &host, 0, nullptr, nullptr), CL_SUCCESS);
}

TEST_F(ClEnqueueReadBuffer, BadObjectsRangesAndPointersAreRefused) {
  cl_mem memory = buffer(64);
  unsigned char host[128] = {};
  const auto read = [&](cl_mem from, size_t offset, size_t size, void* to) {
    return clEnqueueReadBuffer(queue(), from, CL_TRUE, offset, size, to, 0, nullptr, nullptr);
  };
  const auto write = [&](cl_mem to, size_t offset, size_t size, const void* from) {
    return clEnqueueWriteBuffer(queue(), to, CL_TRUE, offset, size, from, 0, nullptr, nullptr);
  };
  EXPECT_EQ(read(nullptr, 0, 1, host), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(read(foreign_handle<cl_mem>(platform()), 0, 1, host), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(read(memory, 60, 5, host), CL_INVALID_VALUE);
  EXPECT_EQ(read(memory, 65, 0, host), CL_INVALID_VALUE);
  EXPECT_EQ(read(memory, 2, ~size_t{0}, host), CL_INVALID_VALUE);
  EXPECT_EQ(read(memory, 0, 64, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(write(memory, 60, 5, host), CL_INVALID_VALUE);
  EXPECT_EQ(write(memory, 0, 64, nullptr), CL_INVALID_VALUE);
  cl_mem elsewhere = clCreateBuffer(other_context(), CL_MEM_READ_WRITE, 64, nullptr, nullptr);
  EXPECT_EQ(read(elsewhere, 0, 64, host), CL_INVALID_CONTEXT);
  EXPECT_EQ(write(elsewhere, 0, 64, host), CL_INVALID_CONTEXT);
  clReleaseMemObject(elsewhere);
}

TEST_F(ClEnqueueReadBuffer, HostAccessFlagsBindTransfersButNotCopiesOrFills) {
  unsigned char host[64] = {};
  cl_mem no_read = buffer(64, CL_MEM_HOST_WRITE_ONLY);
  cl_mem no_write = buffer(64, CL_MEM_HOST_READ_ONLY);
  cl_mem neither = buffer(64, CL_MEM_HOST_NO_ACCESS);
  EXPECT_EQ(clEnqueueReadBuffer(queue(), no_read, CL_TRUE, 0, 64, host, 0, nullptr, nullptr), CL_INVALID_OPERATION);
  EXPECT_EQ(clEnqueueReadBuffer(queue(), neither, CL_TRUE, 0, 64, host, 0, nullptr, nullptr), CL_INVALID_OPERATION);
  EXPECT_EQ(clEnqueueWriteBuffer(queue(), no_write, CL_TRUE, 0, 64, host, 0, nullptr, nullptr), CL_INVALID_OPERATION);
  EXPECT_EQ(clEnqueueWriteBuffer(queue(), neither, CL_TRUE, 0, 64, host, 0, nullptr, nullptr), CL_INVALID_OPERATION);
  EXPECT_EQ(clEnqueueWriteBuffer(queue(), no_read, CL_TRUE, 0, 64, host, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clEnqueueCopyBuffer(queue(), no_read, no_write, 0, 0, 64, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clEnqueueFillBuffer(queue(), neither, host, 4, 0, 64, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue()), CL_SUCCESS);
}

class Rect : public Driver {
 protected:
  static constexpr size_t kZero[3] = {0, 0, 0};
  cl_int read(cl_mem memory, const size_t* origin, const size_t* region, size_t row, size_t slice, size_t host_row,
              size_t host_slice, void* to) {
    return clEnqueueReadBufferRect(queue(), memory, CL_TRUE, origin, kZero, region, row, slice, host_row, host_slice,
                                   to, 0, nullptr, nullptr);
  }
};

TEST_F(Rect, BothSidesKeepTheirPitches) {
  unsigned char in[4 * 4 * 4];
  std::iota(in, in + sizeof in, std::uint8_t{0});
  cl_mem memory = buffer(512);
  const size_t region[3] = {4, 4, 4};
  const size_t origin[3] = {2, 1, 1};
  ASSERT_EQ(
      clEnqueueWriteBufferRect(queue(), memory, CL_FALSE, origin, kZero, region, 8, 64, 0, 0, in, 0, nullptr, nullptr),
      CL_SUCCESS);
  unsigned char out[64] = {};
  ASSERT_EQ(read(memory, origin, region, 8, 64, 0, 0, out), CL_SUCCESS);
  EXPECT_TRUE(std::equal(in, in + 64, out));
  unsigned char one = 0;
  ASSERT_EQ(clEnqueueReadBuffer(queue(), memory, CL_TRUE, 2 + 8 + 64 + 64 + 8, 1, &one, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(one, in[16 + 4]);
}

TEST_F(Rect, BadRegionsAndPitchesAreRefused) {
  cl_mem memory = buffer(512);
  unsigned char host[1024] = {};
  const size_t region[3] = {8, 4, 2};
  const size_t empty[3] = {8, 0, 2};
  const size_t far[3] = {0, 0, 15};
  const size_t huge[3] = {~size_t{0}, ~size_t{0}, ~size_t{0}};
  EXPECT_EQ(read(memory, kZero, empty, 0, 0, 0, 0, host), CL_INVALID_VALUE);
  EXPECT_EQ(read(memory, kZero, region, 7, 0, 0, 0, host), CL_INVALID_VALUE);
  EXPECT_EQ(read(memory, kZero, region, 8, 31, 0, 0, host), CL_INVALID_VALUE);
  EXPECT_EQ(read(memory, kZero, region, 8, 36, 0, 0, host), CL_INVALID_VALUE);
  EXPECT_EQ(read(memory, kZero, region, 8, 0, 7, 0, host), CL_INVALID_VALUE);
  EXPECT_EQ(read(memory, kZero, region, 8, 0, 8, 33, host), CL_INVALID_VALUE);
  EXPECT_EQ(read(memory, far, region, 8, 32, 0, 0, host), CL_INVALID_VALUE);
  EXPECT_EQ(read(memory, huge, region, 8, 32, 0, 0, host), CL_INVALID_VALUE);
  EXPECT_EQ(read(memory, kZero, huge, 0, 0, 0, 0, host), CL_INVALID_VALUE);
  EXPECT_EQ(read(memory, nullptr, region, 0, 0, 0, 0, host), CL_INVALID_VALUE);
  EXPECT_EQ(read(memory, kZero, region, 0, 0, 0, 0, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(read(buffer(64, CL_MEM_HOST_NO_ACCESS), kZero, region, 0, 0, 0, 0, host), CL_INVALID_OPERATION);
  const size_t last[3] = {0, 0, 14};
  EXPECT_EQ(read(memory, last, region, 8, 32, 0, 0, host), CL_SUCCESS);
}

}  // namespace
}  // namespace skmd::test

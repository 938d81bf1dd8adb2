// SPDX-License-Identifier: Apache-2.0
// clEnqueueCopyBuffer, clEnqueueCopyBufferRect, clEnqueueFillBuffer, clEnqueueMigrateMemObjects, clEnqueueNativeKernel.
#include <cstdint>
#include <numeric>

#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {
namespace {

class ClEnqueueCopyBuffer : public Driver {
 protected:
  cl_mem counting(size_t bytes) {
    std::vector<unsigned char> in(bytes);
    std::iota(in.begin(), in.end(), std::uint8_t{0});
    return buffer(bytes, CL_MEM_COPY_HOST_PTR, in.data());
  }
  std::vector<unsigned char> bytes_of(cl_mem memory, size_t size) {
    std::vector<unsigned char> out(size);
    EXPECT_EQ(clEnqueueReadBuffer(queue(), memory, CL_TRUE, 0, size, out.data(), 0, nullptr, nullptr), CL_SUCCESS);
    return out;
  }
  cl_int copy(cl_mem from, cl_mem to, size_t at, size_t target, size_t size) {
    return clEnqueueCopyBuffer(queue(), from, to, at, target, size, 0, nullptr, nullptr);
  }
};
using ClEnqueueCopyBufferRect = ClEnqueueCopyBuffer;
using ClEnqueueFillBuffer = ClEnqueueCopyBuffer;
using ClEnqueueMigrateMemObjects = ClEnqueueCopyBuffer;
using ClEnqueueNativeKernel = ClEnqueueCopyBuffer;

TEST_F(ClEnqueueCopyBuffer, CopiesExactlyTheRange) {
  cl_mem from = counting(128);
  cl_mem to = buffer(128);
  ASSERT_EQ(copy(from, to, 10, 20, 30), CL_SUCCESS);
  const auto out = bytes_of(to, 128);
  EXPECT_EQ(out[19], 0);
  EXPECT_EQ(out[20], 10);
  EXPECT_EQ(out[49], 39);
  EXPECT_EQ(out[50], 0);
  EXPECT_EQ(copy(from, to, 128, 128, 0), CL_SUCCESS);
}

TEST_F(ClEnqueueCopyBuffer, OverlapInOneBufferOrBetweenSubBuffersIsRefusedButNotBetweenParentAndChild) {
  cl_mem memory = counting(8192);
  const cl_buffer_region first{0, 6144};
  const cl_buffer_region second{4096, 4096};
  cl_mem a = clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &first, nullptr);
  cl_mem b = clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &second, nullptr);
  EXPECT_EQ(copy(memory, memory, 0, 8, 16), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(memory, memory, 0, 16, 16), CL_SUCCESS);
  EXPECT_EQ(copy(a, b, 4100, 0, 16), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(a, b, 0, 0, 16), CL_SUCCESS);
  ASSERT_EQ(copy(memory, a, 0, 4, 64), CL_SUCCESS);  // behaves like memmove
  const auto out = bytes_of(memory, 80);
  EXPECT_EQ(out[4], 0);
  EXPECT_EQ(out[19], 15);
  clReleaseMemObject(a);
  clReleaseMemObject(b);
}

TEST_F(ClEnqueueCopyBuffer, BadObjectsAndRangesAreRefused) {
  cl_mem memory = buffer(64);
  EXPECT_EQ(copy(nullptr, memory, 0, 0, 1), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(copy(memory, nullptr, 0, 0, 1), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(copy(memory, buffer(64), 60, 0, 5), CL_INVALID_VALUE);
  EXPECT_EQ(copy(memory, buffer(64), 0, 60, 5), CL_INVALID_VALUE);
  EXPECT_EQ(copy(memory, buffer(64), 1, 0, ~size_t{0}), CL_INVALID_VALUE);
}

TEST_F(ClEnqueueCopyBufferRect, CopiesABoxAndRefusesOverlapAndUnequalPitchesInOneBuffer) {
  cl_mem from = counting(256);
  cl_mem to = buffer(256);
  const size_t origin[3] = {1, 1, 0};
  const size_t zero[3] = {0, 0, 0};
  const size_t region[3] = {4, 3, 1};
  const auto rect = [&](cl_mem a, cl_mem b, const size_t* at, const size_t* target, size_t row, size_t other_row) {
    return clEnqueueCopyBufferRect(queue(), a, b, at, target, region, row, 0, other_row, 0, 0, nullptr, nullptr);
  };
  ASSERT_EQ(rect(from, to, origin, zero, 16, 8), CL_SUCCESS);
  const auto out = bytes_of(to, 32);
  for (size_t row = 0; row < 3; ++row)
    for (size_t x = 0; x < 4; ++x) EXPECT_EQ(out[8 * row + x], (row + 1) * 16 + x + 1);
  EXPECT_EQ(out[4], 0);
  EXPECT_EQ(rect(from, from, origin, zero, 16, 16), CL_MEM_COPY_OVERLAP);
  const size_t beside[3] = {8, 0, 0};
  EXPECT_EQ(rect(from, from, beside, zero, 16, 16), CL_SUCCESS);
  EXPECT_EQ(rect(from, from, beside, zero, 16, 8), CL_INVALID_VALUE);
}

TEST_F(ClEnqueueFillBuffer, RepeatsThePatternWhichIsCopiedDuringTheCall) {
  cl_mem memory = buffer(64);
  const cl_event gate = user_event();
  unsigned short pattern = 0x0102;
  ASSERT_EQ(clEnqueueFillBuffer(queue(), memory, &pattern, 2, 4, 8, 1, &gate, nullptr), CL_SUCCESS);
  pattern = 0;
  clSetUserEventStatus(gate, CL_COMPLETE);
  const auto out = bytes_of(memory, 16);
  EXPECT_EQ(out[3], 0);
  for (size_t i = 4; i < 12; i += 2) EXPECT_EQ(out[i] + out[i + 1], 3);
  EXPECT_EQ(out[12], 0);
}

TEST_F(ClEnqueueFillBuffer, BadPatternsAndRangesAreRefused) {
  cl_mem memory = buffer(512);
  unsigned char pattern[256] = {};
  const auto fill = [&](const void* bytes, size_t size, size_t offset, size_t length) {
    return clEnqueueFillBuffer(queue(), memory, bytes, size, offset, length, 0, nullptr, nullptr);
  };
  EXPECT_EQ(fill(nullptr, 4, 0, 16), CL_INVALID_VALUE);
  EXPECT_EQ(fill(pattern, 0, 0, 16), CL_INVALID_VALUE);
  EXPECT_EQ(fill(pattern, 3, 0, 12), CL_INVALID_VALUE);
  EXPECT_EQ(fill(pattern, 256, 0, 256), CL_INVALID_VALUE);
  EXPECT_EQ(fill(pattern, 4, 2, 16), CL_INVALID_VALUE);
  EXPECT_EQ(fill(pattern, 4, 0, 18), CL_INVALID_VALUE);
  EXPECT_EQ(fill(pattern, 4, 512, 4), CL_INVALID_VALUE);
  EXPECT_EQ(fill(pattern, 128, 0, 512), CL_SUCCESS);
  EXPECT_EQ(fill(pattern, 4, 512, 0), CL_SUCCESS);
  clFinish(queue());
}

TEST_F(ClEnqueueMigrateMemObjects, ChecksItsListAndFlagsAndKeepsContents) {
  cl_mem memory = counting(64);
  const auto migrate = [&](cl_uint count, const cl_mem* list, cl_mem_migration_flags flags) {
    return clEnqueueMigrateMemObjects(queue(), count, list, flags, 0, nullptr, nullptr);
  };
  EXPECT_EQ(migrate(0, &memory, 0), CL_INVALID_VALUE);
  EXPECT_EQ(migrate(1, nullptr, 0), CL_INVALID_VALUE);
  EXPECT_EQ(migrate(1, &memory, 1u << 9), CL_INVALID_VALUE);
  const cl_mem bad = nullptr;
  EXPECT_EQ(migrate(1, &bad, 0), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(migrate(1, &memory, 0), CL_SUCCESS);
  EXPECT_EQ(migrate(1, &memory, CL_MIGRATE_MEM_OBJECT_HOST), CL_SUCCESS);
  EXPECT_EQ(bytes_of(memory, 64)[63], 63);
  EXPECT_EQ(migrate(1, &memory, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED), CL_SUCCESS);
  clFinish(queue());
}

struct NativeArguments {
  unsigned char* bytes;
  int add;
};

void CL_CALLBACK add_to_first(void* data) {
  auto* arguments = static_cast<NativeArguments*>(data);
  arguments->bytes[0] = static_cast<unsigned char>(arguments->bytes[1] + arguments->add);
}

TEST_F(ClEnqueueNativeKernel, GetsHostAddressesAndACopyOfItsArguments) {
  cl_mem memory = counting(64);
  NativeArguments arguments{nullptr, 10};
  const void* location = &arguments.bytes;
  const cl_event gate = user_event();
  ASSERT_EQ(clEnqueueNativeKernel(queue(), add_to_first, &arguments, sizeof arguments, 1, &memory, &location, 1, &gate,
                                  nullptr),
            CL_SUCCESS);
  arguments.add = 0;
  clSetUserEventStatus(gate, CL_COMPLETE);
  EXPECT_EQ(bytes_of(memory, 64)[0], 11);
}

TEST_F(ClEnqueueNativeKernel, AnObjectMayBeNull) {
  struct Arguments {
    void *first, *second;
    bool* seen;
  };
  bool seen = false;
  int there = 0;
  Arguments arguments{&there, &there, &seen};
  const cl_mem objects[2] = {buffer(64), nullptr};
  const void* locations[2] = {&arguments.first, &arguments.second};
  const auto look = [](void* data) {
    auto* a = static_cast<Arguments*>(data);
    *a->seen = a->first != nullptr && a->second == nullptr;
  };
  cl_event done = nullptr;
  ASSERT_EQ(
      clEnqueueNativeKernel(queue(), look, &arguments, sizeof arguments, 2, objects, locations, 0, nullptr, &done),
      CL_SUCCESS);
  EXPECT_EQ(clWaitForEvents(1, &done), CL_SUCCESS);
  EXPECT_TRUE(seen);
  clReleaseEvent(done);
}

TEST_F(ClEnqueueNativeKernel, CountsAndPointersMustAgree) {
  cl_mem memory = buffer(64);
  NativeArguments arguments{nullptr, 0};
  const void* location = &arguments.bytes;
  const void* outside = &arguments + 1;
  const auto native = [&](void(CL_CALLBACK * f)(void*), void* a, size_t n, cl_uint count, const cl_mem* list,
                          const void** where) {
    return clEnqueueNativeKernel(queue(), f, a, n, count, list, where, 0, nullptr, nullptr);
  };
  EXPECT_EQ(native(nullptr, nullptr, 0, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(native(add_to_first, nullptr, 8, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(native(add_to_first, &arguments, 0, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(native(add_to_first, nullptr, 0, 1, &memory, &location), CL_INVALID_VALUE);
  EXPECT_EQ(native(add_to_first, &arguments, sizeof arguments, 1, nullptr, &location), CL_INVALID_VALUE);
  EXPECT_EQ(native(add_to_first, &arguments, sizeof arguments, 1, &memory, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(native(add_to_first, &arguments, sizeof arguments, 0, &memory, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(native(add_to_first, &arguments, sizeof arguments, 1, &memory, &outside), CL_INVALID_VALUE);
  const auto bad = foreign_handle<cl_mem>(platform());
  EXPECT_EQ(native(add_to_first, &arguments, sizeof arguments, 1, &bad, &location), CL_INVALID_MEM_OBJECT);
}

}  // namespace
}  // namespace skmd::test

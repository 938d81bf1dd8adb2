// SPDX-License-Identifier: Apache-2.0
// clCreateBuffer(WithProperties), clCreateSubBuffer, clGetMemObjectInfo, clSetMemObjectDestructorCallback, retain,
// release.
#include <cstdint>

#include "tests/intercept/api/driver_fixture.h"
#include "tests/intercept/api/info_checks.h"

namespace skmd::test {
namespace {

template <class T>
T device_value(cl_device_id device, cl_device_info name) {
  T value{};
  EXPECT_EQ(clGetDeviceInfo(device, name, sizeof value, &value, nullptr), CL_SUCCESS);
  return value;
}

class Memory : public Driver {
 protected:
  static cl_int create(cl_mem_flags flags, size_t size, void* host, cl_context of = context()) {
    cl_int status = 1;
    cl_mem made = clCreateBuffer(of, flags, size, host, &status);
    EXPECT_EQ(made != nullptr, status == CL_SUCCESS);
    if (made != nullptr) clReleaseMemObject(made);
    return status;
  }
  static cl_int create_sub(cl_mem parent, cl_mem_flags flags, size_t origin, size_t size) {
    const cl_buffer_region region{origin, size};
    cl_int status = 1;
    cl_mem made = clCreateSubBuffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    if (made != nullptr) clReleaseMemObject(made);
    return status;
  }
  template <class T>
  static T ask(cl_mem memory, cl_mem_info name) {
    return value_of<T>(check_query([=](size_t size, void* value, size_t* size_ret) {
      return clGetMemObjectInfo(memory, name, size, value, size_ret);
    }));
  }
};
using ClCreateBuffer = Memory;
using ClCreateSubBuffer = Memory;
using ClGetMemObjectInfo = Memory;
using ClSetMemObjectDestructorCallback = Memory;
using ClReleaseMemObject = Memory;

TEST_F(ClCreateBuffer, FlagsThatExcludeEachOtherAndUnknownOnesAreRefused) {
  unsigned char host[64] = {};
  for (const cl_mem_flags flags :
       {cl_mem_flags{CL_MEM_READ_WRITE | CL_MEM_READ_ONLY}, cl_mem_flags{CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY},
        cl_mem_flags{CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY},
        cl_mem_flags{CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_READ_ONLY}, cl_mem_flags{CL_MEM_KERNEL_READ_AND_WRITE},
        cl_mem_flags{CL_MEM_SVM_FINE_GRAIN_BUFFER}, cl_mem_flags{1} << 40})
    EXPECT_EQ(create(flags, 64, nullptr), CL_INVALID_VALUE) << flags;
  EXPECT_EQ(create(CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 64, host), CL_INVALID_VALUE);
  EXPECT_EQ(create(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64, host), CL_INVALID_VALUE);
  EXPECT_EQ(create(CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64, host), CL_SUCCESS);
  EXPECT_EQ(create(0, 64, nullptr), CL_SUCCESS);
}

TEST_F(ClCreateBuffer, SizeHostPointerAndContextAreChecked) {
  unsigned char host[64] = {};
  EXPECT_EQ(create(0, 0, nullptr), CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(create(0, device_value<cl_ulong>(device(), CL_DEVICE_MAX_MEM_ALLOC_SIZE) + 1, nullptr),
            CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(create(0, 64, host), CL_INVALID_HOST_PTR);
  EXPECT_EQ(create(CL_MEM_USE_HOST_PTR, 64, nullptr), CL_INVALID_HOST_PTR);
  EXPECT_EQ(create(CL_MEM_COPY_HOST_PTR, 64, nullptr), CL_INVALID_HOST_PTR);
  EXPECT_EQ(create(0, 64, nullptr, nullptr), CL_INVALID_CONTEXT);
}

TEST_F(ClCreateBuffer, AllocatingMoreThanTheDeviceHasFailsEarly) {
  const auto most = device_value<cl_ulong>(device(), CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  const auto all = device_value<cl_ulong>(device(), CL_DEVICE_GLOBAL_MEM_SIZE);
  std::vector<cl_mem> made;
  cl_int status = CL_SUCCESS;
  while (status == CL_SUCCESS && made.size() <= all / most + 1) {
    cl_mem memory = clCreateBuffer(context(), CL_MEM_READ_WRITE, most, nullptr, &status);
    if (memory != nullptr) made.push_back(memory);
  }
  EXPECT_EQ(status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  for (cl_mem memory : made) clReleaseMemObject(memory);
  EXPECT_EQ(create(0, most, nullptr), CL_SUCCESS);
}

TEST_F(ClCreateBuffer, WithPropertiesKnowsNoProperty) {
  cl_int status = 1;
  const cl_mem_properties none[] = {0};
  cl_mem made = clCreateBufferWithProperties(context(), none, CL_MEM_READ_ONLY, 64, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(ask<cl_mem_properties>(made, CL_MEM_PROPERTIES), 0u);
  clReleaseMemObject(made);
  const cl_mem_properties unknown[] = {0x1234, 1, 0};
  EXPECT_EQ(clCreateBufferWithProperties(context(), unknown, 0, 64, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROPERTY);
}

TEST_F(ClCreateBuffer, CopyHostPtrCopiesDuringTheCallAndUseHostPtrCountsFromCreation) {
  unsigned char host[64];
  std::fill_n(host, 64, std::uint8_t{5});
  cl_mem copied = buffer(64, CL_MEM_COPY_HOST_PTR, host);
  std::fill_n(host, 64, std::uint8_t{6});
  cl_mem used = buffer(64, CL_MEM_USE_HOST_PTR, host);
  unsigned char out[2] = {};
  clEnqueueReadBuffer(queue(), copied, CL_TRUE, 10, 1, &out[0], 0, nullptr, nullptr);
  clEnqueueReadBuffer(queue(), used, CL_TRUE, 10, 1, &out[1], 0, nullptr, nullptr);
  EXPECT_EQ(out[0], 5);
  EXPECT_EQ(out[1], 6);
}

TEST_F(ClCreateSubBuffer, RangeAlignmentAndParentAreChecked) {
  const size_t align = device_value<cl_uint>(device(), CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  cl_mem parent = buffer(4 * align);
  EXPECT_EQ(create_sub(parent, 0, align, align), CL_SUCCESS);
  EXPECT_EQ(create_sub(parent, 0, align, 0), CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(create_sub(parent, 0, align, 3 * align + 1), CL_INVALID_VALUE);
  EXPECT_EQ(create_sub(parent, 0, align, ~size_t{0}), CL_INVALID_VALUE);
  EXPECT_EQ(create_sub(parent, 0, align + 4, 4), CL_MISALIGNED_SUB_BUFFER_OFFSET);
  EXPECT_EQ(create_sub(nullptr, 0, 0, 4), CL_INVALID_MEM_OBJECT);
  const cl_buffer_region region{0, align};
  cl_mem child = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
  EXPECT_EQ(create_sub(child, 0, 0, 4), CL_INVALID_MEM_OBJECT);
  clReleaseMemObject(child);
  cl_int status = 1;
  EXPECT_EQ(clCreateSubBuffer(parent, 0, 0x7777, &region, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
}

TEST_F(ClCreateSubBuffer, FlagsAreInheritedAndMayNotWiden) {
  cl_mem parent = buffer(4096, CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_ALLOC_HOST_PTR);
  const cl_buffer_region region{0, 64};
  cl_mem child = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
  EXPECT_EQ(ask<cl_mem_flags>(child, CL_MEM_FLAGS),
            cl_mem_flags{CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_ALLOC_HOST_PTR});
  clReleaseMemObject(child);
  EXPECT_EQ(create_sub(parent, CL_MEM_READ_WRITE, 0, 64), CL_INVALID_VALUE);
  EXPECT_EQ(create_sub(parent, CL_MEM_WRITE_ONLY, 0, 64), CL_INVALID_VALUE);
  EXPECT_EQ(create_sub(parent, CL_MEM_HOST_READ_ONLY, 0, 64), CL_INVALID_VALUE);
  EXPECT_EQ(create_sub(parent, CL_MEM_HOST_NO_ACCESS, 0, 64), CL_SUCCESS);
  EXPECT_EQ(create_sub(parent, CL_MEM_ALLOC_HOST_PTR, 0, 64), CL_INVALID_VALUE);
}

TEST_F(ClGetMemObjectInfo, TellsABuffersAndASubBuffersFacts) {
  alignas(4096) static unsigned char host[8192];
  cl_mem parent = buffer(sizeof host, CL_MEM_USE_HOST_PTR, host);
  const cl_buffer_region region{4096, 100};
  cl_mem child = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
  EXPECT_EQ(ask<cl_mem_object_type>(parent, CL_MEM_TYPE), static_cast<cl_mem_object_type>(CL_MEM_OBJECT_BUFFER));
  EXPECT_EQ(ask<cl_mem_flags>(parent, CL_MEM_FLAGS), cl_mem_flags{CL_MEM_USE_HOST_PTR | CL_MEM_READ_WRITE});
  EXPECT_EQ(ask<size_t>(parent, CL_MEM_SIZE), sizeof host);
  EXPECT_EQ(ask<void*>(parent, CL_MEM_HOST_PTR), host);
  EXPECT_EQ(ask<cl_mem>(parent, CL_MEM_ASSOCIATED_MEMOBJECT), nullptr);
  EXPECT_EQ(ask<cl_uint>(parent, CL_MEM_REFERENCE_COUNT), 1u) << "the child's reference is internal";
  EXPECT_EQ(ask<cl_context>(parent, CL_MEM_CONTEXT), context());
  EXPECT_EQ(ask<cl_bool>(parent, CL_MEM_USES_SVM_POINTER), cl_bool{CL_FALSE});
  EXPECT_EQ(ask<size_t>(child, CL_MEM_SIZE), 100u);
  EXPECT_EQ(ask<size_t>(child, CL_MEM_OFFSET), 4096u);
  EXPECT_EQ(ask<void*>(child, CL_MEM_HOST_PTR), host + 4096);
  EXPECT_EQ(ask<cl_mem>(child, CL_MEM_ASSOCIATED_MEMOBJECT), parent);
  EXPECT_EQ(ask<void*>(buffer(64), CL_MEM_HOST_PTR), nullptr);
  clReleaseMemObject(child);
  check_unknown([=](size_t size, void* value, size_t* size_ret) {
    return clGetMemObjectInfo(parent, 0x7777, size, value, size_ret);
  });
  EXPECT_EQ(clGetMemObjectInfo(nullptr, CL_MEM_SIZE, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
}

TEST_F(ClReleaseMemObject, TheLastReleaseKillsTheHandleWhileACommandUsesTheBytes) {
  unsigned char in[64];
  std::fill_n(in, 64, std::uint8_t{9});
  cl_mem memory = clCreateBuffer(context(), CL_MEM_COPY_HOST_PTR, 64, in, nullptr);
  const cl_event gate = user_event();
  unsigned char out[64] = {};
  cl_event read = nullptr;
  ASSERT_EQ(clEnqueueReadBuffer(queue(), memory, CL_FALSE, 0, 64, out, 1, &gate, &read), CL_SUCCESS);
  EXPECT_EQ(clRetainMemObject(memory), CL_SUCCESS);
  EXPECT_EQ(clReleaseMemObject(memory), CL_SUCCESS);
  EXPECT_EQ(clReleaseMemObject(memory), CL_SUCCESS);
  EXPECT_EQ(clReleaseMemObject(memory), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clRetainMemObject(memory), CL_INVALID_MEM_OBJECT);
  clSetUserEventStatus(gate, CL_COMPLETE);
  EXPECT_EQ(clWaitForEvents(1, &read), CL_SUCCESS);
  EXPECT_EQ(out[63], 9);
  clReleaseEvent(read);
}

TEST_F(ClSetMemObjectDestructorCallback, RunsLastRegisteredFirstDuringTheLastRelease) {
  static std::vector<int> seen;
  seen.clear();
  static int values[2] = {1, 2};
  cl_mem memory = clCreateBuffer(context(), CL_MEM_READ_WRITE, 64, nullptr, nullptr);
  const auto note = [](cl_mem, void* value) { seen.push_back(*static_cast<int*>(value)); };
  EXPECT_EQ(clSetMemObjectDestructorCallback(memory, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clSetMemObjectDestructorCallback(nullptr, note, nullptr), CL_INVALID_MEM_OBJECT);
  ASSERT_EQ(clSetMemObjectDestructorCallback(memory, note, &values[0]), CL_SUCCESS);
  ASSERT_EQ(clSetMemObjectDestructorCallback(memory, note, &values[1]), CL_SUCCESS);
  EXPECT_TRUE(seen.empty());
  ASSERT_EQ(clReleaseMemObject(memory), CL_SUCCESS);
  EXPECT_EQ(seen, (std::vector<int>{2, 1}));
}

}  // namespace
}  // namespace skmd::test

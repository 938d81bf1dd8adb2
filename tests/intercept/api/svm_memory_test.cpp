// SPDX-License-Identifier: Apache-2.0
// Allocations of shared virtual memory, and commands on them.
#include <CL/cl.h>

#include <atomic>
#include <cstdint>
#include <numeric>
#include <thread>

#include "tests/intercept/api/svm_fixture.h"

namespace skmd::test {
namespace {

using SvmMemory = Svm;
constexpr size_t kBytes = 4096;

template <class T>
T told(cl_event event, cl_event_info name) {
  T value{};
  EXPECT_EQ(clGetEventInfo(event, name, sizeof value, &value, nullptr), CL_SUCCESS);
  return value;
}

TEST_F(SvmMemory, IsCoarseGrained) {
  cl_device_svm_capabilities capabilities = 0;
  ASSERT_EQ(clGetDeviceInfo(device(), CL_DEVICE_SVM_CAPABILITIES, sizeof capabilities, &capabilities, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(capabilities, cl_device_svm_capabilities{CL_DEVICE_SVM_COARSE_GRAIN_BUFFER});
}

TEST_F(SvmMemory, IsAlignedAsAsked) {
  for (const cl_uint alignment : {0u, 1u, 8u, 128u, 4096u}) {
    void* const made = clSVMAlloc(context(), 0, 100, alignment);
    ASSERT_NE(made, nullptr) << alignment;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(made) % std::max(alignment, 128u), 0u);
    clSVMFree(context(), made);
  }
}

TEST_F(SvmMemory, WhatCannotBeAllocatedIsNull) {
  cl_ulong most = 0;
  clGetDeviceInfo(device(), CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, nullptr);
  EXPECT_EQ(clSVMAlloc(nullptr, 0, 64, 0), nullptr);
  EXPECT_EQ(clSVMAlloc(context(), 0, 0, 0), nullptr);
  EXPECT_EQ(clSVMAlloc(context(), 0, most + 1, 0), nullptr);
  EXPECT_EQ(clSVMAlloc(context(), 0, 64, 3), nullptr) << "alignment";
  EXPECT_EQ(clSVMAlloc(context(), 0, 64, 1u << 30), nullptr) << "alignment";
  EXPECT_EQ(clSVMAlloc(context(), CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, 0), nullptr);
  EXPECT_EQ(clSVMAlloc(context(), CL_MEM_USE_HOST_PTR, 64, 0), nullptr);
  EXPECT_EQ(clSVMAlloc(context(), CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0), nullptr);
  EXPECT_EQ(clSVMAlloc(context(), CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 64, 0), nullptr);
}

TEST_F(SvmMemory, FreeingWhatIsNoneDoesNothing) {
  auto* const mine = shared<int>(16);
  clSVMFree(context(), nullptr);
  int local = 0;
  clSVMFree(context(), &local);
  clSVMFree(context(), mine + 1);
  clSVMFree(other_context(), mine);
  clSVMFree(nullptr, mine);
  put(mine, {7});
  EXPECT_EQ(got(mine, 1), std::vector<int>{7});
}

TEST_F(SvmMemory, KeepsItsContext) {
  cl_int status = CL_SUCCESS;
  cl_device_id device_id = device();
  cl_context own = clCreateContext(nullptr, 1, &device_id, nullptr, nullptr, &status);
  void* const made = clSVMAlloc(own, 0, 64, 0);
  static std::atomic<int> ended;
  ended = 0;
  clSetContextDestructorCallback(
      own, [](cl_context, void*) { ++ended; }, nullptr);
  clReleaseContext(own);
  EXPECT_EQ(ended, 0);
  clSVMFree(own, made);
  EXPECT_EQ(ended, 1);
}

TEST_F(SvmMemory, CommandsInFlightKeepTheBytes) {
  auto* const from = shared<int>(1024);
  put(from, std::vector<int>(1024, 5));
  std::vector<int> to(1024);
  cl_event gate = user_event();
  cl_event done = nullptr;
  ASSERT_EQ(clEnqueueSVMMemcpy(queue(), CL_FALSE, to.data(), from, kBytes, 1, &gate, &done), CL_SUCCESS);
  free(from);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(clWaitForEvents(1, &done), CL_SUCCESS);
  EXPECT_EQ(to, std::vector<int>(1024, 5));
  clReleaseEvent(done);
}

TEST_F(SvmMemory, MemcpyGoesEveryWay) {
  auto* const a = shared<int>(1024);
  auto* const b = shared<int>(1024);
  std::vector<int> values(1024);
  std::iota(values.begin(), values.end(), 0);
  put(a, values);
  ASSERT_EQ(clEnqueueSVMMemcpy(queue(), CL_FALSE, b + 24, a, 1000 * 4, 0, nullptr, nullptr), CL_SUCCESS);
  std::vector<int> out(1000);
  ASSERT_EQ(clEnqueueSVMMemcpy(queue(), CL_TRUE, out.data(), b + 24, 1000 * 4, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_TRUE(std::equal(out.begin(), out.end(), values.begin()));
  std::vector<int> again(1000);
  ASSERT_EQ(clEnqueueSVMMemcpy(queue(), CL_TRUE, again.data(), out.data(), 1000 * 4, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(again, out) << "between memory of the host's";
  // Inside one allocation.
  ASSERT_EQ(clEnqueueSVMMemcpy(queue(), CL_TRUE, a + 512, a, 2048, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(got(a + 512, 1)[0], 0);
  cl_event nothing = nullptr;
  ASSERT_EQ(clEnqueueSVMMemcpy(queue(), CL_FALSE, a + 1024, b, 0, 0, nullptr, &nothing), CL_SUCCESS);
  EXPECT_EQ(told<cl_command_type>(nothing, CL_EVENT_COMMAND_TYPE), cl_command_type{CL_COMMAND_SVM_MEMCPY});
  clReleaseEvent(nothing);
}

TEST_F(SvmMemory, FillsAndMigrates) {
  auto* const a = shared<cl_uint>(1024);
  put(a, std::vector<cl_uint>(1024, 1));
  const cl_ulong pattern = 0x0000000300000002;
  cl_event event = nullptr;
  ASSERT_EQ(clEnqueueSVMMemFill(queue(), a + 2, &pattern, sizeof pattern, 64, 0, nullptr, &event), CL_SUCCESS);
  EXPECT_EQ(told<cl_command_type>(event, CL_EVENT_COMMAND_TYPE), cl_command_type{CL_COMMAND_SVM_MEMFILL});
  clReleaseEvent(event);
  const auto values = got(a, 20);
  EXPECT_EQ(values[1], 1u);
  EXPECT_EQ(values[2], 2u);
  EXPECT_EQ(values[17], 3u);
  EXPECT_EQ(values[18], 1u);
  const void* pointers[] = {a, a + 8};
  const size_t sizes[] = {0, 32};
  for (const size_t* list : {static_cast<const size_t*>(nullptr), sizes})
    for (const cl_mem_migration_flags flags : {0, CL_MIGRATE_MEM_OBJECT_HOST}) {
      ASSERT_EQ(clEnqueueSVMMigrateMem(queue(), 2, pointers, list, flags, 0, nullptr, &event), CL_SUCCESS);
      EXPECT_EQ(told<cl_command_type>(event, CL_EVENT_COMMAND_TYPE), cl_command_type{CL_COMMAND_SVM_MIGRATE_MEM});
      clReleaseEvent(event);
    }
  EXPECT_EQ(got(a, 20), values);
}

TEST_F(SvmMemory, MapsNestAndUnmapOnce) {
  auto* const a = shared<int>(1024);
  map(a, kBytes, CL_MAP_WRITE_INVALIDATE_REGION);
  std::fill_n(a, 1024, 4);
  map(a + 8, 64, CL_MAP_WRITE);
  a[8] = 9;
  unmap(a + 8);
  unmap(a);
  EXPECT_EQ(clEnqueueSVMUnmap(queue(), a, 0, nullptr, nullptr), CL_INVALID_VALUE) << "it is not mapped";
  EXPECT_EQ(got(a + 7, 3), (std::vector<int>{4, 9, 4}));
}

TEST_F(SvmMemory, TwoThreadsMapTheirOwnParts) {
  constexpr int kRounds = 50;
  constexpr size_t kPart = 4096;
  auto* const a = shared<int>(2 * kPart);
  put(a, std::vector<int>(2 * kPart, 0));
  cl_kernel adds = kernel("kernel void add(global int* a) { a[get_global_id(0)] += 1; }", "add");
  std::atomic<int> wrong{0};
  const auto work = [&](int* part, cl_kernel own) {
    cl_int status = CL_SUCCESS;
    cl_command_queue queue = clCreateCommandQueueWithProperties(context(), device(), nullptr, &status);
    wrong += clSetKernelArgSVMPointer(own, 0, part) != CL_SUCCESS;
    const size_t items = kPart;
    for (int round = 0; round < kRounds; ++round) {
      wrong += clEnqueueNDRangeKernel(queue, own, 1, nullptr, &items, nullptr, 0, nullptr, nullptr) != CL_SUCCESS;
      wrong += clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, part, kPart * 4, 0, nullptr, nullptr) !=
               CL_SUCCESS;
      for (size_t i = 0; i < kPart; i += 97) wrong += part[i] != 2 * round + 1;
      for (size_t i = 0; i < kPart; ++i) ++part[i];
      wrong += clEnqueueSVMUnmap(queue, part, 0, nullptr, nullptr) != CL_SUCCESS;
    }
    clFinish(queue);
    clReleaseCommandQueue(queue);
  };
  cl_int status = CL_SUCCESS;
  cl_kernel second = clCloneKernel(adds, &status);
  std::thread other(work, a + kPart, second);
  work(a, adds);
  other.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(got(a, 2 * kPart), std::vector<int>(2 * kPart, 2 * kRounds));
  clReleaseKernel(second);
}

TEST_F(SvmMemory, FreedInTheOrderOfAQueue) {
  auto* const a = shared<int>(16);
  auto* const b = shared<int>(16);
  cl_event gate = user_event();
  cl_event freed = nullptr;
  void* pointers[] = {a, b};
  ASSERT_EQ(clEnqueueSVMFree(queue(), 2, pointers, nullptr, nullptr, 1, &gate, &freed), CL_SUCCESS);
  pointers[0] = pointers[1] = nullptr;  // the list was copied
  EXPECT_EQ(told<cl_command_type>(freed, CL_EVENT_COMMAND_TYPE), cl_command_type{CL_COMMAND_SVM_FREE});
  cl_kernel any = kernel("kernel void any(global int* a) { a[0] = 1; }", "any");
  EXPECT_EQ(clSetKernelArgSVMPointer(any, 0, a), CL_SUCCESS) << "not yet freed";
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(clWaitForEvents(1, &freed), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArgSVMPointer(any, 0, a), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(clSetKernelArgSVMPointer(any, 0, b), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(run(any, 1), CL_INVALID_KERNEL_ARGS) << "what it was set to is gone";
  clReleaseEvent(freed);
}

TEST_F(SvmMemory, FreedByTheApplication) {
  struct Seen {
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
    std::vector<void*> pointers;
  } seen;
  seen.context = context();
  auto* const a = shared<int>(16);
  void* pointers[] = {a};
  const auto callback = [](cl_command_queue queue, cl_uint count, void* list[], void* user_data) {
    auto& out = *static_cast<Seen*>(user_data);
    out.queue = queue;
    out.pointers.assign(list, list + count);
    for (cl_uint i = 0; i < count; ++i) clSVMFree(out.context, list[i]);
  };
  ASSERT_EQ(clEnqueueSVMFree(queue(), 1, pointers, callback, &seen, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue()), CL_SUCCESS);
  EXPECT_EQ(seen.queue, queue());
  EXPECT_EQ(seen.pointers, std::vector<void*>{a});
  EXPECT_EQ(clEnqueueSVMFree(queue(), 0, nullptr, nullptr, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
}

TEST_F(SvmMemory, BuffersShareItsBytes) {
  auto* const a = shared<int>(1024);
  put(a, std::vector<int>(1024, 3));
  cl_mem part = buffer(512, CL_MEM_USE_HOST_PTR, a + 3);
  cl_bool uses = CL_FALSE;
  size_t offset = 1;
  cl_mem parent = part;
  void* host = nullptr;
  clGetMemObjectInfo(part, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, nullptr);
  clGetMemObjectInfo(part, CL_MEM_OFFSET, sizeof offset, &offset, nullptr);
  clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, nullptr);
  clGetMemObjectInfo(part, CL_MEM_HOST_PTR, sizeof host, &host, nullptr);
  EXPECT_EQ(uses, cl_bool{CL_TRUE});
  EXPECT_EQ(offset, 0u);
  EXPECT_EQ(parent, nullptr);
  EXPECT_EQ(host, a + 3);
  const int nine = 9;
  ASSERT_EQ(clEnqueueWriteBuffer(queue(), part, CL_TRUE, 0, 4, &nine, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(got(a + 2, 3), (std::vector<int>{3, 9, 3}));
  const cl_buffer_region region{0, 256};
  cl_int status = CL_SUCCESS;
  cl_mem sub = clCreateSubBuffer(part, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  clGetMemObjectInfo(sub, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, nullptr);
  EXPECT_EQ(uses, cl_bool{CL_TRUE});
  int first = 0;
  ASSERT_EQ(clEnqueueReadBuffer(queue(), sub, CL_TRUE, 0, 4, &first, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(first, 9);
  EXPECT_EQ(clCreateSubBuffer(sub, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_MEM_OBJECT);
  clReleaseMemObject(sub);
  // By kernels as well, at a place that no sub-buffer could begin at.
  cl_kernel twice = kernel("kernel void twice(global int* a) { a[get_global_id(0)] *= 2; }", "twice");
  ASSERT_EQ(clSetKernelArg(twice, 0, sizeof part, &part), CL_SUCCESS);
  ASSERT_EQ(run(twice, 128), CL_SUCCESS);
  const auto values = got(a, 132);
  EXPECT_EQ(values[2], 3);
  EXPECT_EQ(values[3], 18);
  EXPECT_EQ(values[130], 6);
  EXPECT_EQ(values[131], 3);
  EXPECT_EQ(clCreateBuffer(context(), CL_MEM_USE_HOST_PTR, kBytes, a + 1, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_BUFFER_SIZE) << "beyond the allocation's end";
}

TEST_F(SvmMemory, WrongCallsAreRefused) {
  auto* const a = shared<char>(kBytes);
  auto* const b = shared<char>(kBytes);
  char host[256] = {};
  cl_command_queue q = queue();
  const auto copy = [&](void* to, const void* from, size_t size) {
    return clEnqueueSVMMemcpy(q, CL_FALSE, to, from, size, 0, nullptr, nullptr);
  };
  EXPECT_EQ(copy(nullptr, a, 1), CL_INVALID_VALUE);
  EXPECT_EQ(copy(a, nullptr, 1), CL_INVALID_VALUE);
  EXPECT_EQ(copy(a, b + 1, kBytes), CL_INVALID_VALUE);
  EXPECT_EQ(copy(a + 1, b, kBytes), CL_INVALID_VALUE);
  EXPECT_EQ(copy(a, a + 16, 17), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(a + 16, a, 17), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(host, host + 1, 2), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(a, a + 16, 16), CL_SUCCESS);
  const auto fill = [&](void* to, const void* pattern, size_t width, size_t size) {
    return clEnqueueSVMMemFill(q, to, pattern, width, size, 0, nullptr, nullptr);
  };
  EXPECT_EQ(fill(nullptr, host, 4, 4), CL_INVALID_VALUE);
  EXPECT_EQ(fill(host, host, 1, 4), CL_INVALID_VALUE) << "no shared virtual memory";
  EXPECT_EQ(fill(a, nullptr, 4, 4), CL_INVALID_VALUE);
  for (const size_t width : {0, 3, 256}) EXPECT_EQ(fill(a, host, width, 768), CL_INVALID_VALUE) << width;
  EXPECT_EQ(fill(a + 2, host, 4, 4), CL_INVALID_VALUE) << "not aligned";
  EXPECT_EQ(fill(a, host, 4, 6), CL_INVALID_VALUE);
  EXPECT_EQ(fill(a, host, 4, kBytes + 4), CL_INVALID_VALUE);
  const auto maps = [&](void* at, size_t size, cl_map_flags flags) {
    return clEnqueueSVMMap(q, CL_TRUE, flags, at, size, 0, nullptr, nullptr);
  };
  EXPECT_EQ(maps(nullptr, 4, CL_MAP_READ), CL_INVALID_VALUE);
  EXPECT_EQ(maps(a, 0, CL_MAP_READ), CL_INVALID_VALUE);
  EXPECT_EQ(maps(a + 1, kBytes, CL_MAP_READ), CL_INVALID_VALUE);
  EXPECT_EQ(maps(host, 4, CL_MAP_READ), CL_INVALID_VALUE);
  EXPECT_EQ(maps(a, 4, 1 << 7), CL_INVALID_VALUE);
  EXPECT_EQ(maps(a, 4, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueSVMUnmap(q, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueSVMUnmap(q, host, 0, nullptr, nullptr), CL_INVALID_VALUE);
  const void* list[] = {a, host};
  const size_t sizes[] = {kBytes + 1, 0};
  EXPECT_EQ(clEnqueueSVMMigrateMem(q, 0, list, nullptr, 0, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueSVMMigrateMem(q, 1, nullptr, nullptr, 0, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueSVMMigrateMem(q, 1, list, sizes, 0, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueSVMMigrateMem(q, 2, list, nullptr, 0, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueSVMMigrateMem(q, 1, list, nullptr, 1 << 5, 0, nullptr, nullptr), CL_INVALID_VALUE);
  void* frees[] = {a};
  EXPECT_EQ(clEnqueueSVMFree(q, 0, frees, nullptr, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueSVMFree(q, 1, nullptr, nullptr, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
}

TEST_F(SvmMemory, WaitListsAreChecked) {
  auto* const a = shared<char>(kBytes);
  cl_int status = CL_SUCCESS;
  cl_event foreign = clCreateUserEvent(other_context(), &status);
  cl_event broken = user_event();
  clSetUserEventStatus(broken, -5);
  void* frees[] = {nullptr};
  const void* moves[] = {a};
  char host[4] = {};
  const auto calls = [&](cl_uint count, const cl_event* list, cl_bool blocking) {
    return std::vector<cl_int>{
        clEnqueueSVMMemcpy(queue(), blocking, a, host, 4, count, list, nullptr),
        clEnqueueSVMMap(queue(), blocking, CL_MAP_READ, a, 4, count, list, nullptr),
        clEnqueueSVMMemFill(queue(), a, host, 4, 4, count, list, nullptr),
        clEnqueueSVMMigrateMem(queue(), 1, moves, nullptr, 0, count, list, nullptr),
        clEnqueueSVMFree(queue(), 1, frees, nullptr, nullptr, count, list, nullptr),
    };
  };
  EXPECT_EQ(calls(1, nullptr, CL_FALSE), std::vector<cl_int>(5, CL_INVALID_EVENT_WAIT_LIST));
  EXPECT_EQ(calls(1, &foreign, CL_FALSE), std::vector<cl_int>(5, CL_INVALID_CONTEXT));
  EXPECT_EQ(clEnqueueSVMMemcpy(queue(), CL_TRUE, a, host, 4, 1, &broken, nullptr),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(clEnqueueSVMMap(queue(), CL_TRUE, CL_MAP_READ, a, 4, 1, &broken, nullptr),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(clEnqueueSVMUnmap(queue(), a, 0, nullptr, nullptr), CL_INVALID_VALUE) << "the failed map left nothing";
  EXPECT_EQ(clEnqueueSVMUnmap(queue(), a, 1, nullptr, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  clReleaseEvent(foreign);
}

}  // namespace
}  // namespace skmd::test

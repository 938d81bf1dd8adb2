// SPDX-License-Identifier: Apache-2.0
// Kernels that are given addresses in shared virtual memory, or find them there.
#include <CL/cl.h>

#include <cstdint>
#include <numeric>

#include "tests/intercept/api/svm_fixture.h"

namespace skmd::test {
namespace {

using SvmKernel = Svm;
constexpr size_t kItems = 1 << 14;

std::vector<int> counted(size_t count, int first = 0) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

constexpr const char* kDirect = R"(
kernel void add(global int* a, constant int* b, int c) { size_t i = get_global_id(0); a[i] += b[i] * c; }
kernel void around(global int* out, global const int* in) { long i = get_global_id(0); out[i] = in[i - 3] + in[i]; }
kernel void back(global int* a) { long i = get_global_id(0); a[i - 5] = (int)i; }
kernel void optional(global int* a, global const int* b) { size_t i = get_global_id(0); a[i] = b != 0 ? b[i] : -1; }
kernel void every(global int* a, local int* l, int v) { a[get_global_id(0)] = v; })";

TEST_F(SvmKernel, TakesPointersIntoTheMiddle) {
  auto* const a = shared<int>(kItems);
  auto* const b = shared<int>(kItems + 128);
  put(b, counted(kItems + 128));
  cl_kernel add = kernel(kDirect, "add");
  const int factor = 2;
  ASSERT_EQ(clSetKernelArg(add, 2, sizeof factor, &factor), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(add, 0, a), CL_SUCCESS);
  for (const int place : {0, 1, 4, 32, 127, 128}) {
    put(a, std::vector<int>(kItems, 1));
    ASSERT_EQ(clSetKernelArgSVMPointer(add, 1, b + place), CL_SUCCESS);
    for (int again = 0; again < 3; ++again) ASSERT_EQ(run(add, kItems), CL_SUCCESS);
    map(a, kItems * 4, CL_MAP_READ);
    for (size_t i = 0; i < kItems; ++i) ASSERT_EQ(a[i], 1 + 3 * 2 * (static_cast<int>(i) + place)) << place;
    unmap(a);
  }
}

TEST_F(SvmKernel, MayReachBeforeThePointer) {
  auto* const in = shared<int>(kItems + 3);
  auto* const out = shared<int>(kItems + 5);
  put(in, counted(kItems + 3));
  put(out, std::vector<int>(kItems + 5, 1));
  cl_kernel around = kernel(kDirect, "around");
  ASSERT_EQ(clSetKernelArgSVMPointer(around, 0, out), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(around, 1, in + 3), CL_SUCCESS);
  ASSERT_EQ(run(around, kItems), CL_SUCCESS);
  const auto sums = got(out, kItems + 5);
  for (size_t i = 0; i < kItems; ++i) ASSERT_EQ(sums[i], 2 * static_cast<int>(i) + 3);
  EXPECT_EQ(sums[kItems], 1);
  cl_kernel back = kernel(kDirect, "back");
  ASSERT_EQ(clSetKernelArgSVMPointer(back, 0, out + 5), CL_SUCCESS);
  ASSERT_EQ(run(back, kItems), CL_SUCCESS);
  EXPECT_EQ(got(out, kItems), counted(kItems));
  ASSERT_EQ(clSetKernelArgSVMPointer(back, 0, out + kItems + 5), CL_SUCCESS) << "the end is an address";
  ASSERT_EQ(run(back, 5), CL_SUCCESS);
  EXPECT_EQ(got(out + kItems, 5), counted(5));
}

TEST_F(SvmKernel, TakesNull) {
  auto* const a = shared<int>(kItems);
  cl_kernel optional = kernel(kDirect, "optional");
  ASSERT_EQ(clSetKernelArgSVMPointer(optional, 0, a), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(optional, 1, nullptr), CL_SUCCESS);
  ASSERT_EQ(run(optional, kItems), CL_SUCCESS);
  EXPECT_EQ(got(a, kItems), std::vector<int>(kItems, -1));
}

TEST_F(SvmKernel, WrongPointersAreRefused) {
  auto* const a = shared<int>(16);
  int host = 0;
  cl_kernel every = kernel(kDirect, "every");
  EXPECT_EQ(clSetKernelArgSVMPointer(nullptr, 0, a), CL_INVALID_KERNEL);
  EXPECT_EQ(clSetKernelArgSVMPointer(every, 3, a), CL_INVALID_ARG_INDEX);
  EXPECT_EQ(clSetKernelArgSVMPointer(every, 0, &host), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(clSetKernelArgSVMPointer(every, 1, a), CL_INVALID_ARG_VALUE) << "local memory";
  EXPECT_EQ(clSetKernelArgSVMPointer(every, 2, a), CL_INVALID_ARG_VALUE) << "a value";
  void* const foreign = clSVMAlloc(other_context(), 0, 64, 0);
  EXPECT_EQ(clSetKernelArgSVMPointer(every, 0, foreign), CL_INVALID_ARG_VALUE);
  cl_context owner = other_context();
  clSVMFree(owner, foreign);
  EXPECT_EQ(clSetKernelArgSVMPointer(every, 0, a), CL_SUCCESS);
  EXPECT_EQ(run(every, 1), CL_INVALID_KERNEL_ARGS) << "others are not set";
}

TEST_F(SvmKernel, ExecInfoIsChecked) {
  auto* const a = shared<int>(16);
  cl_kernel every = kernel(kDirect, "every");
  const void* pointers[] = {a, a};
  const cl_bool yes = CL_TRUE, no = CL_FALSE;
  constexpr cl_kernel_exec_info kPointers = CL_KERNEL_EXEC_INFO_SVM_PTRS;
  constexpr cl_kernel_exec_info kSystem = CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM;
  EXPECT_EQ(clSetKernelExecInfo(nullptr, kPointers, sizeof pointers, pointers), CL_INVALID_KERNEL);
  EXPECT_EQ(clSetKernelExecInfo(every, 0x7777, sizeof pointers, pointers), CL_INVALID_VALUE);
  EXPECT_EQ(clSetKernelExecInfo(every, kPointers, sizeof pointers, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clSetKernelExecInfo(every, kPointers, 0, pointers), CL_INVALID_VALUE);
  EXPECT_EQ(clSetKernelExecInfo(every, kPointers, 12, pointers), CL_INVALID_VALUE);
  EXPECT_EQ(clSetKernelExecInfo(every, kPointers, sizeof pointers, pointers), CL_SUCCESS);
  EXPECT_EQ(clSetKernelExecInfo(every, kSystem, 1, &yes), CL_INVALID_VALUE);
  EXPECT_EQ(clSetKernelExecInfo(every, kSystem, sizeof yes, &yes), CL_INVALID_OPERATION);
  EXPECT_EQ(clSetKernelExecInfo(every, kSystem, sizeof no, &no), CL_SUCCESS);
}

struct Node {
  Node* next;
  cl_int value;
  cl_int seen;
};

constexpr const char* kLists = R"(
typedef struct node { global struct node* next; int value; int seen; } node;
kernel void walk(global node* head, global int* out) {
  int sum = 0;
  for (global node* n = head; n != 0; n = n->next) { sum += n->value; n->seen = n->value + 1; }
  *out = sum;
}
kernel void chain(global node* nodes, int count) {
  int i = get_global_id(0);
  nodes[i].next = i + 1 < count ? nodes + i + 1 : 0;
  nodes[i].value = i;
}
kernel void where(global char* p, global ulong* out) { *out = (ulong)p; }
kernel void through(global ulong* address) { *(global int*)(address[0]) = 77; })";

TEST_F(SvmKernel, FollowsAListAcrossAllocations) {
  constexpr int kNodes = 64;
  std::vector<Node*> nodes;
  for (int i = 0; i < kNodes; ++i) nodes.push_back(shared<Node>(1));
  const auto link = [&](int first) {
    for (int i = 0; i < kNodes; ++i) {
      map(nodes[i], sizeof(Node), CL_MAP_WRITE_INVALIDATE_REGION);
      *nodes[i] = {i + 1 < kNodes ? nodes[i + 1] : nullptr, first + i, 0};
      unmap(nodes[i]);
    }
  };
  auto* const out = shared<int>(1);
  cl_kernel walk = kernel(kLists, "walk");
  ASSERT_EQ(clSetKernelArgSVMPointer(walk, 0, nodes[0]), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(walk, 1, out), CL_SUCCESS);
  ASSERT_EQ(clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_SVM_PTRS, nodes.size() * sizeof(Node*), nodes.data()),
            CL_SUCCESS);
  cl_int status = CL_SUCCESS;
  cl_kernel clone = clCloneKernel(walk, &status);
  for (int round = 0; round < 4; ++round) {
    link(round);
    ASSERT_EQ(run(round % 2 == 0 ? walk : clone, 1), CL_SUCCESS);
    EXPECT_EQ(got(out, 1)[0], kNodes * (kNodes - 1) / 2 + kNodes * round);
    for (int i = 0; i < kNodes; ++i) {
      map(nodes[i], sizeof(Node), CL_MAP_READ);
      EXPECT_EQ(nodes[i]->seen, round + i + 1);
      unmap(nodes[i]);
    }
  }
  clReleaseKernel(clone);
}

// What only the list of clSetKernelExecInfo names is brought to the device's reach all the same.
TEST_F(SvmKernel, FollowsPointersToWhatOtherKernelsWrote) {
  auto* const nodes = shared<Node>(kItems);
  auto* const out = shared<int>(1);
  cl_kernel chain = kernel(kLists, "chain");
  const int count = kItems;
  ASSERT_EQ(clSetKernelArgSVMPointer(chain, 0, nodes), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(chain, 1, sizeof count, &count), CL_SUCCESS);
  ASSERT_EQ(run(chain, kItems), CL_SUCCESS);
  // Linked by the kernel, with no list set: all in the allocation that is the argument.
  cl_kernel walk = kernel(kLists, "walk");
  ASSERT_EQ(clSetKernelArgSVMPointer(walk, 0, nodes), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(walk, 1, out), CL_SUCCESS);
  ASSERT_EQ(run(walk, 1), CL_SUCCESS);
  EXPECT_EQ(got(out, 1)[0], count * (count - 1) / 2);
  map(nodes, kItems * sizeof(Node));
  for (int i = 0; i < count; ++i) {
    ASSERT_EQ(nodes[i].next, i + 1 < count ? nodes + i + 1 : nullptr) << "the application's own addresses";
    ASSERT_EQ(nodes[i].seen, i + 1);
  }
  unmap(nodes);
}

TEST_F(SvmKernel, SeesTheApplicationsAddresses) {
  auto* const bytes = shared<char>(kItems);
  auto* const out = shared<cl_ulong>(1);
  cl_kernel where = kernel(kLists, "where");
  ASSERT_EQ(clSetKernelArgSVMPointer(where, 1, out), CL_SUCCESS);
  for (const size_t offset : {size_t{0}, size_t{1}, size_t{8}, size_t{130}, kItems}) {
    ASSERT_EQ(clSetKernelArgSVMPointer(where, 0, bytes + offset), CL_SUCCESS);
    ASSERT_EQ(run(where, 1), CL_SUCCESS);
    EXPECT_EQ(got(out, 1)[0], reinterpret_cast<cl_ulong>(bytes + offset));
  }
}

TEST_F(SvmKernel, FollowsAnAddressInAnOrdinaryBuffer) {
  auto* const target = shared<int>(1);
  put(target, {1});
  const auto address = reinterpret_cast<cl_ulong>(target);
  cl_mem holder = buffer(sizeof address);
  ASSERT_EQ(clEnqueueWriteBuffer(queue(), holder, CL_TRUE, 0, sizeof address, &address, 0, nullptr, nullptr),
            CL_SUCCESS);
  cl_kernel through = kernel(kLists, "through");
  ASSERT_EQ(clSetKernelArg(through, 0, sizeof holder, &holder), CL_SUCCESS);
  const void* pointers[] = {target};
  ASSERT_EQ(clSetKernelExecInfo(through, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers), CL_SUCCESS);
  ASSERT_EQ(run(through, 1), CL_SUCCESS);
  EXPECT_EQ(got(target, 1)[0], 77);
}

}  // namespace
}  // namespace skmd::test

// SPDX-License-Identifier: Apache-2.0
// PTX that skmd-compile makes goes through the whole driver to a driver like NVIDIA's, the stub, which has a host
// function for it. Rung 2 on devices is forced. Each test is a process of its own.
#include <CL/cl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/stub-icd/control.h"
#include "tests/stub-icd/kernels.h"

namespace {

constexpr std::size_t kItems = 4096;
constexpr std::size_t kBytes = kItems * sizeof(cl_uint);

#define OK(call) ASSERT_EQ(call, CL_SUCCESS)

class MergeKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("OCL_ICD_VENDORS", MERGE_VENDORS, 1);
    setenv("SKMD_VENDORS", MERGE_REAL_VENDORS, 1);
    setenv("SKMD_TEST_CPU_DRIVER", "0", 1);  // these devices alone
    setenv("SKMD_CACHE_DIR", MERGE_CACHE, 1);
    setenv("SKMD_PARTITION", "equal", 1);
    setenv("SKMD_TEST_RUNGS", "kernel@device", 1);
    setenv("STUB_INFO", "VENDOR=NVIDIA Corporation", 1);
  }
  /// Three launches over one buffer; what it holds must be right.
  void scatter() {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    OK(clGetPlatformIDs(1, &platform, nullptr));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
    cl_int code = 1;
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    OK(code);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, nullptr, &code);
    OK(code);
    const char* source = stub::kKernelSource;
    cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &code);
    OK(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr));
    cl_kernel kernel = clCreateKernel(program, "stub_scatter", &code);
    OK(code);
    std::vector<cl_uint> wanted(kItems * 2, 7), index(kItems), found(kItems * 2);
    for (cl_uint i = 0; i < kItems; ++i) {
      index[i] = i * 389 % kItems * 2;  // every other element
      wanted[index[i]] = i;
    }
    const std::vector<cl_uint> old(kItems * 2, 7);
    cl_mem out = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 2 * kBytes, const_cast<cl_uint*>(old.data()), &code);
    OK(code);
    cl_mem where = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, kBytes, index.data(), &code);
    OK(code);
    OK(clSetKernelArg(kernel, 0, sizeof out, &out));
    OK(clSetKernelArg(kernel, 1, sizeof where, &where));
    for (int time = 0; time < 3; ++time)
      OK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kItems, nullptr, 0, nullptr, nullptr));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 2 * kBytes, found.data(), 0, nullptr, nullptr));
    EXPECT_EQ(found, wanted);
    for (cl_mem buffer : {out, where}) clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }
  static std::ptrdiff_t merges() {
    const std::vector<std::string> calls = stub::take_log();
    return std::count_if(calls.begin(), calls.end(), [](const std::string& call) {
      return call.starts_with("clEnqueueNDRangeKernel") && call.find("skmd_merge_stub_scatter") != std::string::npos;
    });
  }
};

TEST_F(MergeKernels, RunOnTheDevice) {
  scatter();
  EXPECT_EQ(merges(), 3);
}

TEST_F(MergeKernels, AreTheHostsWhereTheDriverRefusesThem) {
  stub::set_failure("clCreateProgramWithBinary:0:-42");
  scatter();
  EXPECT_EQ(merges(), 0);
}

TEST_F(MergeKernels, AreTheHostsWhereTheDriverDoesNotKnowThem) {
  stub::set_failure("clCreateKernel:3:-46");  // after the application's, one on each device
  scatter();
  EXPECT_EQ(merges(), 0);
}

}  // namespace

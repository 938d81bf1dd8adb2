// SPDX-License-Identifier: Apache-2.0
// Parts of a virtual device whose compute units are four threads of the CPU driver's.
#include <CL/cl.h>

#include <numeric>
#include <thread>

#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {
namespace {

using Property = cl_device_partition_property;
constexpr Property kEnd = CL_DEVICE_PARTITION_BY_COUNTS_LIST_END;
constexpr cl_uint kUnits = 4;

class SubDevices : public Driver {
 protected:
  std::vector<cl_device_id> parts(cl_device_id of, const std::vector<Property>& scheme) {
    cl_uint count = 0;
    EXPECT_EQ(clCreateSubDevices(of, scheme.data(), 0, nullptr, &count), CL_SUCCESS);
    std::vector<cl_device_id> made(count);
    EXPECT_EQ(clCreateSubDevices(of, scheme.data(), count, made.data(), nullptr), CL_SUCCESS);
    made_.insert(made_.end(), made.begin(), made.end());
    return made;
  }
  std::vector<cl_device_id> halves() { return parts(device(), {CL_DEVICE_PARTITION_EQUALLY, kUnits / 2, 0}); }
  cl_int refused(cl_device_id of, const std::vector<Property>& scheme) {
    cl_device_id out[8] = {};
    cl_uint count = 77;
    const cl_int code = clCreateSubDevices(of, scheme.data(), 8, out, &count);
    EXPECT_EQ(count, 77u);
    EXPECT_EQ(out[0], nullptr);
    return code;
  }
  template <class T>
  static T told(cl_device_id of, cl_device_info name) {
    T value{};
    EXPECT_EQ(clGetDeviceInfo(of, name, sizeof value, &value, nullptr), CL_SUCCESS);
    return value;
  }
  static std::vector<Property> list(cl_device_id of, cl_device_info name) {
    size_t bytes = 0;
    EXPECT_EQ(clGetDeviceInfo(of, name, 0, nullptr, &bytes), CL_SUCCESS);
    std::vector<Property> values(bytes / sizeof(Property));
    EXPECT_EQ(clGetDeviceInfo(of, name, bytes, values.data(), nullptr), CL_SUCCESS);
    return values;
  }
  cl_context context_of(const std::vector<cl_device_id>& devices) {
    cl_int status = CL_SUCCESS;
    cl_context made =
        clCreateContext(nullptr, static_cast<cl_uint>(devices.size()), devices.data(), nullptr, nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    contexts_.push_back(made);
    return made;
  }
  cl_command_queue queue_of(cl_context context, cl_device_id of) {
    cl_int status = CL_SUCCESS;
    cl_command_queue made = clCreateCommandQueueWithProperties(context, of, nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    queues_.push_back(made);
    return made;
  }
  static cl_program program_of(cl_context context) {
    const char* text = "kernel void add(global int* a, int v) { a[get_global_id(0)] += v; }";
    cl_int status = CL_SUCCESS;
    cl_program made = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return made;
  }
  void TearDown() override {
    for (cl_command_queue queue : queues_) clReleaseCommandQueue(queue);
    for (cl_context context : contexts_) clReleaseContext(context);
    for (cl_device_id part : made_) clReleaseDevice(part);
    Driver::TearDown();
  }

 private:
  std::vector<cl_device_id> made_;
  std::vector<cl_context> contexts_;
  std::vector<cl_command_queue> queues_;
};

TEST_F(SubDevices, AreOffered) {
  EXPECT_EQ(told<cl_uint>(device(), CL_DEVICE_MAX_COMPUTE_UNITS), kUnits);
  EXPECT_EQ(told<cl_uint>(device(), CL_DEVICE_PARTITION_MAX_SUB_DEVICES), kUnits);
  EXPECT_EQ(list(device(), CL_DEVICE_PARTITION_PROPERTIES),
            (std::vector<Property>{CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS}));
  EXPECT_EQ(told<cl_device_id>(device(), CL_DEVICE_PARENT_DEVICE), nullptr);
  EXPECT_TRUE(list(device(), CL_DEVICE_PARTITION_TYPE).empty());
  EXPECT_EQ(told<cl_device_affinity_domain>(device(), CL_DEVICE_PARTITION_AFFINITY_DOMAIN), 0u);
}

TEST_F(SubDevices, AreMadeEqually) {
  EXPECT_EQ(parts(device(), {CL_DEVICE_PARTITION_EQUALLY, 1, 0}).size(), 4u);
  const auto one = parts(device(), {CL_DEVICE_PARTITION_EQUALLY, 3, 0});
  ASSERT_EQ(one.size(), 1u) << "what does not divide evenly is left out";
  EXPECT_EQ(told<cl_uint>(one[0], CL_DEVICE_MAX_COMPUTE_UNITS), 3u);
  EXPECT_EQ(list(one[0], CL_DEVICE_PARTITION_TYPE), (std::vector<Property>{CL_DEVICE_PARTITION_EQUALLY, 3, 0}));
  EXPECT_EQ(told<cl_device_id>(one[0], CL_DEVICE_PARENT_DEVICE), device());
  EXPECT_EQ(told<cl_uint>(one[0], CL_DEVICE_REFERENCE_COUNT), 1u);
  EXPECT_EQ(told<cl_uint>(one[0], CL_DEVICE_PARTITION_MAX_SUB_DEVICES), 3u);
  EXPECT_EQ(told<cl_platform_id>(one[0], CL_DEVICE_PLATFORM), platform());
  EXPECT_EQ(told<cl_ulong>(one[0], CL_DEVICE_MAX_MEM_ALLOC_SIZE),
            told<cl_ulong>(device(), CL_DEVICE_MAX_MEM_ALLOC_SIZE));
}

TEST_F(SubDevices, AreMadeByCountsAndNest) {
  const std::vector<Property> scheme{CL_DEVICE_PARTITION_BY_COUNTS, 3, 1, kEnd, 0};
  const auto two = parts(device(), scheme);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(told<cl_uint>(two[0], CL_DEVICE_MAX_COMPUTE_UNITS), 3u);
  EXPECT_EQ(told<cl_uint>(two[1], CL_DEVICE_MAX_COMPUTE_UNITS), 1u);
  EXPECT_EQ(list(two[1], CL_DEVICE_PARTITION_TYPE), scheme);
  EXPECT_EQ(list(two[1], CL_DEVICE_PARTITION_PROPERTIES), std::vector<Property>{0}) << "one unit is no two parts";
  EXPECT_EQ(told<cl_uint>(two[1], CL_DEVICE_PARTITION_MAX_SUB_DEVICES), 0u);
  const auto nested = parts(two[0], {CL_DEVICE_PARTITION_BY_COUNTS, 2, kEnd, 0});
  ASSERT_EQ(nested.size(), 1u);
  EXPECT_EQ(told<cl_uint>(nested[0], CL_DEVICE_MAX_COMPUTE_UNITS), 2u);
  EXPECT_EQ(told<cl_device_id>(nested[0], CL_DEVICE_PARENT_DEVICE), two[0]);
  EXPECT_EQ(refused(two[1], {CL_DEVICE_PARTITION_EQUALLY, 1, 0}), CL_DEVICE_PARTITION_FAILED);
  EXPECT_EQ(refused(two[0], {CL_DEVICE_PARTITION_EQUALLY, 4, 0}), CL_DEVICE_PARTITION_FAILED);
}

TEST_F(SubDevices, WrongSchemesAreRefused) {
  const auto at_root = [&](const std::vector<Property>& scheme) { return refused(device(), scheme); };
  EXPECT_EQ(at_root({0}), CL_INVALID_VALUE);
  EXPECT_EQ(clCreateSubDevices(device(), nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(at_root({CL_DEVICE_PARTITION_EQUALLY, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(at_root({CL_DEVICE_PARTITION_EQUALLY, -1, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(at_root({CL_DEVICE_PARTITION_EQUALLY, 1, CL_DEVICE_PARTITION_EQUALLY, 1, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(at_root({CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(at_root({0x7777, 1, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(at_root({CL_DEVICE_PARTITION_EQUALLY, kUnits + 1, 0}), CL_DEVICE_PARTITION_FAILED);
  EXPECT_EQ(at_root({CL_DEVICE_PARTITION_BY_COUNTS, kEnd, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(at_root({CL_DEVICE_PARTITION_BY_COUNTS, kUnits + 1, kEnd, 0}), CL_INVALID_DEVICE_PARTITION_COUNT);
  EXPECT_EQ(at_root({CL_DEVICE_PARTITION_BY_COUNTS, 2, 2, 1, kEnd, 0}), CL_INVALID_DEVICE_PARTITION_COUNT);
  EXPECT_EQ(at_root({CL_DEVICE_PARTITION_BY_COUNTS, 1, -1, kEnd, 0}), CL_INVALID_DEVICE_PARTITION_COUNT);
  EXPECT_EQ(at_root({CL_DEVICE_PARTITION_BY_COUNTS, Property{1} << 40, Property{1} << 62, kEnd, 0}),
            CL_INVALID_DEVICE_PARTITION_COUNT);
  const Property ones[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id out[2] = {};
  EXPECT_EQ(clCreateSubDevices(device(), ones, 2, out, nullptr), CL_INVALID_VALUE) << "there are four";
  EXPECT_EQ(out[0], nullptr);
}

TEST_F(SubDevices, AreCounted) {
  cl_device_id part = nullptr;
  const Property scheme[] = {CL_DEVICE_PARTITION_BY_COUNTS, 2, kEnd, 0};
  ASSERT_EQ(clCreateSubDevices(device(), scheme, 1, &part, nullptr), CL_SUCCESS);
  ASSERT_EQ(clRetainDevice(part), CL_SUCCESS);
  EXPECT_EQ(told<cl_uint>(part, CL_DEVICE_REFERENCE_COUNT), 2u);
  ASSERT_EQ(clReleaseDevice(part), CL_SUCCESS);
  // A context keeps it, whose queries hand it out.
  cl_context context = context_of({part});
  ASSERT_EQ(clReleaseDevice(part), CL_SUCCESS);
  EXPECT_EQ(clReleaseDevice(part), CL_INVALID_DEVICE);
  cl_device_id listed = nullptr;
  ASSERT_EQ(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof listed, &listed, nullptr), CL_SUCCESS);
  EXPECT_EQ(listed, part);
  EXPECT_EQ(told<cl_uint>(part, CL_DEVICE_MAX_COMPUTE_UNITS), 2u);
  cl_device_id gone = nullptr;
  ASSERT_EQ(clCreateSubDevices(device(), scheme, 1, &gone, nullptr), CL_SUCCESS);
  ASSERT_EQ(clReleaseDevice(gone), CL_SUCCESS);
  cl_uint units = 0;
  EXPECT_EQ(clGetDeviceInfo(gone, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr), CL_INVALID_DEVICE);
}

TEST_F(SubDevices, BelongToContexts) {
  const auto two = halves();
  cl_context both = context_of({two[0], two[1], two[0]});
  cl_uint count = 0;
  clGetContextInfo(both, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, nullptr);
  EXPECT_EQ(count, 2u) << "each once";
  std::vector<cl_device_id> listed(2);
  ASSERT_EQ(clGetContextInfo(both, CL_CONTEXT_DEVICES, 2 * sizeof(cl_device_id), listed.data(), nullptr), CL_SUCCESS);
  EXPECT_EQ(listed, two);
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(clCreateCommandQueueWithProperties(both, device(), nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_DEVICE) << "the parent is not in the context";
  EXPECT_EQ(clCreateCommandQueueWithProperties(context(), two[0], nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_DEVICE);
  cl_command_queue queue = queue_of(both, two[1]);
  cl_device_id of = nullptr;
  clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof of, &of, nullptr);
  EXPECT_EQ(of, two[1]);
  EXPECT_EQ(clBuildProgram(program("kernel void k() {}"), 1, &two[0], "", nullptr, nullptr), CL_INVALID_DEVICE);
}

TEST_F(SubDevices, RunKernelsSideBySideOverOneBuffer) {
  constexpr size_t kItems = 1 << 14;
  constexpr int kRounds = 20;
  auto devices = halves();
  devices.push_back(device());
  cl_context all = context_of(devices);
  cl_program program = program_of(all);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  cl_int status = CL_SUCCESS;
  cl_mem memory = clCreateBuffer(all, CL_MEM_READ_WRITE, kItems * 4, nullptr, &status);
  const int zero = 0;
  cl_command_queue first = queue_of(all, device());
  ASSERT_EQ(clEnqueueFillBuffer(first, memory, &zero, sizeof zero, 0, kItems * 4, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clFinish(first), CL_SUCCESS);
  const auto work = [&](cl_device_id of, int value) {
    cl_int made = CL_SUCCESS;
    cl_command_queue queue = clCreateCommandQueueWithProperties(all, of, nullptr, &made);
    cl_kernel add = clCreateKernel(program, "add", &made);
    EXPECT_EQ(clSetKernelArg(add, 0, sizeof memory, &memory), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(add, 1, sizeof value, &value), CL_SUCCESS);
    for (int round = 0; round < kRounds; ++round)
      EXPECT_EQ(clEnqueueNDRangeKernel(queue, add, 1, nullptr, &kItems, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    clReleaseKernel(add);
    clReleaseCommandQueue(queue);
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < devices.size(); ++i) threads.emplace_back(work, devices[i], 1 << i);
  for (std::thread& thread : threads) thread.join();
  std::vector<int> seen(kItems);
  ASSERT_EQ(clEnqueueReadBuffer(first, memory, CL_TRUE, 0, kItems * 4, seen.data(), 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, std::vector<int>(kItems, 7 * kRounds));
  clReleaseMemObject(memory);
  clReleaseProgram(program);
}

TEST_F(SubDevices, HaveTheProgramsThatWereBuiltForThem) {
  const auto two = halves();
  cl_context both = context_of(two);
  cl_program program = program_of(both);
  const auto status_of = [&](cl_device_id of) {
    cl_build_status status = 99;
    EXPECT_EQ(clGetProgramBuildInfo(program, of, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, nullptr), CL_SUCCESS);
    return status;
  };
  cl_uint count = 0;
  clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, nullptr);
  EXPECT_EQ(count, 2u);
  ASSERT_EQ(clBuildProgram(program, 1, &two[1], "-DA", nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(status_of(two[0]), CL_BUILD_NONE);
  EXPECT_EQ(status_of(two[1]), CL_BUILD_SUCCESS);
  std::vector<size_t> sizes(2);
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size_t) * 2, sizes.data(), nullptr), CL_SUCCESS);
  EXPECT_EQ(sizes[0], 0u);
  EXPECT_GT(sizes[1], 0u);
  std::vector<unsigned char> binary(sizes[1]);
  unsigned char* targets[] = {nullptr, binary.data()};
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof targets, targets, nullptr), CL_SUCCESS);

  cl_int status = CL_SUCCESS;
  cl_kernel add = clCreateKernel(program, "add", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  cl_mem memory = clCreateBuffer(both, CL_MEM_READ_WRITE, 256, nullptr, &status);
  const int one = 1;
  clSetKernelArg(add, 0, sizeof memory, &memory);
  clSetKernelArg(add, 1, sizeof one, &one);
  const size_t items = 64;
  const auto run = [&](cl_device_id of) {
    return clEnqueueNDRangeKernel(queue_of(both, of), add, 1, nullptr, &items, nullptr, 0, nullptr, nullptr);
  };
  EXPECT_EQ(run(two[0]), CL_INVALID_PROGRAM_EXECUTABLE);
  EXPECT_EQ(run(two[1]), CL_SUCCESS);
  size_t group = 0;
  EXPECT_EQ(clGetKernelWorkGroupInfo(add, nullptr, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, nullptr),
            CL_INVALID_DEVICE)
      << "there are two";
  EXPECT_EQ(clGetKernelWorkGroupInfo(add, two[1], CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(clGetKernelWorkGroupInfo(add, device(), CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, nullptr),
            CL_INVALID_DEVICE);
  clReleaseKernel(add);
  // The same options: one build serves both. Others: it is a new one.
  ASSERT_EQ(clBuildProgram(program, 1, &two[0], "-DA", nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(status_of(two[1]), CL_BUILD_SUCCESS);
  ASSERT_EQ(clBuildProgram(program, 1, &two[0], "-DB", nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(status_of(two[1]), CL_BUILD_NONE);
  const unsigned char* bytes = binary.data();
  cl_program loaded = clCreateProgramWithBinary(both, 1, &two[1], &sizes[1], &bytes, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  cl_device_id of = nullptr;
  ASSERT_EQ(clGetProgramInfo(loaded, CL_PROGRAM_DEVICES, sizeof of, &of, nullptr), CL_SUCCESS);
  EXPECT_EQ(of, two[1]);
  EXPECT_EQ(clBuildProgram(loaded, 1, &two[0], "", nullptr, nullptr), CL_INVALID_DEVICE);
  clReleaseProgram(loaded);
  clReleaseMemObject(memory);
  clReleaseProgram(program);
}

}  // namespace
}  // namespace skmd::test

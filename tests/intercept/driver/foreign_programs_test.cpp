// SPDX-License-Identifier: Apache-2.0
// Programs that one vendor's driver takes and our CPU driver has no code for, where there is no other CPU driver and
// the anchor is ours: they run where they run without us.
#include <CL/cl.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

constexpr std::size_t kItems = 256;

#define OK(call) ASSERT_EQ(call, CL_SUCCESS)

class ForeignPrograms : public testing::Test {
 protected:
  void SetUp() override {
    cl_platform_id platform = nullptr;
    OK(clGetPlatformIDs(1, &platform, nullptr));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr));
    cl_int code = 0;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
    OK(code);
    queue_ = clCreateCommandQueue(context_, device_, 0, &code);
    OK(code);
  }
  void TearDown() override {
    EXPECT_EQ(clReleaseProgram(program_), CL_SUCCESS);
    OK(clReleaseCommandQueue(queue_));
    OK(clReleaseContext(context_));
  }
  cl_program source(const char* text) {
    cl_int code = 0;
    cl_program program = clCreateProgramWithSource(context_, 1, &text, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return program;
  }
  void build(const char* text) {
    program_ = source(text);
    OK(clBuildProgram(program_, 0, nullptr, "", nullptr, nullptr));
  }
  std::string log() {
    std::size_t size = 0;
    EXPECT_EQ(clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size), CL_SUCCESS);
    std::string text(size, '\0');
    EXPECT_EQ(clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, size, text.data(), nullptr), CL_SUCCESS);
    return text;
  }
  /// Launches the kernel of one argument over a buffer of zeros, three times, and gives what is there then.
  std::vector<cl_uint> run(const char* name) {
    cl_int code = 0;
    cl_kernel kernel = clCreateKernel(program_, name, &code);
    EXPECT_EQ(code, CL_SUCCESS) << name;
    std::vector<cl_uint> numbers(kItems, 0);
    cl_mem buffer = clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, kItems * sizeof(cl_uint), numbers.data(), &code);
    EXPECT_EQ(code, CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &kItems, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(
        clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, kItems * sizeof(cl_uint), numbers.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
    EXPECT_EQ(clReleaseKernel(kernel), CL_SUCCESS);
    return numbers;
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
};

const std::vector<cl_uint> kThree(kItems, 3);

TEST_F(ForeignPrograms, AVendorsOwnFunction) {
  build("kernel void stub_count(global uint* counts) { counts[get_global_id(0)] += __nvvm_one(); }");
  EXPECT_NE(log().find("takes no part"), std::string::npos) << log();
  EXPECT_EQ(run("stub_count"), kThree);
}

TEST_F(ForeignPrograms, AVendorsOwnAssembly) {
  build(R"(kernel void stub_count(global uint* counts) {
    uint one;
    asm volatile("mov.u32 %0, 1;" : "=r"(one));
    counts[get_global_id(0)] += one;
  })");
  EXPECT_EQ(run("stub_count"), kThree);
}

TEST_F(ForeignPrograms, AKernelWithoutCodeOfOursBesideOneWithIt) {
  build(R"(kernel void stub_count(global uint* counts) {
    uint one;
    __asm__ volatile("mov.u32 %0, 1;" : "=r"(one));
    counts[get_global_id(0)] += one;
  }
  kernel void stub_count_plainly(global uint* counts) { counts[get_global_id(0)] += 1; })");
  EXPECT_EQ(run("stub_count"), kThree);
  EXPECT_EQ(run("stub_count_plainly"), kThree);
}

TEST_F(ForeignPrograms, UnitsThatAreNotOneTextWhenJoined) {
  cl_program one = source(R"(typedef struct { uint n; } box;
  static uint step(void) { box b = {1}; return b.n; }
  kernel void stub_count(global uint* counts) { counts[get_global_id(0)] += step(); })");
  cl_program two = source(R"(typedef struct { ulong n; } box;
  static uint same(uint step) { return step; }
  static ulong step(void) { box b = {1}; return b.n; }
  kernel void stub_count_too(global uint* counts) { counts[get_global_id(0)] += same((uint)step()); })");
  for (cl_program unit : {one, two}) OK(clCompileProgram(unit, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr));
  const cl_program units[] = {one, two};
  cl_int code = 0;
  program_ = clLinkProgram(context_, 0, nullptr, "", 2, units, nullptr, nullptr, &code);
  EXPECT_EQ(code, CL_SUCCESS) << log();
  EXPECT_NE(log().find("takes no part"), std::string::npos) << log();
  EXPECT_EQ(run("stub_count"), kThree);
  EXPECT_EQ(run("stub_count_too"), kThree);
  for (cl_program unit : {one, two}) OK(clReleaseProgram(unit));
}

}  // namespace

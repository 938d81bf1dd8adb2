// SPDX-License-Identifier: Apache-2.0
// The virtual device over real ones of odd shape: what it reports is what it keeps. Each test is a process of its own.
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/stub-icd/kernels.h"

namespace {

#define OK(call) ASSERT_EQ(call, CL_SUCCESS)

class OddDevices : public ::testing::Test {
 protected:
  /// STUB_INFO, and the kinds of the devices.
  static void choose(const char* info, const char* kinds) {
    setenv("OCL_ICD_VENDORS", ODD_VENDORS, 1);
    setenv("SKMD_VENDORS", ODD_REAL_VENDORS, 1);
    setenv("SKMD_TEST_CPU_DRIVER", "0", 1);  // these devices alone
    setenv("SKMD_CACHE_DIR", ODD_CACHE, 1);
    setenv("SKMD_PARTITION", "equal", 1);
    setenv("STUB_INFO", info, 1);
    setenv("STUB_DEVICES", kinds, 1);
  }
  void open(const char* info, const char* kinds = "gpu,gpu") {
    choose(info, kinds);
    OK(clGetPlatformIDs(1, &platform, nullptr));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
    cl_int code = 1;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    OK(code);
    queue = clCreateCommandQueueWithProperties(context, device, nullptr, &code);
    OK(code);
    runs();
  }
  void TearDown() override {
    if (queue != nullptr) clReleaseCommandQueue(queue);
    if (context != nullptr) clReleaseContext(context);
  }
  template <class T>
  T ask(cl_device_info name) {
    T value{};
    EXPECT_EQ(clGetDeviceInfo(device, name, sizeof value, &value, nullptr), CL_SUCCESS) << std::hex << name;
    return value;
  }
  std::string description() {
    using Describe = cl_int (*)(cl_platform_id, size_t, char*, size_t*);
    const auto describe =
        reinterpret_cast<Describe>(clGetExtensionFunctionAddressForPlatform(platform, "clSkmdDescribe"));
    std::string text(1 << 16, '\0');
    EXPECT_EQ(describe(platform, text.size(), text.data(), nullptr), CL_SUCCESS);
    return text.c_str();
  }
  /// A kernel with the largest group that is reported, over a sub-buffer at the alignment that is reported.
  void runs() {
    cl_int code = 1;
    const char* source = stub::kKernelSource;
    cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &code);
    OK(code);
    OK(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr));
    cl_kernel kernel = clCreateKernel(program, "stub_fill", &code);
    OK(code);
    const auto sizes = ask<std::array<size_t, 3>>(CL_DEVICE_MAX_WORK_ITEM_SIZES);
    const size_t local = std::min(ask<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE), sizes[0]), items = 8 * local;
    const size_t align = ask<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, align + 4 * items, nullptr, &code);
    OK(code);
    const cl_buffer_region region{align, 4 * items};
    cl_mem view = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    OK(code);
    const cl_uint value = 17;
    OK(clSetKernelArg(kernel, 0, sizeof view, &view));
    OK(clSetKernelArg(kernel, 1, sizeof value, &value));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, &local, 0, nullptr, nullptr));
    std::vector<cl_uint> seen(items);
    OK(clEnqueueReadBuffer(queue, view, CL_TRUE, 0, 4 * items, seen.data(), 0, nullptr, nullptr));
    EXPECT_EQ(seen, std::vector<cl_uint>(items, 17));
    for (cl_mem memory : {view, buffer}) OK(clReleaseMemObject(memory));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
  }
  cl_int make_image() {
    const cl_image_format format{CL_RGBA, CL_UNORM_INT8};
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = desc.image_height = 16;
    cl_int code = 1;
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, nullptr, &code);
    if (image != nullptr) clReleaseMemObject(image);
    return code;
  }

  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
};

TEST_F(OddDevices, OneOf32BitsIsLeftOut) {
  open("1:ADDRESS_BITS=32");
  const std::string text = description();
  EXPECT_NE(text.find("addresses of 32 bits"), std::string::npos) << text;
  EXPECT_NE(text.find("SKMD (Stub GPU 0) "), std::string::npos) << text;
}

TEST_F(OddDevices, WithNoneThatFitsThereIsNoPlatform) {
  choose("0:ENDIAN_LITTLE=0,1:PROFILE=EMBEDDED_PROFILE,2:COMPILER_AVAILABLE=0,3:AVAILABLE=0", "4");
  EXPECT_EQ(clGetPlatformIDs(1, &platform, nullptr), CL_PLATFORM_NOT_FOUND_KHR);
}

TEST_F(OddDevices, OfOtherGroupSizesTheLeastCounts) {
  open("0:MAX_WORK_GROUP_SIZE=256,1:MAX_WORK_ITEM_SIZES=128x512x32");
  EXPECT_EQ(ask<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE), 256u);
  EXPECT_EQ((ask<std::array<size_t, 3>>(CL_DEVICE_MAX_WORK_ITEM_SIZES)), (std::array<size_t, 3>{128, 512, 32}));
}

TEST_F(OddDevices, GroupsMayBeLargerThanADriverSaysThatDoesNotKeepToIt) {
  open("VENDOR=NVIDIA Corporation");  // runs groups of 1024
  EXPECT_EQ(ask<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE), 1024u);
}

TEST_F(OddDevices, OfFourDimensionsTheFirstThreeCount) {
  open("MAX_WORK_ITEM_SIZES=64x32x16x8");
  EXPECT_EQ((ask<std::array<size_t, 3>>(CL_DEVICE_MAX_WORK_ITEM_SIZES)), (std::array<size_t, 3>{64, 32, 16}));
}

TEST_F(OddDevices, WithoutImagesBesideOneWithThemLeaveThem) {
  open("0:IMAGE_SUPPORT=0");
  EXPECT_EQ(ask<cl_bool>(CL_DEVICE_IMAGE_SUPPORT), cl_bool{CL_TRUE});
  EXPECT_EQ(make_image(), CL_SUCCESS);
}

TEST_F(OddDevices, WithoutImagesAnywhereRefuseThem) {
  open("IMAGE_SUPPORT=0");
  EXPECT_EQ(ask<cl_bool>(CL_DEVICE_IMAGE_SUPPORT), cl_bool{CL_FALSE});
  EXPECT_EQ(ask<size_t>(CL_DEVICE_IMAGE2D_MAX_WIDTH), 0u);
  EXPECT_EQ(make_image(), CL_INVALID_OPERATION);
}

TEST_F(OddDevices, WithImagesOfNoSizeCountAsThoseWithoutThem) {
  open("0:IMAGE2D_MAX_WIDTH=0");
  EXPECT_EQ(make_image(), CL_SUCCESS);
}

TEST_F(OddDevices, WithImagesOfNoSizeAnywhereRefuseThem) {
  open("IMAGE2D_MAX_WIDTH=0");
  EXPECT_EQ(ask<cl_bool>(CL_DEVICE_IMAGE_SUPPORT), cl_bool{CL_FALSE});
  EXPECT_EQ(make_image(), CL_INVALID_OPERATION);
}

TEST_F(OddDevices, WithoutDoublesAnywhereDefineNoMacro) {
  open("DOUBLE_FP_CONFIG=0,EXTENSIONS=cl_khr_byte_addressable_store");
  EXPECT_EQ(ask<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG), 0u);
  EXPECT_EQ(ask<cl_uint>(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE), 0u);
  const char* source = "#ifdef cl_khr_fp64\n#error\n#endif\nkernel void k(global int* out) { *out = 1; }";
  cl_int code = 1;
  cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &code);
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  clReleaseProgram(program);
}

TEST_F(OddDevices, OfOtherVersionsMakeOneOfOpenCl3) {
  open("0:VERSION=OpenCL 3.0 a,1:VERSION=OpenCL 2.0 b,0:MAX_NUM_SUB_GROUPS=32,0:ATOMIC_MEMORY_CAPABILITIES=127");
  std::array<char, 256> text{};
  OK(clGetDeviceInfo(device, CL_DEVICE_VERSION, text.size(), text.data(), nullptr));
  EXPECT_EQ(std::string(text.data()).rfind("OpenCL 3.0 SKMD", 0), 0u);
  EXPECT_EQ(ask<cl_uint>(CL_DEVICE_MAX_NUM_SUB_GROUPS), 0u);
  EXPECT_EQ(ask<cl_device_atomic_capabilities>(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES),
            cl_device_atomic_capabilities{CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP});
}

TEST_F(OddDevices, WhoseDriversDoNotKnowEveryQueryStillWork) {
  open(
      "MAX_CLOCK_FREQUENCY=none,PRINTF_BUFFER_SIZE=none,PREFERRED_WORK_GROUP_SIZE_MULTIPLE=none,"
      "MIN_DATA_TYPE_ALIGN_SIZE=none,GLOBAL_MEM_CACHELINE_SIZE=none,EXTENSIONS=none");
  EXPECT_EQ(ask<cl_uint>(CL_DEVICE_MAX_CLOCK_FREQUENCY), 1u);
  EXPECT_EQ(ask<size_t>(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE), 1u);
  EXPECT_EQ(ask<cl_uint>(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE), 128u);
}

TEST_F(OddDevices, OfOddAlignmentsTakeViewsThatServeBoth) {
  open("0:MEM_BASE_ADDR_ALIGN=3072,1:MEM_BASE_ADDR_ALIGN=2048");
  EXPECT_EQ(ask<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN), 6144u);
}

TEST_F(OddDevices, OfOtherMemoriesReportTheAnchorsAndRefuseMore) {
  open("0:MAX_MEM_ALLOC_SIZE=134217728,0:GLOBAL_MEM_SIZE=536870912,1:MAX_MEM_ALLOC_SIZE=33554432", "gpu,cpu");
  EXPECT_EQ(ask<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE), cl_ulong{134217728});
  cl_int code = 1;
  EXPECT_EQ(clCreateBuffer(context, 0, 134217729, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_BUFFER_SIZE);
}

TEST_F(OddDevices, OfOtherKindsAreOneOfTheStrongest) {
  open("", "cpu,accelerator,gpu");
  EXPECT_EQ(ask<cl_device_type>(CL_DEVICE_TYPE), cl_device_type{CL_DEVICE_TYPE_GPU});
}

}  // namespace

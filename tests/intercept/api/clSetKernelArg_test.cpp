// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {
namespace {

class ClSetKernelArg : public Driver {
 protected:
  cl_int read_first(cl_mem memory) {
    cl_int value = -1;
    EXPECT_EQ(clEnqueueReadBuffer(queue(), memory, CL_TRUE, 0, sizeof value, &value, 0, nullptr, nullptr), CL_SUCCESS);
    return value;
  }
  cl_int run(cl_kernel kernel) {
    const size_t one = 1;
    return clEnqueueNDRangeKernel(queue(), kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr);
  }
};

constexpr char kStore[] = "kernel void k(global int* out, int value) { *out = value; }";

TEST_F(ClSetKernelArg, TheIndexIsChecked) {
  cl_kernel made = kernel(kStore, "k");
  const cl_int value = 1;
  EXPECT_EQ(clSetKernelArg(made, 2, sizeof value, &value), CL_INVALID_ARG_INDEX);
  EXPECT_EQ(clSetKernelArg(foreign_handle<cl_kernel>(platform()), 0, sizeof value, &value), CL_INVALID_KERNEL);
}

TEST_F(ClSetKernelArg, HiddenParametersAreNotArguments) {
  cl_kernel made = kernel("kernel void k(global int* out) { out[get_group_id(0)] = (int)get_num_groups(0); }", "k");
  cl_uint count = 0;
  EXPECT_EQ(clGetKernelInfo(made, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr), CL_SUCCESS);
  EXPECT_EQ(count, 1u);
  char record[128] = "";
  EXPECT_EQ(clSetKernelArg(made, 1, 120, record), CL_INVALID_ARG_INDEX);
}

TEST_F(ClSetKernelArg, ValuesAreCheckedBySize) {
  cl_kernel made = kernel(kStore, "k");
  const cl_long value = 1;
  EXPECT_EQ(clSetKernelArg(made, 1, 8, &value), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(clSetKernelArg(made, 1, 2, &value), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(clSetKernelArg(made, 1, 0, &value), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(clSetKernelArg(made, 1, 4, nullptr), CL_INVALID_ARG_VALUE);
}

TEST_F(ClSetKernelArg, AFailedSetKeepsTheOldValue) {
  cl_kernel made = kernel(kStore, "k");
  cl_mem out = buffer(4);
  const cl_int value = 5;
  const cl_long wrong = 9;
  ASSERT_EQ(clSetKernelArg(made, 0, sizeof out, &out), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(made, 1, sizeof value, &value), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(made, 1, sizeof wrong, &wrong), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(clSetKernelArg(made, 0, 4, &out), CL_INVALID_ARG_SIZE);
  ASSERT_EQ(run(made), CL_SUCCESS);
  EXPECT_EQ(read_first(out), 5);
}

TEST_F(ClSetKernelArg, VectorsOfThreeTakeTwelveAndSixteenBytes) {
  cl_kernel made = kernel("kernel void k(global int* out, int3 v) { *out = v.x + v.y + v.z; }", "k");
  cl_mem out = buffer(4);
  const cl_int value[4] = {1, 20, 300, 4000};
  ASSERT_EQ(clSetKernelArg(made, 0, sizeof out, &out), CL_SUCCESS);
  for (const size_t size : {size_t{12}, size_t{16}}) {
    ASSERT_EQ(clSetKernelArg(made, 1, size, value), CL_SUCCESS) << size;
    ASSERT_EQ(run(made), CL_SUCCESS);
    EXPECT_EQ(read_first(out), 321);
  }
  EXPECT_EQ(clSetKernelArg(made, 1, 8, value), CL_INVALID_ARG_SIZE);
}

TEST_F(ClSetKernelArg, StructsArriveByteForByte) {
  cl_kernel made = kernel(
      "typedef struct { char a; int b; short c; } S; kernel void k(global int* out, S s) { *out = s.a + s.b + s.c; }",
      "k");
  struct S {
    cl_char a;
    cl_int b;
    cl_short c;
  } value{1, 20, 300};
  cl_mem out = buffer(4);
  ASSERT_EQ(clSetKernelArg(made, 0, sizeof out, &out), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(made, 1, sizeof value, &value), CL_SUCCESS);
  ASSERT_EQ(run(made), CL_SUCCESS);
  EXPECT_EQ(read_first(out), 321);
}

TEST_F(ClSetKernelArg, StructsOfAnotherSizeAreRefused) {
  cl_kernel made = kernel(
      "struct s { int a; long b; }; kernel void k(global int* out, struct s value) { *out = (int)(value.a + value.b); "
      "}",
      "k");
  struct {
    alignas(8) cl_int a;
    cl_long b;
  } value{2, 40};
  const std::vector<unsigned char> bytes(64);
  cl_mem out = buffer(4);
  ASSERT_EQ(clSetKernelArg(made, 0, sizeof out, &out), CL_SUCCESS);
  for (const size_t size : {size_t{0}, size_t{4}, size_t{12}, size_t{15}, size_t{17}, size_t{64}})
    EXPECT_EQ(clSetKernelArg(made, 1, size, bytes.data()), CL_INVALID_ARG_SIZE) << size;
  EXPECT_EQ(run(made), CL_INVALID_KERNEL_ARGS) << "none of these was taken";
  ASSERT_EQ(clSetKernelArg(made, 1, sizeof value, &value), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(made, 1, 4, bytes.data()), CL_INVALID_ARG_SIZE);
  ASSERT_EQ(run(made), CL_SUCCESS);
  EXPECT_EQ(read_first(out), 42);
}

TEST_F(ClSetKernelArg, BuffersMayBeNullTwice) {
  cl_kernel made = kernel("kernel void k(global int* out, global int* other) { *out = other == 0; }", "k");
  cl_mem out = buffer(4), none = nullptr;
  ASSERT_EQ(clSetKernelArg(made, 0, sizeof out, &out), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(made, 1, sizeof none, &none), CL_SUCCESS);
  ASSERT_EQ(run(made), CL_SUCCESS);
  EXPECT_EQ(read_first(out), 1);
  ASSERT_EQ(clSetKernelArg(made, 1, sizeof none, nullptr), CL_SUCCESS);
  ASSERT_EQ(run(made), CL_SUCCESS);
  EXPECT_EQ(read_first(out), 1);
}

TEST_F(ClSetKernelArg, BuffersMustBeLiveAndOfTheContext) {
  cl_kernel made = kernel(kStore, "k");
  cl_mem foreign = foreign_handle<cl_mem>(platform());
  EXPECT_EQ(clSetKernelArg(made, 0, sizeof foreign, &foreign), CL_INVALID_MEM_OBJECT);
  cl_mem elsewhere = clCreateBuffer(other_context(), CL_MEM_READ_WRITE, 4, nullptr, nullptr);
  EXPECT_EQ(clSetKernelArg(made, 0, sizeof elsewhere, &elsewhere), CL_INVALID_MEM_OBJECT);
  clReleaseMemObject(elsewhere);
  cl_context no_memory = context();
  EXPECT_EQ(clSetKernelArg(made, 0, sizeof no_memory, &no_memory), CL_INVALID_MEM_OBJECT);
}

TEST_F(ClSetKernelArg, ABufferReleasedWhileSetIsAnErrorAtTheNextLaunch) {
  cl_kernel made = kernel(kStore, "k");
  cl_mem out = clCreateBuffer(context(), CL_MEM_READ_WRITE, 4, nullptr, nullptr);
  const cl_int value = 1;
  ASSERT_EQ(clSetKernelArg(made, 0, sizeof out, &out), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(made, 1, sizeof value, &value), CL_SUCCESS);
  ASSERT_EQ(clReleaseMemObject(out), CL_SUCCESS);
  EXPECT_EQ(run(made), CL_INVALID_MEM_OBJECT);
}

TEST_F(ClSetKernelArg, LocalMemoryIsASizeWithoutAValue) {
  cl_kernel made = kernel("kernel void k(local int* scratch) { *scratch = 1; }", "k");
  const cl_int value = 0;
  EXPECT_EQ(clSetKernelArg(made, 0, 0, nullptr), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(clSetKernelArg(made, 0, 64, &value), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(clSetKernelArg(made, 0, 64, nullptr), CL_SUCCESS);
  cl_ulong bytes = 0;
  EXPECT_EQ(clGetKernelWorkGroupInfo(made, device(), CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, nullptr),
            CL_SUCCESS);
  EXPECT_GE(bytes, 64u);
}

TEST_F(ClSetKernelArg, SamplersAreSamplers) {
  cl_kernel made = kernel(
      "kernel void k(read_only image2d_t image, sampler_t s, global float4* out) { *out = read_imagef(image, s, "
      "(float2)(0)); }",
      "k");
  cl_mem no_sampler = buffer(4);
  EXPECT_EQ(clSetKernelArg(made, 1, sizeof no_sampler, &no_sampler), CL_INVALID_SAMPLER);
  EXPECT_EQ(clSetKernelArg(made, 1, 4, &no_sampler), CL_INVALID_ARG_SIZE);
  cl_sampler sampler = clCreateSampler(context(), CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, nullptr);
  EXPECT_EQ(clSetKernelArg(made, 1, sizeof sampler, &sampler), CL_SUCCESS);
  clReleaseSampler(sampler);
}

TEST_F(ClSetKernelArg, ImagesMustFitTypeAndAccess) {
  cl_kernel made = kernel(
      "kernel void k(read_only image2d_t in, write_only image2d_t out) { write_imagef(out, (int2)(0), "
      "(float4)(get_image_width(in))); }",
      "k");
  const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = desc.image_height = 4;
  const auto image = [&](cl_mem_flags flags) {
    return clCreateImage(context(), flags, &format, &desc, nullptr, nullptr);
  };
  cl_mem readable = image(CL_MEM_READ_ONLY), writable = image(CL_MEM_WRITE_ONLY), plain = buffer(4);
  EXPECT_EQ(clSetKernelArg(made, 0, sizeof readable, &readable), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(made, 0, sizeof writable, &writable), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(clSetKernelArg(made, 1, sizeof writable, &writable), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(made, 1, sizeof readable, &readable), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(clSetKernelArg(made, 0, sizeof plain, &plain), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clSetKernelArg(made, 0, sizeof readable, nullptr), CL_INVALID_ARG_VALUE);
  desc.image_type = CL_MEM_OBJECT_IMAGE1D;
  desc.image_height = 0;
  cl_mem line = image(CL_MEM_READ_ONLY);
  EXPECT_EQ(clSetKernelArg(made, 0, sizeof line, &line), CL_INVALID_MEM_OBJECT);
  for (cl_mem memory : {readable, writable, line}) clReleaseMemObject(memory);
}

TEST_F(ClSetKernelArg, ClonesAreIndependent) {
  cl_kernel made = kernel(kStore, "k");
  cl_mem out = buffer(4);
  const cl_int first = 1, second = 2;
  ASSERT_EQ(clSetKernelArg(made, 0, sizeof out, &out), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(made, 1, sizeof first, &first), CL_SUCCESS);
  cl_int status = 1;
  cl_kernel clone = clCloneKernel(made, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(made, 1, sizeof second, &second), CL_SUCCESS);
  ASSERT_EQ(run(clone), CL_SUCCESS);
  EXPECT_EQ(read_first(out), 1);
  clReleaseKernel(clone);
  EXPECT_EQ(clCloneKernel(clone, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_KERNEL);
}
}  // namespace
}  // namespace skmd::test

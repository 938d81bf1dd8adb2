// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {
namespace {

class ClCreateProgramWithBinary : public Driver {
 protected:
  static std::string binary_of(cl_program program) {
    size_t size = 0;
    EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr), CL_SUCCESS);
    std::string binary(size, '\0');
    char* data = binary.data();
    EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, nullptr), CL_SUCCESS);
    return binary;
  }
  static cl_program load(const std::string& binary, cl_int& binary_status, cl_int& status) {
    const auto* data = reinterpret_cast<const unsigned char*>(binary.data());
    const size_t size = binary.size();
    cl_device_id id = device();
    return clCreateProgramWithBinary(context(), 1, &id, &size, &data, &binary_status, &status);
  }
};

TEST_F(ClCreateProgramWithBinary, ARoundTripGivesTheSameKernelsAndResults) {
  const std::string binary =
      binary_of(program("kernel void fill(global int* out, int value) { out[get_global_id(0)] = value; }"));
  cl_int binary_status = 1, status = 1;
  cl_program copy = load(binary, binary_status, status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(binary_status, CL_SUCCESS);
  cl_int created = 0;
  EXPECT_EQ(clCreateKernel(copy, "fill", &created), nullptr);
  EXPECT_EQ(created, CL_INVALID_PROGRAM_EXECUTABLE) << "a binary is built before use";
  ASSERT_EQ(clBuildProgram(copy, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  cl_kernel kernel = clCreateKernel(copy, "fill", &created);
  ASSERT_EQ(created, CL_SUCCESS);

  constexpr size_t kItems = 1024;
  cl_mem out = buffer(kItems * sizeof(cl_int));
  const cl_int value = 41;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof out, &out), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof value, &value), CL_SUCCESS);
  ASSERT_EQ(clEnqueueNDRangeKernel(queue(), kernel, 1, nullptr, &kItems, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  std::vector<cl_int> result(kItems);
  ASSERT_EQ(clEnqueueReadBuffer(queue(), out, CL_TRUE, 0, kItems * sizeof(cl_int), result.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(result, std::vector<cl_int>(kItems, 41));
  char source[16] = "x";
  EXPECT_EQ(clGetProgramInfo(copy, CL_PROGRAM_SOURCE, sizeof source, source, nullptr), CL_SUCCESS);
  EXPECT_STREQ(source, "");
  clReleaseKernel(kernel);
  clReleaseProgram(copy);
}

TEST_F(ClCreateProgramWithBinary, GarbageIsRefusedSoftly) {
  std::string binary = binary_of(program("kernel void k() {}"));
  cl_int binary_status = 1, status = 1;
  EXPECT_EQ(load("no binary at all", binary_status, status), nullptr);
  EXPECT_EQ(status, CL_INVALID_BINARY);
  EXPECT_EQ(binary_status, CL_INVALID_BINARY);
  binary[binary.size() / 2] = static_cast<char>(binary[binary.size() / 2] ^ 1);
  EXPECT_EQ(load(binary, binary_status, status), nullptr);
  EXPECT_EQ(status, CL_INVALID_BINARY);
  EXPECT_EQ(load(binary.substr(0, 40), binary_status, status), nullptr);
  EXPECT_EQ(status, CL_INVALID_BINARY);
}

TEST_F(ClCreateProgramWithBinary, EmptyBinariesAndListsAreInvalidValues) {
  const unsigned char* none = nullptr;
  const unsigned char bytes[] = "bytes";
  const unsigned char* some = bytes;
  const size_t zero = 0, five = 5;
  cl_device_id id = device();
  cl_int status = 0, binary_status = 0;
  EXPECT_EQ(clCreateProgramWithBinary(context(), 1, &id, &zero, &some, &binary_status, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(binary_status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateProgramWithBinary(context(), 1, &id, &five, &none, &binary_status, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateProgramWithBinary(context(), 0, nullptr, &five, &some, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  cl_device_id foreign = foreign_handle<cl_device_id>(platform());
  EXPECT_EQ(clCreateProgramWithBinary(context(), 1, &foreign, &five, &some, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_DEVICE);
}

TEST_F(ClCreateProgramWithBinary, OtherWaysToAProgramAreAbsent) {
  cl_int status = 0;
  cl_device_id id = device();
  EXPECT_EQ(clCreateProgramWithBuiltInKernels(context(), 1, &id, "none", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateProgramWithIL(context(), "il", 2, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_OPERATION);
  const cl_int value = 1;
  EXPECT_EQ(clSetProgramSpecializationConstant(program("kernel void k() {}"), 0, sizeof value, &value),
            CL_INVALID_PROGRAM);
}
}  // namespace
}  // namespace skmd::test

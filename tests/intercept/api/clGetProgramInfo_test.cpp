// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/api/driver_fixture.h"
#include "tests/intercept/api/info_checks.h"

namespace skmd::test {
namespace {

class ClGetProgramInfo : public Driver {
 protected:
  static std::vector<unsigned char> ask(cl_program program, cl_program_info name) {
    return check_query([=](size_t size, void* value, size_t* size_ret) {
      return clGetProgramInfo(program, name, size, value, size_ret);
    });
  }
};

TEST_F(ClGetProgramInfo, KernelNamesAreTheApplicationsOnly) {
  cl_program made = program(
      "void helper() {} kernel void b(global int* p) { p[get_group_id(0)] = 1; } kernel void a() { helper(); }");
  EXPECT_EQ(value_of<size_t>(ask(made, CL_PROGRAM_NUM_KERNELS)), 2u);
  EXPECT_EQ(text_of(ask(made, CL_PROGRAM_KERNEL_NAMES)), "b;a");
}

TEST_F(ClGetProgramInfo, KernelsAreKnownAfterASuccessfulBuildOnly) {
  const char* text = "kernel void k() {}";
  cl_program made = clCreateProgramWithSource(context(), 1, &text, nullptr, nullptr);
  size_t number = 7;
  EXPECT_EQ(clGetProgramInfo(made, CL_PROGRAM_NUM_KERNELS, sizeof number, &number, nullptr),
            CL_INVALID_PROGRAM_EXECUTABLE);
  EXPECT_EQ(number, 7u);
  EXPECT_EQ(clGetProgramInfo(made, CL_PROGRAM_KERNEL_NAMES, 0, nullptr, &number), CL_INVALID_PROGRAM_EXECUTABLE);
  EXPECT_EQ(value_of<size_t>(ask(made, CL_PROGRAM_BINARY_SIZES)), 0u);
  clReleaseProgram(made);
}

TEST_F(ClGetProgramInfo, DescribesTheRest) {
  cl_program made = program("kernel void k() {}");
  EXPECT_EQ(value_of<cl_context>(ask(made, CL_PROGRAM_CONTEXT)), context());
  EXPECT_EQ(value_of<cl_uint>(ask(made, CL_PROGRAM_NUM_DEVICES)), 1u);
  EXPECT_EQ(value_of<cl_device_id>(ask(made, CL_PROGRAM_DEVICES)), device());
  EXPECT_EQ(value_of<cl_uint>(ask(made, CL_PROGRAM_REFERENCE_COUNT)), 1u);
  EXPECT_TRUE(ask(made, CL_PROGRAM_IL).empty());
  EXPECT_EQ(value_of<cl_bool>(ask(made, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT)), cl_bool{CL_FALSE});
}

TEST_F(ClGetProgramInfo, BinariesSkipNullEntries) {
  cl_program made = program("kernel void k() {}");
  unsigned char* none = nullptr;
  size_t size = 0;
  EXPECT_EQ(clGetProgramInfo(made, CL_PROGRAM_BINARIES, sizeof none, &none, &size), CL_SUCCESS);
  EXPECT_EQ(size, sizeof none);
  EXPECT_EQ(clGetProgramInfo(made, CL_PROGRAM_BINARIES, sizeof none - 1, &none, nullptr), CL_INVALID_VALUE);
}

TEST_F(ClGetProgramInfo, UnknownNamesAndForeignProgramsAreRefused) {
  cl_program made = program("kernel void k() {}");
  check_unknown([made](size_t size, void* value, size_t* size_ret) {
    return clGetProgramInfo(made, 0x7777, size, value, size_ret);
  });
  EXPECT_EQ(clGetProgramInfo(foreign_handle<cl_program>(platform()), CL_PROGRAM_SOURCE, 0, nullptr, nullptr),
            CL_INVALID_PROGRAM);
}
}  // namespace
}  // namespace skmd::test

// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/api/driver_fixture.h"
#include "tests/intercept/api/info_checks.h"

namespace skmd::test {
namespace {

class ClBuildProgram : public Driver {
 protected:
  cl_program unbuilt(const char* text) {
    cl_int status = 0;
    cl_program made = clCreateProgramWithSource(context(), 1, &text, nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return made;
  }
  static std::string log_of(cl_program program) {
    return text_of(check_query([program](size_t size, void* value, size_t* size_ret) {
      return clGetProgramBuildInfo(program, device(), CL_PROGRAM_BUILD_LOG, size, value, size_ret);
    }));
  }
  static cl_build_status status_of(cl_program program) {
    return value_of<cl_build_status>(check_query([program](size_t size, void* value, size_t* size_ret) {
      return clGetProgramBuildInfo(program, device(), CL_PROGRAM_BUILD_STATUS, size, value, size_ret);
    }));
  }
};

TEST_F(ClBuildProgram, AGoodBuildHasAnEmptyLog) {
  cl_program made = program("kernel void k() {}", "-DX=1");
  EXPECT_EQ(status_of(made), CL_BUILD_SUCCESS);
  EXPECT_EQ(log_of(made), "");
  EXPECT_EQ(text_of(check_query([made](size_t size, void* value, size_t* size_ret) {
              return clGetProgramBuildInfo(made, device(), CL_PROGRAM_BUILD_OPTIONS, size, value, size_ret);
            })),
            "-DX=1");
  cl_program_binary_type type = 0;
  EXPECT_EQ(clGetProgramBuildInfo(made, device(), CL_PROGRAM_BINARY_TYPE, sizeof type, &type, nullptr), CL_SUCCESS);
  EXPECT_EQ(type, cl_program_binary_type{CL_PROGRAM_BINARY_TYPE_EXECUTABLE});
}

TEST_F(ClBuildProgram, BeforeAnyBuildThereIsNoLogAndNoStatus) {
  cl_program made = unbuilt("kernel void k() {}");
  EXPECT_EQ(status_of(made), CL_BUILD_NONE);
  EXPECT_EQ(log_of(made), "");
  clReleaseProgram(made);
}

TEST_F(ClBuildProgram, AWrongSourceFailsWithALogThatNamesTheLine) {
  cl_program made = unbuilt("kernel void k(global int* p) {\n  *p = undeclared;\n}");
  EXPECT_EQ(clBuildProgram(made, 0, nullptr, "", nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_EQ(status_of(made), CL_BUILD_ERROR);
  EXPECT_NE(log_of(made).find("undeclared"), std::string::npos) << log_of(made);
  EXPECT_NE(log_of(made).find(":2:"), std::string::npos) << log_of(made);
  cl_int status = 0;
  EXPECT_EQ(clCreateKernel(made, "k", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROGRAM_EXECUTABLE);
  clReleaseProgram(made);
}

TEST_F(ClBuildProgram, PragmasMayHaveMacros) {
  const std::string before =
      "#define TWICE(x) ((x) * 2)\n#define LOOP for (int i = 0; i < 8; ++i) sum += in[i]\n"
      "kernel void k(global int* out, global const int* in) {\n  int sum = 0;\n";
  for (const char* pragma :
       {"#pragma unroll N", "#pragma unroll (N)", "#pragma unroll TWICE(N)", "_Pragma(\"unroll N\")", "#pragma unroll",
        "#pragma nounroll", "#pragma clang loop unroll_count(N)", "#pragma clang loop vectorize_width(TWICE(2))",
        "enum { LANES = N };\n#pragma unroll LANES", "const int lanes = N;\n#pragma unroll N + 4"}) {
    cl_program made = program(before + pragma + "\n  LOOP;\n  out[get_global_id(0)] = sum;\n}", "-DN=4");
    EXPECT_EQ(status_of(made), CL_BUILD_SUCCESS) << pragma;
  }
}

TEST_F(ClBuildProgram, APackingMayBeAMacro) {
  const size_t one = 1;
  cl_kernel sizes = kernel(
      "#pragma pack(push, BYTES)\nstruct s { char a; int b; };\n#pragma pack(pop)\n"
      "kernel void k(global int* out) { out[get_global_id(0)] = sizeof(struct s); }",
      "k", "-DBYTES=2");
  cl_mem out = buffer(sizeof(cl_int));
  cl_int size = 0;
  ASSERT_EQ(clSetKernelArg(sizes, 0, sizeof out, &out), CL_SUCCESS);
  ASSERT_EQ(clEnqueueNDRangeKernel(queue(), sizes, 1, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueReadBuffer(queue(), out, CL_TRUE, 0, sizeof size, &size, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(size, 6);
}

TEST_F(ClBuildProgram, AnUnknownOptionIsAnErrorOfItsOwn) {
  cl_program made = unbuilt("kernel void k() {}");
  EXPECT_EQ(clBuildProgram(made, 0, nullptr, "-no-such-option", nullptr, nullptr), CL_INVALID_BUILD_OPTIONS);
  EXPECT_EQ(status_of(made), CL_BUILD_ERROR);
  EXPECT_NE(log_of(made), "");
  EXPECT_EQ(clBuildProgram(made, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  clReleaseProgram(made);
}

TEST_F(ClBuildProgram, IsRefusedWhileKernelsExistAndFineAfterwards) {
  cl_program made = unbuilt("kernel void k() {}");
  ASSERT_EQ(clBuildProgram(made, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  cl_kernel kernel = clCreateKernel(made, "k", nullptr);
  EXPECT_EQ(clBuildProgram(made, 0, nullptr, "", nullptr, nullptr), CL_INVALID_OPERATION);
  EXPECT_EQ(status_of(made), CL_BUILD_SUCCESS);
  clReleaseKernel(kernel);
  EXPECT_EQ(clBuildProgram(made, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  clReleaseProgram(made);
}

TEST_F(ClBuildProgram, ListsAndCallbacksMustMakeSense) {
  cl_program made = unbuilt("kernel void k() {}");
  cl_device_id id = device(), foreign = foreign_handle<cl_device_id>(platform());
  int data = 0;
  EXPECT_EQ(clBuildProgram(made, 1, nullptr, "", nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clBuildProgram(made, 0, &id, "", nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clBuildProgram(made, 1, &foreign, "", nullptr, nullptr), CL_INVALID_DEVICE);
  EXPECT_EQ(clBuildProgram(made, 1, &id, "", nullptr, &data), CL_INVALID_VALUE);
  EXPECT_EQ(clBuildProgram(foreign_handle<cl_program>(platform()), 1, &id, "", nullptr, nullptr), CL_INVALID_PROGRAM);
  EXPECT_EQ(status_of(made), CL_BUILD_NONE) << "nothing was begun";
  clReleaseProgram(made);
}

void CL_CALLBACK release_inside(cl_program program, void* event) {
  cl_build_status status = CL_BUILD_NONE;
  clGetProgramBuildInfo(program, Driver::device(), CL_PROGRAM_BUILD_STATUS, sizeof status, &status, nullptr);
  clReleaseProgram(program);
  clSetUserEventStatus(static_cast<cl_event>(event), status == CL_BUILD_SUCCESS ? CL_COMPLETE : -1);
}

TEST_F(ClBuildProgram, TheCallbackSeesTheFinalStatusAndMayReleaseTheProgram) {
  cl_event done = user_event();
  cl_program made = unbuilt("kernel void k() {}");
  ASSERT_EQ(clBuildProgram(made, 0, nullptr, "", release_inside, done), CL_SUCCESS);
  EXPECT_EQ(clWaitForEvents(1, &done), CL_SUCCESS);
}

TEST_F(ClBuildProgram, BuildInfoRefusesForeignDevicesAndUnknownNames) {
  cl_program made = program("kernel void k() {}");
  const auto foreign = foreign_handle<cl_device_id>(platform());
  EXPECT_EQ(clGetProgramBuildInfo(made, foreign, CL_PROGRAM_BUILD_LOG, 0, nullptr, nullptr), CL_INVALID_DEVICE);
  check_unknown([made](size_t size, void* value, size_t* size_ret) {
    return clGetProgramBuildInfo(made, device(), 0x7777, size, value, size_ret);
  });
}
}  // namespace
}  // namespace skmd::test

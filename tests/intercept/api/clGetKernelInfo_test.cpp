// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/api/driver_fixture.h"
#include "tests/intercept/api/info_checks.h"

namespace skmd::test {
namespace {

class ClGetKernelInfo : public Driver {
 protected:
  static std::vector<unsigned char> ask(cl_kernel kernel, cl_kernel_info name) {
    return check_query([=](size_t size, void* value, size_t* size_ret) {
      return clGetKernelInfo(kernel, name, size, value, size_ret);
    });
  }
  static std::vector<unsigned char> argument(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name) {
    return check_query([=](size_t size, void* value, size_t* size_ret) {
      return clGetKernelArgInfo(kernel, index, name, size, value, size_ret);
    });
  }
  static std::vector<unsigned char> group(cl_kernel kernel, cl_device_id of, cl_kernel_work_group_info name) {
    return check_query([=](size_t size, void* value, size_t* size_ret) {
      return clGetKernelWorkGroupInfo(kernel, of, name, size, value, size_ret);
    });
  }
};

TEST_F(ClGetKernelInfo, DescribesTheKernel) {
  cl_kernel made =
      kernel("__attribute__((reqd_work_group_size(4, 2, 1))) kernel void k(global int* out, int n) { *out = n; }", "k");
  EXPECT_EQ(text_of(ask(made, CL_KERNEL_FUNCTION_NAME)), "k");
  EXPECT_EQ(value_of<cl_uint>(ask(made, CL_KERNEL_NUM_ARGS)), 2u);
  EXPECT_EQ(value_of<cl_context>(ask(made, CL_KERNEL_CONTEXT)), context());
  EXPECT_NE(value_of<cl_program>(ask(made, CL_KERNEL_PROGRAM)), nullptr);
  EXPECT_NE(text_of(ask(made, CL_KERNEL_ATTRIBUTES)).find("reqd_work_group_size(4"), std::string::npos);
  check_unknown([made](size_t size, void* value, size_t* size_ret) {
    return clGetKernelInfo(made, 0x7777, size, value, size_ret);
  });
}

TEST_F(ClGetKernelInfo, ArgumentsAreToldOnlyWhenAskedForInTheBuild) {
  const char* text =
      "kernel void k(global const float* restrict in, local uint4* scratch, constant int* table, unsigned int n) {}";
  cl_kernel silent = kernel(text, "k");
  EXPECT_EQ(clGetKernelArgInfo(silent, 0, CL_KERNEL_ARG_NAME, 0, nullptr, nullptr), CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
  cl_kernel made = kernel(text, "k", "-cl-kernel-arg-info");
  EXPECT_EQ(text_of(argument(made, 0, CL_KERNEL_ARG_NAME)), "in");
  EXPECT_EQ(text_of(argument(made, 0, CL_KERNEL_ARG_TYPE_NAME)), "float*");
  EXPECT_EQ(text_of(argument(made, 1, CL_KERNEL_ARG_TYPE_NAME)), "uint4*");
  EXPECT_EQ(text_of(argument(made, 3, CL_KERNEL_ARG_TYPE_NAME)), "uint");
  EXPECT_EQ(value_of<cl_kernel_arg_address_qualifier>(argument(made, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER)),
            cl_kernel_arg_address_qualifier{CL_KERNEL_ARG_ADDRESS_GLOBAL});
  EXPECT_EQ(value_of<cl_kernel_arg_address_qualifier>(argument(made, 1, CL_KERNEL_ARG_ADDRESS_QUALIFIER)),
            cl_kernel_arg_address_qualifier{CL_KERNEL_ARG_ADDRESS_LOCAL});
  EXPECT_EQ(value_of<cl_kernel_arg_address_qualifier>(argument(made, 2, CL_KERNEL_ARG_ADDRESS_QUALIFIER)),
            cl_kernel_arg_address_qualifier{CL_KERNEL_ARG_ADDRESS_CONSTANT});
  EXPECT_EQ(value_of<cl_kernel_arg_type_qualifier>(argument(made, 0, CL_KERNEL_ARG_TYPE_QUALIFIER)),
            cl_kernel_arg_type_qualifier{CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT});
  EXPECT_EQ(value_of<cl_kernel_arg_access_qualifier>(argument(made, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER)),
            cl_kernel_arg_access_qualifier{CL_KERNEL_ARG_ACCESS_NONE});
  EXPECT_EQ(clGetKernelArgInfo(made, 4, CL_KERNEL_ARG_NAME, 0, nullptr, nullptr), CL_INVALID_ARG_INDEX);
  check_unknown([made](size_t size, void* value, size_t* size_ret) {
    return clGetKernelArgInfo(made, 0, 0x7777, size, value, size_ret);
  });
}

TEST_F(ClGetKernelInfo, WorkGroupSizesRespectDeviceAndRequirement) {
  cl_kernel made =
      kernel("__attribute__((reqd_work_group_size(8, 4, 1))) kernel void k(global int* out) { *out = 1; }", "k");
  size_t device_limit = 0;
  ASSERT_EQ(clGetDeviceInfo(device(), CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof device_limit, &device_limit, nullptr),
            CL_SUCCESS);
  const auto limit = value_of<size_t>(group(made, device(), CL_KERNEL_WORK_GROUP_SIZE));
  EXPECT_LE(limit, device_limit);
  EXPECT_GE(limit, 32u);
  const auto required = group(made, device(), CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
  ASSERT_EQ(required.size(), 3 * sizeof(size_t));
  const auto* sizes = reinterpret_cast<const size_t*>(required.data());
  EXPECT_EQ((std::vector<size_t>{sizes, sizes + 3}), (std::vector<size_t>{8, 4, 1}));
  EXPECT_GE(value_of<size_t>(group(made, nullptr, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)), 1u)
      << "the device may be NULL";
}

TEST_F(ClGetKernelInfo, LocalMemoryCountsStaticAndSetArguments) {
  cl_kernel made = kernel(
      "kernel void k(local int* a, global int* out) { local int fixed[100]; fixed[get_local_id(0)] = 1; "
      "a[0] = 2; barrier(CLK_LOCAL_MEM_FENCE); *out = fixed[0] + a[0]; }",
      "k");
  EXPECT_GE(value_of<cl_ulong>(group(made, device(), CL_KERNEL_LOCAL_MEM_SIZE)), 400u);
  ASSERT_EQ(clSetKernelArg(made, 0, 1000, nullptr), CL_SUCCESS);
  EXPECT_GE(value_of<cl_ulong>(group(made, device(), CL_KERNEL_LOCAL_MEM_SIZE)), 1400u);
}

TEST_F(ClGetKernelInfo, WorkGroupQueriesAreChecked) {
  cl_kernel made = kernel("kernel void k() {}", "k");
  EXPECT_EQ(clGetKernelWorkGroupInfo(made, foreign_handle<cl_device_id>(platform()), CL_KERNEL_WORK_GROUP_SIZE, 0,
                                     nullptr, nullptr),
            CL_INVALID_DEVICE);
  EXPECT_EQ(clGetKernelWorkGroupInfo(made, device(), CL_KERNEL_GLOBAL_WORK_SIZE, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  check_unknown([made](size_t size, void* value, size_t* size_ret) {
    return clGetKernelWorkGroupInfo(made, device(), 0x7777, size, value, size_ret);
  });
  EXPECT_EQ(clGetKernelSubGroupInfo(made, device(), CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, nullptr, 0, nullptr, nullptr),
            CL_INVALID_OPERATION);
}
}  // namespace
}  // namespace skmd::test

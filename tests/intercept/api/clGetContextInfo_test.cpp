// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "tests/intercept/api/driver_fixture.h"
#include "tests/intercept/api/info_checks.h"

namespace skmd::test {
namespace {

class ClGetContextInfo : public Driver {
 protected:
  static std::vector<unsigned char> ask(cl_context context, cl_context_info name) {
    return check_query([=](size_t size, void* value, size_t* size_ret) {
      return clGetContextInfo(context, name, size, value, size_ret);
    });
  }
};

TEST_F(ClGetContextInfo, GivesThePropertiesBackExactly) {
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform()),
                                              0};
  cl_device_id id = device();
  cl_context made = clCreateContext(properties, 1, &id, nullptr, nullptr, nullptr);
  const auto bytes = ask(made, CL_CONTEXT_PROPERTIES);
  ASSERT_EQ(bytes.size(), sizeof properties);
  EXPECT_EQ(std::memcmp(bytes.data(), properties, sizeof properties), 0);
  clReleaseContext(made);
  EXPECT_TRUE(ask(context(), CL_CONTEXT_PROPERTIES).empty()) << "NULL was passed";
}

TEST_F(ClGetContextInfo, CountsTheApplicationsReferencesOnly) {
  cl_context made = other_context();
  cl_mem memory = clCreateBuffer(made, CL_MEM_READ_WRITE, 64, nullptr, nullptr);
  EXPECT_EQ(value_of<cl_uint>(ask(made, CL_CONTEXT_REFERENCE_COUNT)), 1u);
  EXPECT_EQ(clRetainContext(made), CL_SUCCESS);
  EXPECT_EQ(value_of<cl_uint>(ask(made, CL_CONTEXT_REFERENCE_COUNT)), 2u);
  EXPECT_EQ(clReleaseContext(made), CL_SUCCESS);
  clReleaseMemObject(memory);
}

TEST_F(ClGetContextInfo, ListsTheDevice) {
  EXPECT_EQ(value_of<cl_uint>(ask(context(), CL_CONTEXT_NUM_DEVICES)), 1u);
  EXPECT_EQ(value_of<cl_device_id>(ask(context(), CL_CONTEXT_DEVICES)), device());
}

TEST_F(ClGetContextInfo, UnknownNamesAndForeignContextsAreRefused) {
  check_unknown([](size_t size, void* value, size_t* size_ret) {
    return clGetContextInfo(context(), 0x7777, size, value, size_ret);
  });
  EXPECT_EQ(clGetContextInfo(foreign_handle<cl_context>(platform()), CL_CONTEXT_DEVICES, 0, nullptr, nullptr),
            CL_INVALID_CONTEXT);
}
}  // namespace
}  // namespace skmd::test

// SPDX-License-Identifier: Apache-2.0
#include <CL/cl_ext.h>

#include "tests/intercept/api/driver_fixture.h"
#include "tests/intercept/api/info_checks.h"

namespace skmd::test {
namespace {

class ClGetPlatformInfo : public Driver {
 protected:
  std::vector<unsigned char> ask(cl_platform_info name) {
    return check_query([name](size_t size, void* value, size_t* size_ret) {
      return clGetPlatformInfo(platform(), name, size, value, size_ret);
    });
  }
};

TEST_F(ClGetPlatformInfo, VersionsOfPlatformAndDeviceAgree) {
  const std::string version = text_of(ask(CL_PLATFORM_VERSION));
  char device_version[256] = "";
  ASSERT_EQ(clGetDeviceInfo(device(), CL_DEVICE_VERSION, sizeof device_version, device_version, nullptr), CL_SUCCESS);
  EXPECT_EQ(version, device_version);
  EXPECT_EQ(version.rfind("OpenCL 3.0 ", 0), 0u);
  EXPECT_EQ(value_of<cl_version>(ask(CL_PLATFORM_NUMERIC_VERSION)), cl_version{CL_MAKE_VERSION(3, 0, 0)});
}

TEST_F(ClGetPlatformInfo, ExtensionsHoldTheDevicesAndTheIcd) {
  const std::string extensions = " " + text_of(ask(CL_PLATFORM_EXTENSIONS)) + " ";
  EXPECT_NE(extensions.find(" cl_khr_icd "), std::string::npos);
  char list[4096] = "";
  ASSERT_EQ(clGetDeviceInfo(device(), CL_DEVICE_EXTENSIONS, sizeof list, list, nullptr), CL_SUCCESS);
  EXPECT_EQ(extensions, " " + std::string(list) + " ");
  EXPECT_EQ(ask(CL_PLATFORM_EXTENSIONS_WITH_VERSION).size() % sizeof(cl_name_version), 0u);
}

TEST_F(ClGetPlatformInfo, NamesAreNeutral) {
  EXPECT_EQ(text_of(ask(CL_PLATFORM_NAME)), "SKMD");
  EXPECT_EQ(text_of(ask(CL_PLATFORM_VENDOR)), "SKMD");
  EXPECT_EQ(text_of(ask(CL_PLATFORM_PROFILE)), "FULL_PROFILE");
  EXPECT_FALSE(text_of(ask(CL_PLATFORM_ICD_SUFFIX_KHR)).empty());
  EXPECT_EQ(value_of<cl_ulong>(ask(CL_PLATFORM_HOST_TIMER_RESOLUTION)), 1u);
}

TEST_F(ClGetPlatformInfo, UnknownNamesAndForeignPlatformsAreRefused) {
  check_unknown([](size_t size, void* value, size_t* size_ret) {
    return clGetPlatformInfo(platform(), 0x7777, size, value, size_ret);
  });
  EXPECT_EQ(clGetPlatformInfo(foreign_handle<cl_platform_id>(platform()), CL_PLATFORM_NAME, 0, nullptr, nullptr),
            CL_INVALID_PLATFORM);
}
}  // namespace
}  // namespace skmd::test

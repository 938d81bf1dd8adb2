// SPDX-License-Identifier: Apache-2.0
// What the environment makes of the driver. Every case is a process of its own: variables are read once.
#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>

namespace skmd::test {
namespace {

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> chunk;
  for (size_t size; (size = fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) text.append(chunk.data(), size);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

/// Runs `body` in a fresh process that sees `name`=`value`; its exit status.
int in_child(const char* name, const char* value, const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("POCL_DEVICES", "basic", 1);
    setenv(name, value, 1);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

using PlatformIds = cl_int (*)(cl_uint, cl_platform_id*, cl_uint*);

PlatformIds load_library() {
  void* library = dlopen(SKMD_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  return library != nullptr ? reinterpret_cast<PlatformIds>(dlsym(library, "clIcdGetPlatformIDsKHR")) : nullptr;
}

int platforms_found() {
  const PlatformIds ids = load_library();
  if (ids == nullptr) return 100;
  cl_uint number = 77;
  const cl_int status = ids(0, nullptr, &number);
  if (status == CL_SUCCESS) return static_cast<int>(number);
  return status == CL_PLATFORM_NOT_FOUND_KHR ? 50 : 60;
}

constexpr cl_int kNotFound = -1001;
static_assert(CL_PLATFORM_NOT_FOUND_KHR == kNotFound);

TEST(Environment, BadValuesLeaveNoPlatformAndDoNotCrash) {
  for (const auto& [name, value] : {std::pair{"SKMD_PARTITION", "sideways"},
                                    {"SKMD_PARTITION", "fixed:50"},
                                    {"SKMD_PARTITION", "dynamic:0"},
                                    {"SKMD_DEVICES", "no such platform:nothing"},
                                    {"SKMD_VERIFY", "maybe"},
                                    {"SKMD_DEVICE_TYPE", "GPU"},
                                    {"SKMD_DEVICE_TYPE", "gpu,cpu"},
                                    {"SKMD_CHECK", "maybe"},
                                    {"SKMD_CHECK", "deopts"},
                                    {"SKMD_CONTROL", "2"},
                                    {"SKMD_CONTROL", "sockets"},
                                    {"SKMD_TEST_RUNGS", "disjoint,sideways"},
                                    {"SKMD_TEST_ISA", "mmx"},
                                    {"SKMD_TEST_CPUS", "best:none"},
                                    {"SKMD_TEST_DEVICE_MEMORY", "4G"},
                                    {"SKMD_VENDORS", "/nonexistent"}})
    EXPECT_EQ(in_child(name, value, platforms_found), 50) << name << '=' << value;
}

TEST(Environment, PlatformIdsChecksItsOutputs) {
  EXPECT_EQ(in_child("SKMD_DEVICES", "portable:basic",
                     [] {
                       const PlatformIds ids = load_library();
                       cl_platform_id platform = nullptr;
                       if (ids(0, nullptr, nullptr) != CL_INVALID_VALUE) return 1;
                       if (ids(0, &platform, nullptr) != CL_INVALID_VALUE) return 2;
                       if (ids(3, &platform, nullptr) != CL_SUCCESS || platform == nullptr) return 3;
                       return 0;
                     }),
            0);
}

constexpr cl_device_type kAsked[] = {CL_DEVICE_TYPE_CPU,
                                     CL_DEVICE_TYPE_GPU,
                                     CL_DEVICE_TYPE_ACCELERATOR,
                                     CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU,
                                     CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_CUSTOM,
                                     CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT,
                                     CL_DEVICE_TYPE_DEFAULT};

/// The queries of kAsked that find the device, a bit each; 0x80 and more: what is wrong about them.
int types_found() {
  const PlatformIds ids = load_library();
  cl_platform_id platform = nullptr;
  if (ids == nullptr || ids(1, &platform, nullptr) != CL_SUCCESS) return 0x80;
  const cl_icd_dispatch& cl = **reinterpret_cast<cl_icd_dispatch**>(platform);
  cl_device_id device = nullptr;
  cl_device_type own = 0;
  if (cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS) return 0x81;
  if (cl.clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof own, &own, nullptr) != CL_SUCCESS) return 0x82;
  int found = 0;
  for (size_t i = 0; i < std::size(kAsked); ++i) {
    cl_uint count = 0;
    const cl_int code = cl.clGetDeviceIDs(platform, kAsked[i], 0, nullptr, &count);
    if (code != CL_SUCCESS && code != CL_DEVICE_NOT_FOUND) return 0x83;
    // What the device says of itself agrees with the queries that find it.
    const bool expected = (kAsked[i] & (own | CL_DEVICE_TYPE_DEFAULT)) != 0;
    if ((code == CL_SUCCESS) != expected || count != (expected ? 1u : 0u)) return 0x84;
    cl_int made_code = CL_SUCCESS;
    cl_context made = cl.clCreateContextFromType(nullptr, kAsked[i], nullptr, nullptr, &made_code);
    if (made_code != code || (made != nullptr) != expected) return 0x85;
    if (made != nullptr) cl.clReleaseContext(made);
    if (expected) found |= 1 << i;
  }
  return found;
}

TEST(Environment, TheTypeThatIsChosenIsFoundAndIsTheDevices) {
  constexpr int kCpu = 0b1101001, kGpu = 0b1111010, kAll = 0b1111011;
  for (const auto& [choice, expected] : {std::pair{"auto", kCpu}, {"cpu", kCpu}, {"gpu", kGpu}, {"all", kAll}})
    EXPECT_EQ(in_child("SKMD_DEVICE_TYPE", choice, types_found), expected) << choice << ", processors";
  for (const auto& [choice, expected] : {std::pair{"auto", kGpu}, {"cpu", kCpu}, {"gpu", kGpu}, {"all", kAll}})
    EXPECT_EQ(in_child("SKMD_DEVICE_TYPE", choice,
                       [] {
                         setenv("SKMD_VENDORS", SKMD_TEST_STUB_VENDORS, 1);
                         setenv("SKMD_TEST_CPU_DRIVER", "0", 1);
                         return types_found();
                       }),
              expected)
        << choice << ", GPUs";
}

TEST(Environment, TheReasonGoesToTheLogAndNowhereElse) {
  const std::string find = "POCL_DEVICES=basic SKMD_PARTITION=sideways OCL_ICD_VENDORS=" SKMD_TEST_VENDORS_FOLDER " ";
  EXPECT_EQ(output_of(find + "clinfo -l 2>&1; true").find("sideways"), std::string::npos);
  EXPECT_NE(output_of(find + "SKMD_LOG=error clinfo -l 2>&1; true").find("sideways"), std::string::npos);
}

TEST(Environment, ClinfoSeesOnePlatformWithOneDevice) {
  const std::string text =
      output_of("POCL_DEVICES=basic SKMD_DEVICES=portable:basic OCL_ICD_VENDORS=" SKMD_TEST_VENDORS_FOLDER
                " clinfo -l 2>&1; true");
  EXPECT_NE(text.find("Platform #0: SKMD"), std::string::npos) << text;
  EXPECT_NE(text.find("Device #0: SKMD ("), std::string::npos) << text;
  EXPECT_EQ(text.find("Device #1"), std::string::npos) << text;
}

}  // namespace
}  // namespace skmd::test

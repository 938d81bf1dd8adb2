// SPDX-License-Identifier: Apache-2.0
// libskmd.so as a file, and its dispatch table.
#include <CL/cl_icd.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/intercept/api/driver_fixture.h"

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

std::set<std::string> words_in(const std::string& text) {
  std::istringstream stream(text);
  std::set<std::string> words;
  for (std::string word; stream >> word;) words.insert(word);
  return words;
}

TEST(Library, ExportsTheIcdsSymbolsAndNothingElse) {
  const auto names = words_in(output_of("nm -D --defined-only --format=just-symbols " SKMD_TEST_LIBRARY));
  EXPECT_EQ(names,
            (std::set<std::string>{"clGetExtensionFunctionAddress", "clGetPlatformInfo", "clIcdGetPlatformIDsKHR"}));
}

TEST(Library, LinksNothingBeyondTheLanguagesRuntime) {
  const std::string text = output_of("objdump -p " SKMD_TEST_LIBRARY " | sed -n 's/^ *NEEDED *//p'");
  const std::set<std::string> allowed = {"libstdc++.so.6", "libgcc_s.so.1", "libc.so.6", "libm.so.6",
                                         "ld-linux-x86-64.so.2"};
  for (const std::string& name : words_in(text)) {
    const bool sanitizer = name.find("san.so") != std::string::npos;
    EXPECT_TRUE(allowed.count(name) == 1 || sanitizer) << name;
  }
}

TEST(Library, IsNeverUnloaded) {
  EXPECT_NE(output_of("readelf -d " SKMD_TEST_LIBRARY).find("NODELETE"), std::string::npos);
}

class Dispatch : public Driver {
 protected:
  const cl_icd_dispatch& table() { return **reinterpret_cast<cl_icd_dispatch**>(platform()); }
};

TEST_F(Dispatch, EverySlotIsFilled) {
  const auto* slots = reinterpret_cast<void* const*>(&table());
  for (size_t i = 0; i < sizeof(cl_icd_dispatch) / sizeof(void*); ++i) EXPECT_NE(slots[i], nullptr) << "slot " << i;
}

TEST_F(Dispatch, EveryHandleStartsWithTheTable) {
  for (const void* handle : {static_cast<void*>(device()), static_cast<void*>(context()), static_cast<void*>(queue())})
    EXPECT_EQ(*static_cast<const void* const*>(handle), &table());
}

TEST_F(Dispatch, WhatIsAbsentSaysSo) {
  cl_int status = 0;
  EXPECT_EQ(table().clCreateFromGLBuffer(context(), CL_MEM_READ_WRITE, 1, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_OPERATION);
  EXPECT_EQ(table().clCreateFromGLBuffer(context(), CL_MEM_READ_WRITE, 1, nullptr), nullptr);
  EXPECT_EQ(table().clEnqueueAcquireGLObjects(queue(), 0, nullptr, 0, nullptr, nullptr), CL_INVALID_OPERATION);
  EXPECT_EQ(table().clSVMAlloc(context(), CL_MEM_READ_WRITE, 64, 0), nullptr);
  table().clSVMFree(context(), nullptr);
  EXPECT_EQ(table().clEnqueueSVMMap(queue(), CL_TRUE, CL_MAP_READ, &status, 4, 0, nullptr, nullptr),
            CL_INVALID_OPERATION);
  EXPECT_EQ(table().clCreatePipe(context(), CL_MEM_READ_WRITE, 4, 4, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_OPERATION);
  EXPECT_EQ(table().clGetPipeInfo(nullptr, CL_PIPE_PACKET_SIZE, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(table().clSetDefaultDeviceCommandQueue(context(), device(), queue()), CL_INVALID_OPERATION);
  using Create = cl_mem (*)(cl_context, cl_mem_flags, void*, cl_int*);
  EXPECT_EQ(reinterpret_cast<Create>(table().clCreateFromD3D10BufferKHR)(context(), 0, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_OPERATION);
}

TEST_F(Dispatch, CompilersMayBeUnloadedAtAnyTime) {
  EXPECT_EQ(clUnloadPlatformCompiler(platform()), CL_SUCCESS);
  EXPECT_EQ(clUnloadPlatformCompiler(foreign_handle<cl_platform_id>(platform())), CL_INVALID_PLATFORM);
  EXPECT_EQ(table().clUnloadCompiler(), CL_SUCCESS);
  program("kernel void k() {}");
}

TEST_F(Dispatch, ExtensionFunctionsAreFoundByName) {
  EXPECT_NE(clGetExtensionFunctionAddressForPlatform(platform(), "clSkmdDescribe"), nullptr);
  EXPECT_EQ(clGetExtensionFunctionAddressForPlatform(platform(), "clNoSuchFunction"), nullptr);
  EXPECT_EQ(clGetExtensionFunctionAddressForPlatform(foreign_handle<cl_platform_id>(platform()), "clSkmdDescribe"),
            nullptr);
}

TEST_F(Dispatch, DescribeTellsDevicesAndKernels) {
  using Describe = cl_int (*)(cl_platform_id, size_t, char*, size_t*);
  const auto describe =
      reinterpret_cast<Describe>(clGetExtensionFunctionAddressForPlatform(platform(), "clSkmdDescribe"));
  ASSERT_NE(describe, nullptr);
  program("kernel void a_kernel_of_this_test(global int* p) { p[get_global_id(0)] = 1; }");
  // A build that ends in the background between the two calls makes the text longer.
  std::string text;
  cl_int code = CL_INVALID_VALUE;
  for (int attempt = 0; attempt < 100 && code == CL_INVALID_VALUE; ++attempt) {
    size_t size = 0;
    ASSERT_EQ(describe(platform(), 0, nullptr, &size), CL_SUCCESS);
    text.assign(size, '\0');
    code = describe(platform(), size, text.data(), nullptr);
  }
  ASSERT_EQ(code, CL_SUCCESS);
  for (const char* part : {"\"anchor\"", "pthread-", "basic-", "\"virtual_device\"", "a_kernel_of_this_test"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST_F(Dispatch, CalibrateChecksItsArgumentsAndAnswersOnce) {
  using Progress = void (*)(double, const char*, void*);
  using Answer = void (*)(const char*, void*);
  using Calibrate = cl_int (*)(cl_platform_id, cl_double, Progress, Answer, void*);
  const auto calibrate =
      reinterpret_cast<Calibrate>(clGetExtensionFunctionAddressForPlatform(platform(), "clSkmdCalibrate"));
  ASSERT_NE(calibrate, nullptr);
  std::vector<std::string> answers;
  const Answer keep = [](const char* json, void* user) {
    static_cast<std::vector<std::string>*>(user)->emplace_back(json);
  };
  EXPECT_EQ(calibrate(foreign_handle<cl_platform_id>(platform()), 1.0, nullptr, keep, &answers), CL_INVALID_PLATFORM);
  for (const double seconds : {0.0, -1.0, 3601.0, std::nan(""), HUGE_VAL})
    EXPECT_EQ(calibrate(platform(), seconds, nullptr, keep, &answers), CL_INVALID_VALUE) << seconds;
  EXPECT_EQ(calibrate(platform(), 1.0, nullptr, nullptr, &answers), CL_INVALID_VALUE);
  EXPECT_TRUE(answers.empty());
  ASSERT_EQ(calibrate(platform(), 0.01, nullptr, keep, &answers), CL_SUCCESS);
  ASSERT_EQ(answers.size(), 1u);
  for (const char* part :
       {"\"devices\"", "pthread-", "\"launch_seconds\"", "\"direction\":\"from\"", "\"problems\":[]"})
    EXPECT_NE(answers.front().find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace skmd::test

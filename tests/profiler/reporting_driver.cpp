// SPDX-License-Identifier: Apache-2.0
// Stands in for libskmd.so where only reports matter: has the symbols that commands look for and a function by which an
// application makes it report launches. REPORTING_DRIVER_ERROR makes it offer no platform; REPORTING_DRIVER_HANGS, a
// file's name, makes it write the file and wait for ever.
#include <CL/cl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "intercept/observe/observer.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

using namespace skmd::icd;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

Observer& observer() {
  static auto* made = new Observer({.stats_file = variable("SKMD_STATS"),
                                    .trace_file = variable("SKMD_TRACE"),
                                    .log = variable("SKMD_LOG"),
                                    .shared_folder = variable("SKMD_STATS_SHM")});
  return *made;
}

cl_int CL_API_CALL describe(cl_platform_id, std::size_t size, char* text, std::size_t* size_ret) {
  constexpr char kText[] =
      R"({"version":1,"anchor":0,"devices":[{"name":"one","kind":"cpu"}],"left_out":["two: too old"],
    "virtual_device":{"name":"all in one"},"kernels":[]})";
  if (size_ret != nullptr) *size_ret = sizeof kText;
  if (text != nullptr && size >= sizeof kText) std::memcpy(text, kText, sizeof kText);
  return CL_SUCCESS;
}

}  // namespace

EXPORTED cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint, cl_platform_id* platforms, cl_uint*) {
  static int platform = 0;
  if (const std::string file = variable("REPORTING_DRIVER_HANGS"); !file.empty()) {
    std::ofstream(file).put('\n');
    for (;;) pause();
  }
  if (const std::string error = variable("REPORTING_DRIVER_ERROR"); !error.empty()) {
    observer().log(LogLevel::error, error);
    return -1001;
  }
  *platforms = reinterpret_cast<cl_platform_id>(&platform);
  return CL_SUCCESS;
}

EXPORTED void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  return std::strcmp(name, "clSkmdDescribe") == 0 ? reinterpret_cast<void*>(&describe) : nullptr;
}

EXPORTED void report_launches(int count, int mismatches) {
  observer().devices({{"one", "cpu", "icd"}, {"two", "gpu", "icd"}});
  LaunchReport launch{.kernel = "k", .program = "p", .slices = {}, .not_split = {}, .rungs = {}};
  launch.slices = {{0, {0, 3}, 1, 2}, {1, {3, 10}, 1, 2}};
  for (int i = 0; i < count; ++i) observer().launch(launch);
  for (int i = 0; i < mismatches; ++i) {
    VerifyReport report;
    report.mismatching_bytes = 1;
    observer().verify(report);
  }
}

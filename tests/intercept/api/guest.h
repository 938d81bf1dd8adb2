// SPDX-License-Identifier: Apache-2.0
// An application in a process of its own: the driver is its guest.
#pragma once

#include <CL/cl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>

namespace skmd::test {

inline constexpr unsigned kSeconds = 100;

struct Guest {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
  cl_kernel kernel = nullptr;
  cl_mem memory = nullptr;

  bool open() {
    cl_int status = clGetPlatformIDs(1, &platform, nullptr);
    if (status == CL_SUCCESS) status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
    if (status == CL_SUCCESS) context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    if (status == CL_SUCCESS) queue = clCreateCommandQueueWithProperties(context, device, nullptr, &status);
    if (status == CL_SUCCESS)
      memory = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096 * sizeof(cl_int), nullptr, &status);
    return status == CL_SUCCESS;
  }
  bool build(const char* text, const char* options = "", const char* name = "k") {
    cl_int status = CL_SUCCESS;
    program = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
    if (status == CL_SUCCESS) status = clBuildProgram(program, 0, nullptr, options, nullptr, nullptr);
    if (status == CL_SUCCESS) kernel = clCreateKernel(program, name, &status);
    return status == CL_SUCCESS;
  }
  bool launch() {
    const size_t global = 4096, local = 64;
    return clSetKernelArg(kernel, 0, sizeof memory, &memory) == CL_SUCCESS &&
           clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr) == CL_SUCCESS;
  }
  /// -1: it cannot be read.
  cl_int last_item() {
    cl_int last = 0;
    const cl_int status =
        clEnqueueReadBuffer(queue, memory, CL_TRUE, 4095 * sizeof last, sizeof last, &last, 0, nullptr, nullptr);
    return status == CL_SUCCESS ? last : -1;
  }
  bool finish_and_check() { return last_item() == 63; }
};

inline constexpr char kText[] = "kernel void k(global int* out) { out[get_global_id(0)] = (int)get_group_id(0); }";

inline void set_environment() {
  setenv("OCL_ICD_VENDORS", SKMD_TEST_VENDORS_FOLDER, 1);
  setenv("SKMD_DEVICES", "portable:pthread@discrete,portable:basic@discrete", 1);
  setenv("POCL_DEVICES", "pthread basic", 1);
  setenv("SKMD_CACHE_DIR", SKMD_TEST_CACHE_FOLDER, 1);
  setenv("POCL_CACHE_DIR", SKMD_TEST_CACHE_FOLDER "/pocl", 1);
  setenv("SKMD_PARTITION", "equal", 1);
}

/// Runs `body` in a fresh process that then leaves through exit(): static destructors and handlers run. Its exit
/// status; 128 and more for a signal (hanging ends in SIGALRM).
inline int in_process(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    set_environment();
    alarm(kSeconds);
    std::exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// A cache of its own: the helper really has to be started.
inline std::string fresh_cache() {
  std::string folder = SKMD_TEST_CACHE_FOLDER "/guest-XXXXXX";
  return mkdtemp(folder.data()) != nullptr ? folder : std::string();
}

inline bool opaque(const Guest& guest) {
  using Describe = cl_int (*)(cl_platform_id, size_t, char*, size_t*);
  const auto describe =
      reinterpret_cast<Describe>(clGetExtensionFunctionAddressForPlatform(guest.platform, "clSkmdDescribe"));
  std::string text(1 << 20, '\0');
  if (describe == nullptr || describe(guest.platform, text.size(), text.data(), nullptr) != CL_SUCCESS) return true;
  return text.find("\"opaque\": false") == std::string::npos;
}

}  // namespace skmd::test

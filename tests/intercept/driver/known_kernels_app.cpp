// SPDX-License-Identifier: Apache-2.0
// An application with one kernel, for known_kernels_test.py:
//   known_kernels_app GROUPS LAUNCHES [SAMPLES|problem]
// SAMPLES: before its first launch it waits until the statistics (SKMD_STATS) say that so many are in the model;
// `problem`: until they name one of the profile database. Exits with 1, and says why, where a call fails or a result is
// wrong.
#include <CL/cl.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "tests/stub-icd/kernels.h"

namespace {

constexpr std::size_t kLocal = 16;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "known_kernels_app: %s\n", why.c_str());
  std::exit(1);
}

void check(cl_int code, const char* call) {
  if (code != CL_SUCCESS) give_up(std::string(call) + " says " + std::to_string(code));
}

/// Until the statistics' file holds what is waited for.
void wait_for(const char* what, const std::function<bool(const std::string& text)>& holds) {
  const char* file = std::getenv("SKMD_STATS");
  for (int i = 0; i < 12000; ++i) {
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (holds(text)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  give_up(std::string("the statistics never tell of ") + what);
}

void wait_for(const std::string& what) {
  if (what == "problem") {
    wait_for("a problem", [](const std::string& text) { return text.find("\"problem\":\"") != std::string::npos; });
    return;
  }
  wait_for("the samples", [wanted = std::strtoul(what.c_str(), nullptr, 10)](const std::string& text) {
    const std::size_t place = text.find("\"loaded\":");
    return place != std::string::npos && std::strtoul(text.c_str() + place + 9, nullptr, 10) >= wanted;
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t items = kLocal * std::strtoul(argv[1], nullptr, 10);
  const int launches = std::atoi(argv[2]);
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_int code = 0;
  check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  check(code, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, nullptr, &code);
  check(code, "clCreateCommandQueueWithProperties");
  std::vector<cl_uint> counts(items);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, items * 4, counts.data(), &code);
  check(code, "clCreateBuffer");
  cl_program program =
      clCreateProgramWithSource(context, 1, const_cast<const char**>(&stub::kKernelSource), nullptr, &code);
  check(code, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, "stub_count", &code);
  check(code, "clCreateKernel");
  check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
  if (argc > 3) wait_for(argv[3]);
  for (int i = 0; i < launches; ++i) {
    check(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, &kLocal, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
    check(clFinish(queue), "clFinish");
  }
  check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, items * 4, counts.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
  for (const cl_uint count : counts)
    if (count != static_cast<cl_uint>(launches)) give_up("an item was counted " + std::to_string(count) + " times");
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}

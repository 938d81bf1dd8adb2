// SPDX-License-Identifier: Apache-2.0
// The driver as a guest in other people's processes: exit without cleanup, late calls, forks, ignored children, closed
// streams. Every case is a process of its own.
#include <CL/cl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace skmd::test {
namespace {

constexpr unsigned kSeconds = 100;

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
  bool build(const char* text) {
    cl_int status = CL_SUCCESS;
    program = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
    if (status == CL_SUCCESS) status = clBuildProgram(program, 0, nullptr, "", nullptr, nullptr);
    if (status == CL_SUCCESS) kernel = clCreateKernel(program, "k", &status);
    return status == CL_SUCCESS;
  }
  bool launch() {
    const size_t global = 4096, local = 64;
    return clSetKernelArg(kernel, 0, sizeof memory, &memory) == CL_SUCCESS &&
           clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr) == CL_SUCCESS;
  }
  bool finish_and_check() {
    cl_int last = 0;
    return clEnqueueReadBuffer(queue, memory, CL_TRUE, 4095 * sizeof last, sizeof last, &last, 0, nullptr, nullptr) ==
               CL_SUCCESS &&
           last == 63;
  }
};

constexpr char kText[] = "kernel void k(global int* out) { out[get_global_id(0)] = (int)get_group_id(0); }";

void set_environment() {
  setenv("OCL_ICD_VENDORS", SKMD_TEST_VENDORS_FOLDER, 1);
  setenv("SKMD_DEVICES", "portable:pthread@discrete,portable:basic@discrete", 1);
  setenv("POCL_DEVICES", "pthread basic", 1);
  setenv("SKMD_CACHE_DIR", SKMD_TEST_CACHE_FOLDER, 1);
  setenv("POCL_CACHE_DIR", SKMD_TEST_CACHE_FOLDER "/pocl", 1);
  setenv("SKMD_PARTITION", "equal", 1);
}

/// Runs `body` in a fresh process that then leaves through exit(): static destructors and handlers run. Its exit
/// status; 128 and more for a signal (hanging ends in SIGALRM).
int in_process(const std::function<int()>& body) {
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

TEST(Guest, ExitsWithoutCleanupWhileWorkIsInFlight) {
  EXPECT_EQ(in_process([] {
              Guest guest;
              if (!guest.open() || !guest.build(kText) || !guest.launch()) return 1;
              clFlush(guest.queue);
              return 0;
            }),
            0);
}

Guest late;

TEST(Guest, TakesReleasesFromExitHandlers) {
  EXPECT_EQ(in_process([] {
              // Registered before the driver is loaded: it runs after everything that the real drivers registered, when
              // those may be half gone. No new work then, only goodbyes.
              std::atexit([] {
                if (clFinish(late.queue) == CL_SUCCESS && clReleaseMemObject(late.memory) == CL_SUCCESS &&
                    clReleaseKernel(late.kernel) == CL_SUCCESS && clReleaseProgram(late.program) == CL_SUCCESS &&
                    clReleaseCommandQueue(late.queue) == CL_SUCCESS && clReleaseContext(late.context) == CL_SUCCESS)
                  _exit(0);
                _exit(2);
              });
              return late.open() && late.build(kText) && late.launch() && late.finish_and_check() ? 1 : 3;
            }),
            0);
}

TEST(Guest, AForkedChildThatDoesNotUseItLeavesNormally) {
  EXPECT_EQ(in_process([] {
              Guest guest;
              if (!guest.open() || !guest.build(kText) || !guest.launch()) return 1;
              const pid_t child = fork();
              if (child == 0) {
                alarm(kSeconds);
                std::exit(7);
              }
              int status = 0;
              waitpid(child, &status, 0);
              if (!WIFEXITED(status) || WEXITSTATUS(status) != 7) return 2;
              return guest.finish_and_check() ? 0 : 3;
            }),
            0);
}

/// A cache of its own: the helper really has to be started.
std::string fresh_cache() {
  std::string folder = SKMD_TEST_CACHE_FOLDER "/guest-XXXXXX";
  return mkdtemp(folder.data()) != nullptr ? folder : std::string();
}

bool opaque(const Guest& guest) {
  using Describe = cl_int (*)(cl_platform_id, size_t, char*, size_t*);
  const auto describe =
      reinterpret_cast<Describe>(clGetExtensionFunctionAddressForPlatform(guest.platform, "clSkmdDescribe"));
  std::string text(1 << 20, '\0');
  if (describe == nullptr || describe(guest.platform, text.size(), text.data(), nullptr) != CL_SUCCESS) return true;
  return text.find("\"opaque\": false") == std::string::npos;
}

TEST(Guest, BuildsWhereChildrenAreIgnored) {
  EXPECT_EQ(in_process([] {
              setenv("SKMD_CACHE_DIR", fresh_cache().c_str(), 1);
              std::signal(SIGCHLD, SIG_IGN);
              Guest guest;
              if (!guest.open() || !guest.build(kText)) return 1;
              return opaque(guest) ? 2 : 0;
            }),
            0);
}

TEST(Guest, BuildsWithClosedStreamsInAnotherFolder) {
  EXPECT_EQ(in_process([] {
              setenv("SKMD_CACHE_DIR", fresh_cache().c_str(), 1);
              for (const int stream : {0, 1, 2}) close(stream);
              if (chdir("/") != 0) return 4;
              Guest guest;
              if (!guest.open() || !guest.build(kText) || !guest.launch()) return 1;
              if (opaque(guest)) return 2;
              return guest.finish_and_check() ? 0 : 3;
            }),
            0);
}

TEST(Guest, WritesNothingToItsStreams) {
  EXPECT_EQ(in_process([] {
              int out[2];
              if (pipe(out) != 0 || dup2(out[1], 1) < 0 || dup2(out[1], 2) < 0) return 4;
              close(out[1]);
              Guest guest;
              const bool good = guest.open() && guest.build(kText) && guest.launch() && guest.finish_and_check();
              guest.build("kernel void k( {");
              close(1);
              close(2);
              char byte = 0;
              return !good ? 1 : read(out[0], &byte, 1) == 0 ? 0 : 2;
            }),
            0);
}

}  // namespace
}  // namespace skmd::test

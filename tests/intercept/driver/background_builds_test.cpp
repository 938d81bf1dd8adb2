// SPDX-License-Identifier: Apache-2.0
// Applications whose programs are not built on every device when they go on, over the stub driver's two devices, the
// first of which is the anchor. What is built when, the test decides; nothing here depends on how long anything takes.
#include <CL/cl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/stub-icd/control.h"
#include "tests/stub-icd/kernels.h"

namespace {

constexpr std::size_t kItems = 256;
constexpr unsigned kAnchor = 1, kOther = 2;  // bits

#define OK(call) ASSERT_EQ(call, CL_SUCCESS)

struct World {
  World() {
    cl_platform_id platform = nullptr;
    cl_int code = clGetPlatformIDs(1, &platform, nullptr);
    EXPECT_EQ(code, CL_SUCCESS);
    EXPECT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), CL_SUCCESS);
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    describe = reinterpret_cast<Describe>(clGetExtensionFunctionAddressForPlatform(platform, "clSkmdDescribe"));
    of = platform;
  }
  ~World() {
    stub::hold_builds(0);
    stub::fail_builds(0);
    EXPECT_EQ(clReleaseContext(context), CL_SUCCESS);
  }
  cl_program source(const std::string& text = stub::kKernelSource) const {
    const char* string = text.c_str();
    cl_int code = CL_SUCCESS;
    cl_program program = clCreateProgramWithSource(context, 1, &string, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return program;
  }
  cl_program build(const char* options = "") const {
    cl_program program = source();
    EXPECT_EQ(clBuildProgram(program, 0, nullptr, options, nullptr, nullptr), CL_SUCCESS);
    return program;
  }
  /// Fills a buffer by a kernel of the program, `times` times, each with another value, and looks at it.
  void fill(cl_program program, cl_uint value, int times = 1) const {
    cl_int code = CL_SUCCESS;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    OK(code);
    cl_kernel kernel = clCreateKernel(program, "stub_fill", &code);
    OK(code);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, kItems * sizeof(cl_uint), nullptr, &code);
    OK(code);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    const std::size_t local = 16;
    for (int i = 0; i < times; ++i) {
      const cl_uint now = value + static_cast<cl_uint>(i);
      OK(clSetKernelArg(kernel, 1, sizeof now, &now));
      OK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kItems, &local, 0, nullptr, nullptr));
      std::vector<cl_uint> seen(kItems);
      OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, kItems * sizeof(cl_uint), seen.data(), 0, nullptr, nullptr));
      for (const cl_uint number : seen) ASSERT_EQ(number, now);
    }
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
    OK(clReleaseCommandQueue(queue));
  }
  std::string description() const {
    std::string text;
    cl_int code = CL_INVALID_VALUE;
    while (code == CL_INVALID_VALUE) {  // the text may have grown since its size was asked for
      std::size_t size = 0;
      EXPECT_EQ(describe(of, 0, nullptr, &size), CL_SUCCESS);
      text.assign(size, '\0');
      code = describe(of, size, text.data(), nullptr);
    }
    EXPECT_EQ(code, CL_SUCCESS);
    return text;
  }

  using Describe = cl_int(CL_API_CALL*)(cl_platform_id, size_t, char*, size_t*);
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_platform_id of = nullptr;
  Describe describe = nullptr;
};

template <class Condition>
void wait_until(const Condition& condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(BackgroundBuilds, AProgramRunsWhileAnotherDeviceIsStillBuilding) {
  World w;
  stub::hold_builds(kOther);
  const std::size_t before = stub::builds_ended(1);
  cl_program program = w.build();
  w.fill(program, 7, 3);
  wait_until([] { return stub::builds_held() == 1; });
  w.fill(program, 11, 3);
  stub::hold_builds(0);
  wait_until([&] { return stub::builds_ended(1) == before + 1; });
  w.fill(program, 13, 30);
  OK(clReleaseProgram(program));
}

TEST(BackgroundBuilds, AnAnchorThatTakesLongIsNotWaitedFor) {
  World w;
  stub::hold_builds(kAnchor);
  cl_program program = w.build();
  w.fill(program, 7, 3);
  cl_int code = CL_SUCCESS;
  cl_kernel kernel = clCreateKernel(program, "stub_fill", &code);
  OK(code);
  std::atomic<std::size_t> told{0};
  std::thread asking([&] {
    std::size_t size = 0;
    EXPECT_EQ(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, nullptr),
              CL_SUCCESS);
    told = size;
  });
  EXPECT_EQ(told, 0u) << "that is the anchor's answer";
  stub::hold_builds(0);
  asking.join();
  EXPECT_GE(told, 256u);
  std::size_t again = 0;
  OK(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof again, &again, nullptr));
  EXPECT_EQ(told, again);
  OK(clReleaseKernel(kernel));
  w.fill(program, 13, 10);
  OK(clReleaseProgram(program));
}

TEST(BackgroundBuilds, ALateFailureIsToldAndChangesNoResult) {
  World w;
  stub::hold_builds(kOther);
  stub::fail_builds(kOther);
  cl_program program = w.build("-DLATE=1");
  cl_build_status status = CL_BUILD_NONE;
  OK(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, nullptr));
  EXPECT_EQ(status, CL_BUILD_SUCCESS);
  EXPECT_EQ(w.description().find("\"failed\""), std::string::npos);
  wait_until([] { return stub::builds_held() == 1; });
  stub::hold_builds(0);
  wait_until([&] { return w.description().find("\"state\": \"failed\"") != std::string::npos; });
  EXPECT_NE(w.description().find("CL_BUILD_PROGRAM_FAILURE"), std::string::npos) << w.description();
  OK(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, nullptr));
  EXPECT_EQ(status, CL_BUILD_SUCCESS);
  w.fill(program, 5, 20);
  OK(clReleaseProgram(program));
}

TEST(BackgroundBuilds, AProgramIsBuiltAgainWhileItsFormerBuildIsUnderWay) {
  World w;
  stub::hold_builds(kOther);
  const std::size_t before = stub::builds_ended(1);
  cl_program program = w.build("-DFIRST");
  wait_until([] { return stub::builds_held() == 1; });
  OK(clBuildProgram(program, 0, nullptr, "-DSECOND", nullptr, nullptr));
  w.fill(program, 7, 3);
  stub::hold_builds(0);
  wait_until([&] { return stub::builds_ended(1) == before + 2; });
  w.fill(program, 9, 20);
  OK(clReleaseProgram(program));
}

TEST(BackgroundBuilds, ABinaryWaitsForAllThatAreUnderWay) {
  World w;
  stub::hold_builds(kOther);
  const std::size_t before = stub::builds_ended(1);
  cl_program program = w.build();
  wait_until([] { return stub::builds_held() == 1; });
  std::thread opening([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    stub::hold_builds(0);
  });
  std::size_t size = 0;
  OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr));
  EXPECT_EQ(stub::builds_ended(1), before + 1);
  EXPECT_GT(size, 0u);
  opening.join();
  OK(clReleaseProgram(program));
}

TEST(BackgroundBuilds, ReleasedWhileItIsBuiltElsewhere) {
  World w;
  stub::hold_builds(kOther);
  const std::size_t before = stub::builds_ended(1);
  cl_program program = w.build();
  wait_until([] { return stub::builds_held() == 1; });
  OK(clReleaseProgram(program));
  stub::hold_builds(0);
  wait_until([&] { return stub::builds_ended(1) == before + 1; });
}

TEST(BackgroundBuilds, SixteenThreadsWithProgramsOfTheirOwn) {
  World w;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 16; ++t)
    threads.emplace_back([&w, t] {
      for (unsigned round = 0; round < 6; ++round) {
        const std::string options = "-DTHREAD=" + std::to_string(t % 4) + " -DROUND=" + std::to_string(round % 2);
        cl_program program = w.build(options.c_str());
        w.fill(program, 100 * t + round, 4);
        if (round % 2 != 0) {
          OK(clBuildProgram(program, 0, nullptr, "-DAGAIN", nullptr, nullptr));
          w.fill(program, 1000 * t + round, 2);
        }
        OK(clReleaseProgram(program));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

/// exit() unwinds nothing, as of an application that leaks.
/// Set in processes that end in the middle of their work: what they then hold is no leak.
bool ends_in_the_middle = false;

World* world_that_is_never_taken_down() {
  ends_in_the_middle = true;
  return new World;
}

void exit_while_a_build_is_under_way() {
  auto* w = world_that_is_never_taken_down();
  stub::hold_builds(kOther);
  (void)w->build();
  wait_until([] { return stub::builds_held() == 1; });
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stub::hold_builds(0);
  }).detach();
  std::exit(0);
}

TEST(BackgroundBuildsAtExit, ABuildIsWaitedFor) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(exit_while_a_build_is_under_way(), testing::ExitedWithCode(0), "");
}

/// As LLVM's: its compiler registers what takes it down while it runs for the first time.
void exit_with_a_handler_registered_since() {
  auto* w = world_that_is_never_taken_down();
  stub::hold_builds(kOther);
  (void)w->build();
  wait_until([] { return stub::builds_held() == 1; });
  std::atexit([] {
    if (stub::builds_held() != 0) _exit(stub::kEndedUnderneath);
  });
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stub::hold_builds(0);
  }).detach();
  std::exit(0);
}

TEST(BackgroundBuildsAtExit, ABuildIsWaitedForBeforeItsCompilersOwnHandlersRun) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(exit_with_a_handler_registered_since(), testing::ExitedWithCode(0), "");
}

/// The anchor's build, beside which another device was ready, is on a thread of the executor.
void exit_while_the_anchor_is_built() {
  auto* w = world_that_is_never_taken_down();
  stub::hold_builds(kAnchor);
  (void)w->build();
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stub::hold_builds(0);
  }).detach();
  std::exit(0);
}

TEST(BackgroundBuildsAtExit, SoIsTheAnchors) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(exit_while_the_anchor_is_built(), testing::ExitedWithCode(0), "");
}

/// Of two programs one is in the vendor's compiler; the other, behind it, must not get in there any more.
void exit_while_builds_are_queued() {
  auto* w = world_that_is_never_taken_down();
  stub::hold_builds(kOther);
  for (const char* options : {"-DA", "-DB", "-DC", "-DD", "-DE", "-DF", "-DG", "-DH"}) {
    cl_program program = w->build(options);
    w->fill(program, 1, 3);
  }
  wait_until([] { return stub::builds_held() >= 1; });
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stub::hold_builds(0);
  }).detach();
  std::exit(0);
}

TEST(BackgroundBuildsAtExit, WhatIsQueuedIsDropped) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(exit_while_builds_are_queued(), testing::ExitedWithCode(0), "");
}

/// The child has none of the threads: it would wait for ever. The stub's own check then finds its parent's thread.
void exit_in_a_child() {
  auto* w = world_that_is_never_taken_down();
  stub::hold_builds(kOther);
  (void)w->build();
  wait_until([] { return stub::builds_held() == 1; });
  const pid_t child = fork();
  if (child == 0) std::exit(3);
  int status = 0;
  waitpid(child, &status, 0);
  stub::hold_builds(0);
  _exit(WIFEXITED(status) && (WEXITSTATUS(status) == 3 || WEXITSTATUS(status) == stub::kEndedUnderneath) ? 0 : 1);
}

TEST(BackgroundBuildsAtExit, AChildDoesNotWaitForItsParentsThreads) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(exit_in_a_child(), testing::ExitedWithCode(0), "");
}

}  // namespace

/// Asked by LeakSanitizer at the process's end.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() { return ends_in_the_middle ? 1 : 0; }

// SPDX-License-Identifier: Apache-2.0
// The driver as a guest in other people's processes: exit without cleanup, late calls, forks, ignored children, closed
// streams. Every case is a process of its own.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "tests/intercept/api/guest.h"

namespace skmd::test {
namespace {

TEST(Guest, ExitsWithoutCleanupWhileWorkIsInFlight) {
  EXPECT_EQ(in_process([] {
              Guest guest;
              if (!guest.open() || !guest.build(kText)) return 1;
              if (!guest.launch() || clFinish(guest.queue) != CL_SUCCESS || !guest.launch()) return 1;
              clFlush(guest.queue);
              return 0;
            }),
            0);
}

// PoCL's own threads compile it. Without our driver, exiting under its compiler may crash.
TEST(Guest, ExitsWithoutCleanupWhileItsFirstLaunchIsCompiled) {
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

/// The status of a child that does `body`; -1 if it did not exit by itself.
int in_fork(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSeconds);
    std::exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Guest, AForkedChildThatUsesItIsRefusedAndDoesNotHang) {
  EXPECT_EQ(in_process([] {
              Guest guest;
              if (!guest.open() || !guest.build(kText) || !guest.launch()) return 1;
              const int status = in_fork([&guest] {
                cl_int code = 0;
                if (guest.launch()) return 2;
                if (clFinish(guest.queue) != CL_OUT_OF_RESOURCES) return 3;
                if (guest.last_item() != -1) return 4;
                if (clCreateBuffer(guest.context, CL_MEM_READ_WRITE, 64, nullptr, &code) != nullptr) return 5;
                if (code != CL_OUT_OF_RESOURCES) return 6;
                const bool released =
                    clReleaseKernel(guest.kernel) == CL_SUCCESS && clReleaseProgram(guest.program) == CL_SUCCESS &&
                    clReleaseMemObject(guest.memory) == CL_SUCCESS &&
                    clReleaseCommandQueue(guest.queue) == CL_SUCCESS && clReleaseContext(guest.context) == CL_SUCCESS;
                return released ? 0 : 7;
              });
              if (status != 0) return 10 + status;
              return guest.launch() && guest.finish_and_check() ? 0 : 8;
            }),
            0);
}

TEST(Guest, AForkOfAProcessThatOnlyLookedIsRefusedToo) {
  EXPECT_EQ(in_process([] {
              cl_platform_id platform = nullptr;
              cl_device_id device = nullptr;
              if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS) return 1;
              if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS) return 2;
              const int status = in_fork([device] {
                cl_int code = 0;
                clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
                return code == CL_OUT_OF_RESOURCES ? 0 : 1;
              });
              return status == 0 ? 0 : 3;
            }),
            0);
}

TEST(Guest, AForkBeforeTheFirstCallHasADriverOfItsOwn) {
  EXPECT_EQ(in_process([] {
              return in_fork([] {
                Guest guest;
                return guest.open() && guest.build(kText) && guest.launch() && guest.finish_and_check() ? 0 : 1;
              });
            }),
            0);
}

/// Launches until the process ends.
void launch_for_ever(Guest& guest, std::atomic<int>& launches) {
  std::thread([&guest, &launches] {
    for (;;) {
      if (guest.launch()) ++launches;
      if (launches % 16 == 0) guest.last_item();
    }
  }).detach();
  while (launches < 50) std::this_thread::yield();
}

TEST(Guest, OneThreadEndsTheProcessWhileAnotherLaunches) {
  for (const bool at_once : {false, true})
    EXPECT_EQ(in_process([at_once] {
                static Guest guest;
                static std::atomic<int> launches{0};
                if (!guest.open() || !guest.build(kText)) return 1;
                launch_for_ever(guest, launches);
                if (at_once) _exit(0);
                return 0;
              }),
              0)
        << (at_once ? "_exit" : "exit");
}

TEST(Guest, SurvivesThatItIsClosedWithWorkInFlight) {
  EXPECT_EQ(in_process([] {
              void* const library = dlopen(SKMD_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
              Guest guest;
              if (library == nullptr || !guest.open() || !guest.build(kText) || !guest.launch()) return 1;
              for (int i = 0; i < 100; ++i) dlclose(library);  // the loader's reference, too
              if (!guest.finish_and_check()) return 2;
              return dlopen(SKMD_TEST_LIBRARY, RTLD_NOW | RTLD_NOLOAD) == library ? 0 : 3;
            }),
            0);
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

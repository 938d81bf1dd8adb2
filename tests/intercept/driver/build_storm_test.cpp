// SPDX-License-Identifier: Apache-2.0
// Sixteen threads of one application that all begin at once: each builds a program of its own, or the same one, makes a
// queue, launches and checks its results against the host's, over one context or one each. Every application is a
// process of its own, the first over empty caches, the second over what the first left there.
#include <CL/cl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "tests/temporary_folder.h"

namespace {

constexpr int kThreads = 16;
constexpr std::size_t kItems = 1024;

struct Scenario {
  bool own_contexts = false;
  bool own_programs = false;
};

std::atomic<int> failures{0};

void complain(int thread, const std::string& what) {
  ++failures;
  std::fprintf(stderr, "thread %d: %s\n", thread, what.c_str());
}

/// The names say to the stub driver what they compute; integers small enough that no rounding tells drivers apart.
std::string text_of(int program, int round) {
  const std::string tag = std::to_string(program) + "_" + std::to_string(round);
  return "float own_" + tag + "(float a) { return a * " + std::to_string(program + 1) + ".0f; }\n" +  //
         "kernel void stub_axpy_" + tag + "(global float* y, global const float* x, float a) {\n" +
         "  size_t i = get_global_id(0); y[i] = a * x[i] + y[i] + 0.0f * own_" + tag + "(0.0f);\n}\n" +
         "kernel void stub_fill_" + tag + "(global uint* out, uint value) { out[get_global_id(0)] = value; }\n" +
         "kernel void stub_count_" + tag + "(global uint* counts) { counts[get_global_id(0)] += 1; }\n";
}

/// One thread's application. Any call that fails ends it.
class Worker {
 public:
  Worker(int index, cl_device_id device, cl_context shared, const Scenario& scenario)
      : index_(index), device_(device), context_(shared), scenario_(scenario) {}

  void run() {
    if (!open()) return;
    // Of the one program a second one, which meets the first one's code in every cache.
    for (int round = 0; round < (scenario_.own_programs ? 1 : 2); ++round)
      if (!one_program(round)) return;
    clReleaseCommandQueue(queue_);
    if (scenario_.own_contexts) clReleaseContext(context_);
  }

 private:
  bool good(cl_int code, const char* call) {
    if (code != CL_SUCCESS) complain(index_, std::string(call) + ": " + std::to_string(code));
    return code == CL_SUCCESS;
  }

  bool open() {
    cl_int code = CL_SUCCESS;
    if (scenario_.own_contexts) context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
    if (!good(code, "clCreateContext")) return false;
    queue_ = clCreateCommandQueue(context_, device_, 0, &code);
    return good(code, "clCreateCommandQueue");
  }

  /// Thread by thread another way to build.
  bool build(cl_program& program) {
    cl_int code = CL_SUCCESS;
    if (index_ % 3 == 0) {
      code = clBuildProgram(program, 1, &device_, "", nullptr, nullptr);
    } else if (index_ % 3 == 1) {
      std::promise<void> built;
      code = clBuildProgram(
          program, 0, nullptr, "-cl-fast-relaxed-math",
          [](cl_program, void* promise) { static_cast<std::promise<void>*>(promise)->set_value(); }, &built);
      if (code == CL_SUCCESS) built.get_future().wait();
      cl_build_status status = CL_BUILD_NONE;
      clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, nullptr);
      if (code == CL_SUCCESS && status != CL_BUILD_SUCCESS) code = CL_BUILD_PROGRAM_FAILURE;
    } else {
      code = clCompileProgram(program, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr);
      if (!good(code, "clCompileProgram")) return log(program);
      cl_program linked = clLinkProgram(context_, 0, nullptr, "", 1, &program, nullptr, nullptr, &code);
      clReleaseProgram(program);
      program = linked;
    }
    return good(code, "building") || log(program);
  }

  bool log(cl_program program) {
    std::string text(1 << 14, '\0');
    clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, text.size(), text.data(), nullptr);
    complain(index_, text.c_str());
    return false;
  }

  bool one_program(int round) {
    const int number = scenario_.own_programs ? index_ : 0;
    const std::string text = text_of(number, round);
    const char* string = text.c_str();
    cl_int code = CL_SUCCESS;
    cl_program program = clCreateProgramWithSource(context_, 1, &string, nullptr, &code);
    if (!good(code, "clCreateProgramWithSource") || !build(program)) return false;
    const std::string tag = "_" + std::to_string(number) + "_" + std::to_string(round);
    const bool right = axpy(program, "stub_axpy" + tag) && count(program, "stub_fill" + tag, "stub_count" + tag);
    clReleaseProgram(program);
    return right;
  }

  cl_mem buffer(const void* bytes, std::size_t size) {
    cl_int code = CL_SUCCESS;
    cl_mem made =
        clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, const_cast<void*>(bytes), &code);
    return good(code, "clCreateBuffer") ? made : nullptr;
  }

  cl_kernel kernel(cl_program program, const std::string& name) {
    cl_int code = CL_SUCCESS;
    cl_kernel made = clCreateKernel(program, name.c_str(), &code);
    return good(code, "clCreateKernel") ? made : nullptr;
  }

  /// First launches with several local sizes, one with an offset: drivers build a variant for each.
  bool axpy(cl_program program, const std::string& name) {
    std::vector<float> x(kItems), y(kItems), seen(kItems);
    for (std::size_t i = 0; i < kItems; ++i) x[i] = static_cast<float>(i % 97), y[i] = static_cast<float>(index_);
    cl_mem on_x = buffer(x.data(), kItems * sizeof(float)), on_y = buffer(y.data(), kItems * sizeof(float));
    cl_kernel of = kernel(program, name);
    if (on_x == nullptr || on_y == nullptr || of == nullptr) return false;
    const auto a = static_cast<float>(index_ + 2);
    clSetKernelArg(of, 0, sizeof on_y, &on_y);
    clSetKernelArg(of, 1, sizeof on_x, &on_x);
    if (!good(clSetKernelArg(of, 2, sizeof a, &a), "clSetKernelArg")) return false;
    for (const std::size_t local : {std::size_t{16}, std::size_t{0}})
      for (const std::size_t first : {std::size_t{0}, std::size_t{256}}) {
        const std::size_t items = kItems - first;
        if (!good(clEnqueueNDRangeKernel(queue_, of, 1, first == 0 ? nullptr : &first, &items,
                                         local == 0 ? nullptr : &local, 0, nullptr, nullptr),
                  "clEnqueueNDRangeKernel"))
          return false;
        for (std::size_t i = first; i < kItems; ++i) y[i] += a * x[i];
      }
    const bool read =
        good(clEnqueueReadBuffer(queue_, on_y, CL_TRUE, 0, kItems * sizeof(float), seen.data(), 0, nullptr, nullptr),
             "clEnqueueReadBuffer");
    if (read && seen != y) complain(index_, name + " computed something else");
    clReleaseKernel(of);
    clReleaseMemObject(on_x);
    clReleaseMemObject(on_y);
    return read && seen == y;
  }

  bool count(cl_program program, const std::string& fill_name, const std::string& count_name) {
    const std::vector<cl_uint> zeros(kItems, 0);
    std::vector<cl_uint> seen(kItems);
    cl_mem counts = buffer(zeros.data(), kItems * sizeof(cl_uint));
    cl_kernel fill = kernel(program, fill_name), up = kernel(program, count_name);
    if (counts == nullptr || fill == nullptr || up == nullptr) return false;
    const auto value = static_cast<cl_uint>(1000 * index_);
    clSetKernelArg(fill, 0, sizeof counts, &counts);
    clSetKernelArg(fill, 1, sizeof value, &value);
    clSetKernelArg(up, 0, sizeof counts, &counts);
    const std::size_t items = kItems, local = 32;
    for (cl_kernel one : {fill, up, up})
      if (!good(clEnqueueNDRangeKernel(queue_, one, 1, nullptr, &items, &local, 0, nullptr, nullptr), "a launch"))
        return false;
    const bool read = good(
        clEnqueueReadBuffer(queue_, counts, CL_TRUE, 0, kItems * sizeof(cl_uint), seen.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
    const bool right = read && seen == std::vector<cl_uint>(kItems, value + 2);
    if (read && !right) complain(index_, count_name + " counted something else");
    clReleaseKernel(fill);
    clReleaseKernel(up);
    clReleaseMemObject(counts);
    return right;
  }

  int index_;
  cl_device_id device_;
  cl_context context_;
  cl_command_queue queue_ = nullptr;
  Scenario scenario_;
};

int application(const Scenario& scenario) {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_int code = CL_SUCCESS;
  // With contexts of their own, not even the platform was asked for before.
  if (!scenario.own_contexts) {
    if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS) return 2;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS) return 3;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    if (code != CL_SUCCESS) return 4;
  }
  std::latch start(kThreads), asked(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      cl_device_id mine = device;
      cl_platform_id found = nullptr;
      const cl_int answer = mine == nullptr ? clGetPlatformIDs(1, &found, nullptr) : CL_SUCCESS;
      // ocl-icd gives what one thread made to the others without a lock that sanitizers see.
      asked.arrive_and_wait();
      if (answer != CL_SUCCESS ||
          (mine == nullptr && clGetDeviceIDs(found, CL_DEVICE_TYPE_ALL, 1, &mine, nullptr) != CL_SUCCESS))
        return complain(i, "no device");
      Worker(i, mine, context, scenario).run();
    });
  for (std::thread& thread : threads) thread.join();
  if (context != nullptr) clReleaseContext(context);
  return failures == 0 ? 0 : 1;
}

/// Status of this program run as the application; 128 and more: the signal that ended it.
int run(const Scenario& scenario, const std::string& caches) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("SKMD_CACHE_DIR", (caches + "/skmd").c_str(), 1);
    setenv("POCL_CACHE_DIR", (caches + "/pocl").c_str(), 1);
    const std::string word = std::string(scenario.own_contexts ? "own" : "shared") + (scenario.own_programs ? "+" : "");
    execl("/proc/self/exe", "build_storm", "--application", word.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class BuildStorm : public testing::TestWithParam<Scenario> {};

TEST_P(BuildStorm, EveryThreadGetsItsResultsColdAndWarm) {
  const skmd::test::TemporaryFolder caches;
  ASSERT_FALSE(caches.path().empty());
  for (const char* name : {"skmd", "pocl"}) ASSERT_TRUE(std::filesystem::create_directory(caches.file(name)));
  EXPECT_EQ(run(GetParam(), caches.path()), 0) << "cold";
  EXPECT_EQ(run(GetParam(), caches.path()), 0) << "warm";
}

INSTANTIATE_TEST_SUITE_P(, BuildStorm,
                         testing::Values(Scenario{false, false}, Scenario{false, true}, Scenario{true, false},
                                         Scenario{true, true}),
                         [](const auto& of) {
                           return std::string(of.param.own_contexts ? "OwnContexts" : "OneContext") +
                                  (of.param.own_programs ? "OwnPrograms" : "OneProgram");
                         });

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--application") == 0)
    return application({std::strncmp(argv[2], "own", 3) == 0, std::strchr(argv[2], '+') != nullptr});
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

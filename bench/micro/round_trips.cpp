// SPDX-License-Identifier: Apache-2.0
// What each call of a small application takes, from its first repetition on: write, set arguments, launch, blocking
// read, over and over, with the kernel of the shortest of the sixteen workloads. An ordinary OpenCL application: run it
// against a driver and against the virtual device over that driver.
//
//   round_trips [--repeat N] [--device platform:device] [--same] [--profile]
//
// What is written differs from the time before in one number, unless it is asked to be the same.
// Prints one JSON line: medians in microseconds of repetitions 1 to 16, 17 to 48, 49 to 160 and of all later ones; the
// longest repetition of each window; with --profile, on a queue that tells times, also how long the device computed.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "bench/support/opencl.h"
#include "bench/support/options.h"
#include "bench/support/random.h"
#include "bench/support/select.h"
#include "kernels/binomial_option.h"

namespace bench {
namespace {

constexpr int kSteps = 254;
constexpr std::size_t kGroup = kSteps + 1;
constexpr std::size_t kGroups = 64;
constexpr std::size_t kNumbers = 4 * kGroups;

double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

enum Part : std::size_t { kWrite, kArguments, kLaunch, kRead, kTotal, kComputing, kParts };
constexpr std::array<const char*, kParts> kNames = {"write", "arguments", "launch", "read", "total", "computing"};
using Times = std::array<double, kParts>;

class Application {
 public:
  Application(cl_device_id device, bool same, bool profile) : same_(same), profile_(profile) {
    cl_int code = CL_SUCCESS;
    context_ = Context(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code));
    check_call(code, "clCreateContext");
    queue_ = Queue(clCreateCommandQueue(context_.get(), device, profile ? CL_QUEUE_PROFILING_ENABLE : 0, &code));
    check_call(code, "clCreateCommandQueue");
    const char* source = kernels::kBinomialOption;
    program_ = Program(clCreateProgramWithSource(context_.get(), 1, &source, nullptr, &code));
    check_call(code, "clCreateProgramWithSource");
    check_call(clBuildProgram(program_.get(), 1, &device, "", nullptr, nullptr), "clBuildProgram");
    kernel_ = Kernel(program_, "binomial_option");
    for (Buffer* buffer : {&from_, &to_}) {
      *buffer = Buffer(clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, sizeof in_, nullptr, &code));
      check_call(code, "clCreateBuffer");
    }
    std::copy_n(random_floats(kNumbers, 1, 0, 1).begin(), kNumbers, in_.begin());
  }

  /// `number` tells which of the inputs is another one than before.
  Times repeat(std::size_t number) {
    if (!same_) in_[number % kNumbers] = 1.0f - in_[number % kNumbers];
    const LocalBytes row{kGroup * sizeof(cl_float4)};
    const std::size_t global = kGroups * kGroup, local = kGroup;
    cl_event event = nullptr;
    std::array<double, 5> at{now_us()};
    check_call(
        clEnqueueWriteBuffer(queue_.get(), from_.get(), CL_FALSE, 0, sizeof in_, in_.data(), 0, nullptr, nullptr),
        "clEnqueueWriteBuffer");
    at[1] = now_us();
    kernel_.set(from_, to_, cl_int{kSteps}, 0.02f, 0.3f, row, row);
    at[2] = now_us();
    check_call(clEnqueueNDRangeKernel(queue_.get(), kernel_.get(), 1, nullptr, &global, &local, 0, nullptr,
                                      profile_ ? &event : nullptr),
               "clEnqueueNDRangeKernel");
    at[3] = now_us();
    check_call(clEnqueueReadBuffer(queue_.get(), to_.get(), CL_TRUE, 0, sizeof out_, out_.data(), 0, nullptr, nullptr),
               "clEnqueueReadBuffer");
    at[4] = now_us();
    return {at[1] - at[0], at[2] - at[1], at[3] - at[2], at[4] - at[3], at[4] - at[0], computing(event)};
  }

 private:
  static double computing(cl_event event) {
    if (event == nullptr) return 0;
    cl_ulong begin = 0, end = 0;
    check_call(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, nullptr), "START");
    check_call(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr), "END");
    check_call(clReleaseEvent(event), "clReleaseEvent");
    return static_cast<double>(end - begin) * 1e-3;
  }

  bool same_, profile_;
  Context context_;
  Queue queue_;
  Program program_;
  Kernel kernel_;
  Buffer from_, to_;
  std::array<float, kNumbers> in_{}, out_{};
};

nlohmann::ordered_json window(const std::vector<Times>& all, std::size_t first, std::size_t last, bool profile) {
  nlohmann::ordered_json row;
  for (std::size_t part = 0; part < (profile ? kParts : kComputing); ++part) {
    std::vector<double> each;
    for (std::size_t i = first; i < last; ++i) each.push_back(all[i][part]);
    std::sort(each.begin(), each.end());
    row[kNames[part]] = each[each.size() / 2];
    if (part == kTotal) row["longest"] = each.back();
  }
  return row;
}

int run(std::size_t repeat, const std::string& device, bool same, bool profile) {
  Application application(select_device(device), same, profile);
  std::vector<Times> all;
  for (std::size_t i = 0; i < repeat; ++i) all.push_back(application.repeat(i));
  nlohmann::ordered_json line;
  std::size_t first = 0;
  for (const std::size_t last : {std::size_t{16}, std::size_t{48}, std::size_t{160}, repeat}) {
    const std::size_t end = std::min(last, repeat);
    if (end > first) line[std::to_string(first + 1) + " to " + std::to_string(end)] = window(all, first, end, profile);
    first = end;
  }
  std::cout << line.dump() << std::endl;
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  CLI::App app("Times each call of a small application, from its first repetition on", "round_trips");
  std::size_t repeat = 400;
  std::string device;
  bool same = false, profile = false;
  app.add_option("--repeat", repeat, "How often to write, launch and read")->check(CLI::Range(1, 1000000));
  app.add_option("--device", device, "platform:device, as the workloads' option");
  app.add_flag("--same", same, "Write the same numbers each time");
  app.add_flag("--profile", profile, "Also how long the device computed");
  return bench::parse_and(app, argc, argv, [&] { return bench::run(repeat, device, same, profile); });
}

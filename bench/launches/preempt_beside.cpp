// SPDX-License-Identifier: Apache-2.0
// A small launch beside a long one.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "bench/launches/preempt_rows.h"
#include "bench/support/opencl.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kSource = R"(
kernel void work(global uint* out, uint rounds) {
  uint x = get_global_id(0);
  for (uint k = 0; k < rounds; ++k) x = x * 1664525u + 1013904223u;
  out[get_global_id(0) % 4096] = x;
}
)";
constexpr std::size_t kGroup = 64, kWords = 4096, kFewGroups = 64, kMaxGroups = std::size_t{1} << 26, kGrowth = 8;
constexpr cl_uint kRounds = 20000;
/// Until the long launch is under way, when the small one is enqueued; a tenth of the long launch at most. Source:
/// chosen: far longer than any driver takes to begin.
constexpr double kHeadStart = 0.05;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

class Beside {
 public:
  explicit Beside(const std::string& selector)
      : device_(selector),
        long_out_(device_.buffer(CL_MEM_READ_WRITE, kWords * sizeof(cl_uint))),
        small_out_(device_.buffer(CL_MEM_READ_WRITE, kWords * sizeof(cl_uint))),
        program_(device_.build(kSource)),
        long_(program_, "work"),
        small_(program_, "work") {
    cl_int code = CL_SUCCESS;
    other_ = Queue(clCreateCommandQueue(device_.context(), device_.id(), 0, &code));
    check_call(code, "clCreateCommandQueue");
    long_.set(long_out_, kRounds);
    small_.set(small_out_, cl_uint{1});
  }

  /// How many groups take so long. A few take as long as one where a device runs many at once: the number grows until
  /// launches take a good part of it.
  std::size_t groups_of(double seconds) {
    for (std::size_t tried = kFewGroups;; tried *= kGrowth) {
      const double each = shortest_of(tried);
      if (each < seconds / kGrowth && tried <= kMaxGroups / kGrowth) continue;
      const double groups = std::ceil(seconds / each * static_cast<double>(tried));
      return static_cast<std::size_t>(std::clamp(groups, 1.0, static_cast<double>(kMaxGroups)));
    }
  }

  /// Seconds.
  double once(std::size_t groups, double head_start) {
    device_.launch(long_, range_1d(groups * kGroup, kGroup));
    check_call(clFlush(device_.queue()), "clFlush");
    std::this_thread::sleep_for(std::chrono::duration<double>(head_start));
    const auto begin = Clock::now();
    run_small();
    const double seconds = since(begin);
    check_call(clFinish(device_.queue()), "clFinish");
    return seconds;
  }

 private:
  /// Seconds. The first launches are slower than later ones.
  double shortest_of(std::size_t groups) {
    double shortest = 1e9;
    for (int round = 0; round < 3; ++round) {
      const auto begin = Clock::now();
      device_.launch(long_, range_1d(groups * kGroup, kGroup));
      check_call(clFinish(device_.queue()), "clFinish");
      run_small();
      shortest = std::min(shortest, since(begin));
    }
    return shortest;
  }
  void run_small() {
    const Range range = range_1d(kGroup, kGroup);
    check_call(clEnqueueNDRangeKernel(other_.get(), small_.get(), 1, nullptr, range.global.data(), range.local.data(),
                                      0, nullptr, nullptr),
               "clEnqueueNDRangeKernel");
    check_call(clFinish(other_.get()), "clFinish");
  }

  Device device_;
  Queue other_;
  Buffer long_out_, small_out_;
  Program program_;
  Kernel long_, small_;
};

}  // namespace

std::vector<double> small_beside_long(const std::string& selector, double long_seconds, int repetitions) {
  Beside beside(selector);
  const std::size_t groups = beside.groups_of(long_seconds);
  const double head_start = std::min(kHeadStart, long_seconds / 10);
  std::vector<double> microseconds;
  microseconds.reserve(static_cast<std::size_t>(repetitions));
  for (int i = 0; i < repetitions; ++i) microseconds.push_back(1e6 * beside.once(groups, head_start));
  return microseconds;
}

}  // namespace bench

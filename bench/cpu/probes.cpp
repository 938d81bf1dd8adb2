// SPDX-License-Identifier: Apache-2.0
#include "bench/cpu/probes.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/support/opencl.h"

namespace bench {
namespace {

/// `idle`: its guard never holds, but only the items can tell.
constexpr const char* kSource = R"(
__kernel void empty() {}
__kernel void idle(__global int* out, int none) {
  const int i = get_global_id(0);
  if (i == none) out[0] = i;
}
__kernel void busy(__global float* out, int rounds) {
  const int i = get_global_id(0);
  float x = i;
  for (int k = 0; k < rounds; ++k) x = x * 0.999f + 1.0f;
  out[i] = x;
}
)";

constexpr std::size_t kGroup = 64;
constexpr std::size_t kManyGroups = 1 << 18, kFewGroups = 1 << 10;
constexpr std::size_t kBusyGroups = 1 << 12;
constexpr cl_int kRounds = 1000;

class Probes {
 public:
  explicit Probes(const std::string& selector)
      : device_(selector),
        program_(device_.build(kSource)),
        empty_(program_, "empty"),
        idle_(program_, "idle"),
        busy_(program_, "busy"),
        out_(device_.buffer(CL_MEM_READ_WRITE, kBusyGroups * kGroup * sizeof(float))) {
    device_.account(&spent_);
    idle_.set(out_, cl_int{-1});
    busy_.set(out_, kRounds);
  }

  nlohmann::ordered_json answer(const std::string& request) {
    if (request == "empty") return {{"seconds", typical(empty_, 1, 501)}};
    if (request == "group") {
      const double few = typical(idle_, kFewGroups, 5), many = typical(idle_, kManyGroups, 5);
      return {{"seconds", (many - few) / static_cast<double>(kManyGroups - kFewGroups)}};
    }
    if (request == "half")
      return {{"all", typical(busy_, kBusyGroups, 5)}, {"half", typical(busy_, kBusyGroups / 2, 5)}};
    throw BadInput("no such request: " + request);
  }

 private:
  /// Median seconds of `count` launches.
  double typical(const Kernel& kernel, std::size_t groups, std::size_t count) {
    std::vector<double> seconds(count);
    for (double& value : seconds) {
      spent_.kernels = 0;
      device_.launch(kernel, range_1d(groups * kGroup, kGroup));
      value = spent_.kernels;
    }
    std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(count / 2), seconds.end());
    return seconds[count / 2];
  }

  Device device_;
  Spent spent_;
  Program program_;
  Kernel empty_, idle_, busy_;
  Buffer out_;
};

}  // namespace

void serve_probes(const std::string& selector) {
  Probes probes(selector);
  for (std::string request; std::getline(std::cin, request);) std::cout << probes.answer(request).dump() << std::endl;
}

}  // namespace bench

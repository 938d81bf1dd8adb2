// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "bench/workloads/image_filter.h"
#include "kernels/median_filter.h"

namespace bench {
namespace {

class MedianFilter : public ImageFilter {
 public:
  MedianFilter(const Device& device, Size size)
      : ImageFilter(device, size, kernels::kMedianFilter, "median_filter", 0) {}

 private:
  double expected(const std::array<int, 9>& near) const override {
    std::array<int, 9> sorted = near;
    std::nth_element(sorted.begin(), sorted.begin() + 4, sorted.end());
    return sorted[4];
  }
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::MedianFilter>(argc, argv, "median_filter",
                                                  "Takes the median of every pixel's 3 x 3 neighbours");
}

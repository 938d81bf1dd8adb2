// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "bench/workloads/image_filter.h"
#include "kernels/sobel_filter.h"

namespace bench {
namespace {

class SobelFilter : public ImageFilter {
 public:
  /// A device may round the square root across a whole number: one more or less is right too.
  SobelFilter(const Device& device, Size size) : ImageFilter(device, size, kernels::kSobelFilter, "sobel_filter", 1) {}

 private:
  double expected(const std::array<int, 9>& near) const override {
    const int across = near[2] + 2 * near[5] + near[8] - near[0] - 2 * near[3] - near[6];
    const int down = near[6] + 2 * near[7] + near[8] - near[0] - 2 * near[1] - near[2];
    return std::min(255.0, std::floor(std::hypot(across, down) / 2));
  }
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::SobelFilter>(argc, argv, "sobel_filter", "Finds edges with Sobel's operator");
}

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "bench/reference/image.h"
#include "bench/support/runner.h"
#include "kernels/sobel_filter.h"

namespace bench {
namespace {

constexpr std::size_t kGroupX = 16;
constexpr std::size_t kGroupY = 4;

class SobelFilter : public Workload {
 public:
  SobelFilter(const Device& device, Size size)
      : device_(device),
        in_(Image::make(by_size<std::size_t>(size, 480, 1920, 3840, 7680),
                        by_size<std::size_t>(size, 272, 1080, 2160, 4320))),
        out_(in_.pixels.size()),
        program_(device.build(kernels::kSobelFilter)),
        kernel_(program_, "sobel_filter"),
        in_buffer_(device.buffer(CL_MEM_READ_ONLY, out_.size() * sizeof(cl_uchar4))),
        out_buffer_(device.buffer(CL_MEM_WRITE_ONLY, out_.size() * sizeof(cl_uchar4))) {}

  void prepare() override { spoil(out_); }

  void run() override {
    device_.write(in_buffer_, in_.pixels);
    kernel_.set(in_buffer_, out_buffer_, static_cast<cl_int>(in_.width), static_cast<cl_int>(in_.height));
    device_.launch(kernel_, range_2d({in_.width, in_.height}, {kGroupX, kGroupY}));
    device_.read(out_buffer_, out_);
  }

  /// Outputs are pixels.
  Verdict check() override {
    return check_outputs(out_.size(), 200, [this](std::size_t i) {
      std::string wrong;
      for (std::size_t channel = 0; channel < 4 && wrong.empty(); ++channel) {
        wrong = judge_near(out_[i].s[channel], expected(in_.neighbours(i % in_.width, i / in_.width, channel)), 0, 1);
      }
      return wrong;
    });
  }

 private:
  /// A device may round the square root across a whole number: one more or less is right too.
  double expected(const std::array<int, 9>& near) const {
    const int across = near[2] + 2 * near[5] + near[8] - near[0] - 2 * near[3] - near[6];
    const int down = near[6] + 2 * near[7] + near[8] - near[0] - 2 * near[1] - near[2];
    return std::min(255.0, std::floor(std::hypot(across, down) / 2));
  }

  const Device& device_;
  Image in_;
  std::vector<cl_uchar4> out_;
  Program program_;
  Kernel kernel_;
  Buffer in_buffer_, out_buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::SobelFilter>(argc, argv, "sobel_filter", "Finds edges with Sobel's operator");
}

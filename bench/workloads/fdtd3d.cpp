// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "bench/support/parallel.h"
#include "bench/support/random.h"
#include "bench/support/runner.h"
#include "kernels/fdtd3d.h"

namespace bench {
namespace {

constexpr std::size_t kWidth = 32;
constexpr std::size_t kHeight = 8;
constexpr int kSteps = 5;

class Fdtd3d : public Workload {
 public:
  Fdtd3d(const Device& device, Size size)
      : device_(device),
        side_(by_size<std::size_t>(size, 64, 64, 128, 256)),
        depth_(by_size<std::size_t>(size, 16, 64, 128, 256)),
        radius_(by_size<std::size_t>(size, 2, 1, 2, 2)),
        row_(side_ + 2 * radius_),
        layer_(row_ * row_),
        before_(device.host(random_floats(layer_ * (depth_ + 2 * radius_), 1, 0, 1))),
        after_(device.host<float>(before_.size())),
        weights_(device.host(std::vector<float>(radius_ + 1, 0.5f / 6.0f))),
        program_(device.build(kernels::kFdtd3d, "-DRADIUS=" + std::to_string(radius_) + " -DWIDTH=" +
                                                    std::to_string(kWidth) + " -DHEIGHT=" + std::to_string(kHeight))),
        kernel_(program_, "fdtd3d"),
        buffers_{device.buffer(CL_MEM_READ_WRITE, before_.size() * sizeof(float)),
                 device.buffer(CL_MEM_READ_WRITE, before_.size() * sizeof(float))},
        weights_buffer_(device.buffer(CL_MEM_READ_ONLY, weights_.size() * sizeof(float))) {
    weights_[0] = 0.25f;
  }

  void prepare() override { spoil(after_); }

  /// Both volumes need the frame, which no step writes.
  void run() override {
    device_.write(weights_buffer_, weights_);
    device_.write(buffers_[0], before_);
    device_.copy(buffers_[0], buffers_[1], before_.size() * sizeof(float));
    const auto side = static_cast<cl_int>(side_);
    for (int step = 0; step < kSteps; ++step) {
      kernel_.set(buffers_[step % 2], buffers_[(step + 1) % 2], weights_buffer_, side, side,
                  static_cast<cl_int>(depth_));
      device_.launch(kernel_, range_2d({side_, side_}, {kWidth, kHeight}));
    }
    device_.read(buffers_[kSteps % 2], after_);
  }

  Verdict check() override {
    if (expected_.empty()) expected_ = reference();
    return check_outputs(after_.size(), 1,
                         [this](std::size_t i) { return judge_near(after_[i], expected_[i], 1e-5, 1e-6); });
  }

 private:
  std::vector<double> reference() const {
    std::vector<double> now(before_.begin(), before_.end()), next = now;
    for (int step = 0; step < kSteps; ++step) {
      parallel_for(depth_, [&](std::size_t first, std::size_t last) {
        for (std::size_t z = first + radius_; z < last + radius_; ++z) {
          for (std::size_t y = radius_; y < side_ + radius_; ++y) {
            for (std::size_t x = radius_; x < side_ + radius_; ++x) next[index(x, y, z)] = point(now, index(x, y, z));
          }
        }
      });
      std::swap(now, next);
    }
    return now;
  }

  std::size_t index(std::size_t x, std::size_t y, std::size_t z) const { return z * layer_ + y * row_ + x; }

  double point(const std::vector<double>& now, std::size_t i) const {
    double sum = weights_[0] * now[i];
    for (std::size_t k = 1; k <= radius_; ++k) {
      sum += weights_[k] * (now[i - k] + now[i + k] + now[i - k * row_] + now[i + k * row_] + now[i - k * layer_] +
                            now[i + k * layer_]);
    }
    return sum;
  }

  const Device& device_;
  std::size_t side_, depth_, radius_, row_, layer_;
  std::span<float> before_, after_, weights_;
  std::vector<double> expected_;
  Program program_;
  Kernel kernel_;
  Buffer buffers_[2];
  Buffer weights_buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::Fdtd3d>(argc, argv, "fdtd3d", "Steps a star-shaped stencil through a volume");
}

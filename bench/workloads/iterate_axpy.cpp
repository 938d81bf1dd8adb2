// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "bench/support/random.h"
#include "bench/workloads/iterate.h"
#include "kernels/axpy.h"

namespace bench {
namespace {

constexpr std::size_t kGroup = 256;
constexpr float kFactor = 0.001f;

class Axpy : public Workload {
 public:
  Axpy(const Device& device, std::size_t size, int steps)
      : device_(device),
        steps_(steps),
        x_(device.host(random_floats(size, 1, -1, 1))),
        y_(device.host(random_floats(size, 2, -1, 1))),
        result_(device.host<float>(size)),
        program_(device.build(kernels::kAxpy)),
        kernel_(program_, "axpy"),
        x_buffer_(device.buffer(CL_MEM_READ_ONLY, size * sizeof(float))),
        y_buffer_(device.buffer(CL_MEM_READ_WRITE, size * sizeof(float))) {}

  void prepare() override { spoil(result_); }

  void run() override {
    device_.write(x_buffer_, x_);
    device_.write(y_buffer_, y_);
    kernel_.set(kFactor, x_buffer_, y_buffer_);
    for (int step = 0; step < steps_; ++step) device_.launch(kernel_, range_1d(x_.size(), kGroup));
    device_.read(y_buffer_, result_);
  }

  /// Every step may round by half a unit in the last place of what |y| has grown to.
  Verdict check() override {
    return check_outputs(result_.size(), 2, [this](std::size_t i) {
      const double grown = static_cast<double>(steps_) * kFactor * x_[i];
      const double tolerance = steps_ * 0x1p-23 * (std::abs(y_[i]) + std::abs(grown));
      return judge_near(result_[i], y_[i] + grown, 0, tolerance);
    });
  }

 private:
  const Device& device_;
  int steps_;
  std::span<float> x_, y_, result_;
  Program program_;
  Kernel kernel_;
  Buffer x_buffer_, y_buffer_;
};

}  // namespace

std::unique_ptr<Workload> make_axpy(const Device& device, std::size_t size, int steps) {
  require_multiple(size, kGroup, std::size_t{1} << 31);
  return std::make_unique<Axpy>(device, size, steps);
}

}  // namespace bench

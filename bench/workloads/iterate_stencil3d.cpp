// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "bench/support/parallel.h"
#include "bench/support/random.h"
#include "bench/workloads/iterate.h"
#include "kernels/stencil3d.h"

namespace bench {
namespace {

constexpr float kRate = 0.125f;

class Stencil3d : public Workload {
 public:
  Stencil3d(const Device& device, std::size_t side, int steps)
      : device_(device),
        side_(side),
        steps_(steps),
        before_(device.host(random_floats(side * side * side, 1, 0, 1))),
        after_(device.host<float>(before_.size())),
        program_(device.build(kernels::kStencil3d)),
        kernel_(program_, "stencil3d"),
        buffers_{device.buffer(CL_MEM_READ_WRITE, before_.size() * sizeof(float)),
                 device.buffer(CL_MEM_READ_WRITE, before_.size() * sizeof(float))} {}

  void prepare() override { spoil(after_); }

  /// Groups lie within a layer, and layers are whole rows of groups: a device's share can end where a layer ends.
  void run() override {
    device_.write(buffers_[0], before_);
    for (int step = 0; step < steps_; ++step) {
      kernel_.set(buffers_[step % 2], buffers_[(step + 1) % 2], static_cast<cl_int>(side_), kRate);
      device_.launch(kernel_, range_3d({side_, side_, side_}, {16, 4, 1}));
    }
    device_.read(buffers_[steps_ % 2], after_);
  }

  /// The whole history again in double precision; rounding errors fade as the heat spreads.
  Verdict check() override {
    if (expected_.empty()) expected_ = reference();
    return check_outputs(after_.size(), 1,
                         [this](std::size_t i) { return judge_near(after_[i], expected_[i], 1e-5, 1e-6); });
  }

 private:
  std::vector<double> reference() const {
    std::vector<double> now(before_.begin(), before_.end()), next(now.size());
    for (int step = 0; step < steps_; ++step) {
      parallel_for(side_, [&](std::size_t first, std::size_t last) {
        for (std::size_t z = first; z < last; ++z) layer(now, next, z);
      });
      std::swap(now, next);
    }
    return now;
  }

  void layer(const std::vector<double>& now, std::vector<double>& next, std::size_t z) const {
    const std::size_t n = side_;
    const auto at = [&](std::size_t x, std::size_t y, std::size_t w) { return now[(w * n + y) * n + x]; };
    const auto less = [](std::size_t v) { return v == 0 ? 0 : v - 1; };
    const auto more = [n](std::size_t v) { return std::min(v + 1, n - 1); };
    for (std::size_t y = 0; y < n; ++y) {
      for (std::size_t x = 0; x < n; ++x) {
        const double around = at(less(x), y, z) + at(more(x), y, z) + at(x, less(y), z) + at(x, more(y), z) +
                              at(x, y, less(z)) + at(x, y, more(z));
        next[(z * n + y) * n + x] = at(x, y, z) + kRate * (around - 6 * at(x, y, z));
      }
    }
  }

  const Device& device_;
  std::size_t side_;
  int steps_;
  std::span<float> before_, after_;
  std::vector<double> expected_;
  Program program_;
  Kernel kernel_;
  Buffer buffers_[2];
};

}  // namespace

std::unique_ptr<Workload> make_stencil3d(const Device& device, std::size_t size, int steps) {
  require_multiple(size, 16, 1280);  // up to 2^31 points: indices are ints
  return std::make_unique<Stencil3d>(device, size, steps);
}

}  // namespace bench

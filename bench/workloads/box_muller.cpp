// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "bench/support/random.h"
#include "bench/support/runner.h"
#include "kernels/box_muller.h"

namespace bench {
namespace {

constexpr std::size_t kGroup = 128;

class BoxMuller : public Workload {
 public:
  BoxMuller(const Device& device, Size size)
      : device_(device),
        items_(kGroup * by_size<std::size_t>(size, 16, 256, 256, 256)),
        per_item_(by_size<std::size_t>(size, 64, 256, 1024, 6144)),
        uniform_(device.host(random_floats(items_ * per_item_, 1, 0, 1))),
        normal_(device.host<float>(uniform_.size())),
        program_(device.build(kernels::kBoxMuller)),
        kernel_(program_, "box_muller"),
        buffer_(device.buffer(CL_MEM_READ_WRITE, uniform_.size() * sizeof(float))) {
    for (float& value : uniform_) value = 1.0f - value;  // (0, 1]: the logarithm must exist
  }

  void prepare() override { spoil(normal_); }

  void run() override {
    device_.write(buffer_, uniform_);
    kernel_.set(buffer_, static_cast<cl_int>(items_), static_cast<cl_int>(per_item_));
    device_.launch(kernel_, range_1d(items_, kGroup));
    device_.read(buffer_, normal_);
  }

  Verdict check() override {
    return check_outputs(normal_.size(), 60, [this](std::size_t i) {
      const std::size_t item = i % items_, place = i / items_;
      const std::size_t first = item + (place - place % 2) * items_;
      const double radius = std::sqrt(-2 * std::log(static_cast<double>(uniform_[first])));
      const double angle = 2 * M_PI * uniform_[first + items_];
      return judge_near(normal_[i], radius * (place % 2 == 0 ? std::cos(angle) : std::sin(angle)), 1e-5, 2e-5);
    });
  }

 private:
  const Device& device_;
  std::size_t items_, per_item_;
  std::span<float> uniform_, normal_;
  Program program_;
  Kernel kernel_;
  Buffer buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::BoxMuller>(argc, argv, "box_muller",
                                               "Turns uniform random numbers into normal ones, in place");
}

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "bench/support/random.h"
#include "bench/support/runner.h"
#include "kernels/binomial_option.h"

namespace bench {
namespace {

constexpr int kSteps = 254;
constexpr std::size_t kGroup = kSteps + 1;
constexpr std::size_t kPerGroup = 4;
constexpr float kRate = 0.02f;
constexpr float kVolatility = 0.3f;

/// The same tree in double precision, in one row that shrinks.
double price(double sample) {
  const double spot = 5 + 25 * sample, strike = 1 + 99 * sample, dt = (0.25 + 9.75 * sample) / kSteps;
  const double spread = kVolatility * std::sqrt(dt), growth = std::exp(kRate * dt);
  const double up = std::exp(spread), down = std::exp(-spread), p = (growth - down) / (up - down);
  double values[kGroup];
  for (int k = 0; k <= kSteps; ++k) values[k] = std::max(spot * std::exp(spread * (2 * k - kSteps)) - strike, 0.0);
  for (int level = kSteps; level > 0; --level) {
    for (int k = 0; k < level; ++k) values[k] = (p * values[k + 1] + (1 - p) * values[k]) / growth;
  }
  return values[0];
}

class BinomialOption : public Workload {
 public:
  BinomialOption(const Device& device, Size size)
      : device_(device),
        groups_(by_size<std::size_t>(size, 64, 16384, 65536, 524288)),
        samples_(device.host(random_floats(groups_ * kPerGroup, 1, 0, 1))),
        prices_(device.host<float>(groups_ * kPerGroup)),
        program_(device.build(kernels::kBinomialOption)),
        kernel_(program_, "binomial_option"),
        samples_buffer_(device.buffer(CL_MEM_READ_ONLY, samples_.size() * sizeof(float))),
        prices_buffer_(device.buffer(CL_MEM_WRITE_ONLY, prices_.size() * sizeof(float))) {}

  void prepare() override { spoil(prices_); }

  void run() override {
    device_.write(samples_buffer_, samples_);
    const LocalBytes row{kGroup * sizeof(cl_float4)};
    kernel_.set(samples_buffer_, prices_buffer_, cl_int{kSteps}, kRate, kVolatility, row, row);
    device_.launch(kernel_, range_1d(groups_ * kGroup, kGroup));
    device_.read(prices_buffer_, prices_);
  }

  Verdict check() override {
    return check_outputs(prices_.size(), 5e4,
                         [this](std::size_t i) { return judge_near(prices_[i], price(samples_[i]), 1e-4, 1e-3); });
  }

 private:
  const Device& device_;
  std::size_t groups_;
  std::span<float> samples_, prices_;
  Program program_;
  Kernel kernel_;
  Buffer samples_buffer_, prices_buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::BinomialOption>(argc, argv, "binomial_option",
                                                    "Prices European options by binomial trees, four to a group");
}

// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "bench/support/random.h"
#include "bench/support/runner.h"
#include "kernels/black_scholes.h"

namespace bench {
namespace {

constexpr std::size_t kGroup = 256;
constexpr std::size_t kPerItem = 4;
constexpr float kRate = 0.02f;
constexpr float kVolatility = 0.3f;

double normal_cdf(double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); }

class BlackScholes : public Workload {
 public:
  BlackScholes(const Device& device, Size size)
      : device_(device),
        count_(kGroup * kPerItem * by_size<std::size_t>(size, 64, 1024, 8192, 32768)),
        price_(device.host(random_floats(count_, 1, 5, 30))),
        strike_(device.host(random_floats(count_, 2, 1, 100))),
        years_(device.host(random_floats(count_, 3, 0.25f, 10))),
        call_(device.host<float>(count_)),
        put_(device.host<float>(count_)),
        program_(device.build(kernels::kBlackScholes)),
        kernel_(program_, "black_scholes"),
        price_buffer_(device.buffer(CL_MEM_READ_ONLY, count_ * sizeof(float))),
        strike_buffer_(device.buffer(CL_MEM_READ_ONLY, count_ * sizeof(float))),
        years_buffer_(device.buffer(CL_MEM_READ_ONLY, count_ * sizeof(float))),
        call_buffer_(device.buffer(CL_MEM_WRITE_ONLY, count_ * sizeof(float))),
        put_buffer_(device.buffer(CL_MEM_WRITE_ONLY, count_ * sizeof(float))) {}

  void prepare() override {
    spoil(call_);
    spoil(put_);
  }

  void run() override {
    device_.write(price_buffer_, price_);
    device_.write(strike_buffer_, strike_);
    device_.write(years_buffer_, years_);
    kernel_.set(price_buffer_, strike_buffer_, years_buffer_, call_buffer_, put_buffer_, kRate, kVolatility);
    device_.launch(kernel_, range_1d(count_ / kPerItem, kGroup));
    device_.read(call_buffer_, call_);
    device_.read(put_buffer_, put_);
  }

  Verdict check() override {
    return check_outputs(count_, 100, [this](std::size_t i) { return judge(i); });
  }

 private:
  std::string judge(std::size_t i) const {
    const double s = price_[i], x = strike_[i], t = years_[i];
    const double spread = kVolatility * std::sqrt(t);
    const double d1 = (std::log(s / x) + (kRate + 0.5 * kVolatility * kVolatility) * t) / spread;
    const double discounted = x * std::exp(-kRate * t);
    const double call = s * normal_cdf(d1) - discounted * normal_cdf(d1 - spread);
    const double put = call + discounted - s;
    std::string wrong = judge_near(call_[i], call, 1e-5, 1e-4);
    return wrong.empty() ? judge_near(put_[i], put, 1e-5, 1e-4) : wrong;
  }

  const Device& device_;
  std::size_t count_;
  std::span<float> price_, strike_, years_, call_, put_;
  Program program_;
  Kernel kernel_;
  Buffer price_buffer_, strike_buffer_, years_buffer_, call_buffer_, put_buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::BlackScholes>(argc, argv, "black_scholes",
                                                  "Prices European options after Black and Scholes");
}

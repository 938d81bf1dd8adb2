// SPDX-License-Identifier: Apache-2.0
#include "kernels/monte_carlo.h"

#include "bench/reference/doubles.h"
#include "bench/support/runner.h"

namespace bench {
namespace {

constexpr std::size_t kGroup = 64;
constexpr double kTolerance = 1e-10;  // a price has been rounded in each of some hundred steps

class MonteCarlo : public Workload {
 public:
  MonteCarlo(const Device& device, Size size)
      : device_(device),
        steps_(by_size<cl_int>(size, 32, 64, 128, 256)),
        strikes_(device.host(doubles::strikes(kGroup * by_size<std::size_t>(size, 16, 128, 512, 4096)))),
        payoffs_(device.host<double>(strikes_.size())),
        slopes_(device.host<double>(strikes_.size())),
        program_(device.build(kernels::kMonteCarlo)),
        kernel_(program_, "monte_carlo"),
        strikes_buffer_(device.buffer(CL_MEM_READ_ONLY, strikes_.size_bytes())),
        payoffs_buffer_(device.buffer(CL_MEM_WRITE_ONLY, payoffs_.size_bytes())),
        slopes_buffer_(device.buffer(CL_MEM_WRITE_ONLY, slopes_.size_bytes())) {}

  void prepare() override {
    spoil(payoffs_);
    spoil(slopes_);
  }

  void run() override {
    device_.write(strikes_buffer_, strikes_);
    kernel_.set(strikes_buffer_, payoffs_buffer_, slopes_buffer_, doubles::kStart, doubles::kGrowth,
                doubles::kVolatility, steps_);
    device_.launch(kernel_, range_1d(strikes_.size(), kGroup));
    device_.read(payoffs_buffer_, payoffs_);
    device_.read(slopes_buffer_, slopes_);
  }

  Verdict check() override {
    return check_outputs(strikes_.size(), 400.0 * steps_, [this](std::size_t i) {
      const doubles::Price price = doubles::simulate(static_cast<std::uint32_t>(i), strikes_[i], steps_);
      const std::string wrong = judge_near(payoffs_[i], price.payoff, kTolerance, kTolerance);
      return wrong.empty() ? judge_near(slopes_[i], price.slope, kTolerance, kTolerance) : wrong;
    });
  }

 private:
  const Device& device_;
  cl_int steps_;
  std::span<double> strikes_, payoffs_, slopes_;
  Program program_;
  Kernel kernel_;
  Buffer strikes_buffer_, payoffs_buffer_, slopes_buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::MonteCarlo>(argc, argv, "monte_carlo",
                                                "Prices Asian options by simulation in double precision");
}

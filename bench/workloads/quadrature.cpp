// SPDX-License-Identifier: Apache-2.0
#include "kernels/quadrature.h"

#include <cmath>

#include "bench/support/random.h"
#include "bench/support/runner.h"

namespace bench {
namespace {

constexpr std::size_t kGroup = 256;

// What a result may be off, relative to it: so much of the accuracy asked for (the last step of the quadrature is exact
// for parabolas, and 0.009 is the most seen), and what rounding a thousand sums adds up to (2e-6 is the most seen).
constexpr double kOfAccuracy = 0.02, kRounding = 1e-5;

/// f.x / (x + f.y) + f.w·x, to be integrated with accuracy f.z. That goes from a hundredth to a hundred-thousandth, and
/// the last items take some 30 times as many steps as the first. f.y is between 1 and a thousandth, in any order, which
/// makes up to 15 times as many steps.
std::vector<cl_float4> make_functions(std::size_t count) {
  Random random(23);
  std::vector<cl_float4> functions(count);
  for (std::size_t i = 0; i < count; ++i) {
    const float along = static_cast<float>(i) / static_cast<float>(count);
    const float accuracy = std::pow(10.0f, -2 - 3 * along * along), shift = std::pow(10.0f, random.uniform(-3, 0));
    functions[i] = {{random.uniform(0.5f, 2), shift, accuracy, random.uniform(0, 1)}};
  }
  return functions;
}

double integral(const cl_float4& f) {
  const double shift = f.s[1];
  return f.s[0] * (std::log(1 + shift) - std::log(shift)) + f.s[3] / 2;
}

class Quadrature : public Workload {
 public:
  Quadrature(const Device& device, Size size)
      : device_(device),
        functions_(device.host(make_functions(by_size<std::size_t>(size, 1 << 12, 1 << 16, 1 << 18, 1 << 22)))),
        areas_(device.host<float>(functions_.size())),
        program_(device.build(kernels::kQuadrature)),
        kernel_(program_, "quadrature"),
        functions_buffer_(device.buffer(CL_MEM_READ_ONLY, functions_.size_bytes())),
        areas_buffer_(device.buffer(CL_MEM_WRITE_ONLY, areas_.size_bytes())) {}

  void prepare() override { spoil(areas_); }

  void run() override {
    device_.write(functions_buffer_, functions_);
    kernel_.set(functions_buffer_, areas_buffer_, static_cast<cl_int>(functions_.size()));
    device_.launch(kernel_, range_1d(functions_.size(), kGroup));
    device_.read(areas_buffer_, areas_);
  }

  Verdict check() override {
    return check_outputs(areas_.size(), 50, [this](std::size_t i) {
      const cl_float4& f = functions_[i];
      return judge_near(areas_[i], integral(f), kOfAccuracy * f.s[2] + kRounding, 0);
    });
  }

 private:
  const Device& device_;
  std::span<cl_float4> functions_;
  std::span<float> areas_;
  Program program_;
  Kernel kernel_;
  Buffer functions_buffer_, areas_buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::Quadrature>(argc, argv, "quadrature",
                                                "Integrates functions by adaptive quadrature, one to a work-item");
}

// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix_multiplication.h"
#include "bench/support/random.h"
#include "bench/support/runner.h"

namespace bench {
namespace {

constexpr std::size_t kGroup = 16;  // squared
constexpr std::size_t kOrderOfFullCheck = 128;

class MatrixMultiplication : public Workload {
 public:
  MatrixMultiplication(const Device& device, Size size)
      : device_(device),
        order_(by_size<std::size_t>(size, 128, 1024, 2048, 8192)),
        a_(device.host(random_whole_floats(order_ * order_, 1, -8, 16))),
        b_(device.host(random_whole_floats(order_ * order_, 2, -8, 16))),
        c_(device.host<float>(order_ * order_)),
        program_(device.build(kernels::kMatrixMultiplication)),
        kernel_(program_, "matrix_multiplication"),
        a_buffer_(device.buffer(CL_MEM_READ_ONLY, a_.size() * sizeof(float))),
        b_buffer_(device.buffer(CL_MEM_READ_ONLY, b_.size() * sizeof(float))),
        c_buffer_(device.buffer(CL_MEM_WRITE_ONLY, c_.size() * sizeof(float))) {}

  void prepare() override { spoil(c_); }

  void run() override {
    device_.write(a_buffer_, a_);
    device_.write(b_buffer_, b_);
    kernel_.set(a_buffer_, b_buffer_, c_buffer_, static_cast<cl_int>(order_));
    device_.launch(kernel_, range_2d({order_ / 2, order_ / 2}, {kGroup, kGroup}));
    device_.read(c_buffer_, c_);
  }

  Verdict check() override {
    if (order_ > kOrderOfFullCheck) return freivalds(a_, b_, c_, order_, 2);
    return check_outputs(c_.size(), static_cast<double>(order_), [this](std::size_t i) {
      const std::size_t row = i / order_ * order_, column = i % order_;
      double sum = 0;
      for (std::size_t k = 0; k < order_; ++k) sum += static_cast<double>(a_[row + k]) * b_[k * order_ + column];
      return judge_near(c_[i], sum, 0, 0);
    });
  }

 private:
  const Device& device_;
  std::size_t order_;
  std::span<float> a_, b_, c_;
  Program program_;
  Kernel kernel_;
  Buffer a_buffer_, b_buffer_, c_buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::MatrixMultiplication>(argc, argv, "matrix_multiplication",
                                                          "Multiplies two square matrices of floats");
}

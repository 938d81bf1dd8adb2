// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix_transpose.h"
#include "bench/support/random.h"
#include "bench/support/runner.h"

namespace bench {
namespace {

constexpr std::size_t kTile = 32;
constexpr std::size_t kRows = 8;

class MatrixTranspose : public Workload {
 public:
  MatrixTranspose(const Device& device, Size size)
      : device_(device),
        order_(by_size<std::size_t>(size, 512, 1024, 2048, 8192)),
        in_(device.host(random_floats(order_ * order_, 1, -1, 1))),
        out_(device.host<float>(in_.size())),
        program_(device.build(kernels::kMatrixTranspose)),
        kernel_(program_, "matrix_transpose"),
        in_buffer_(device.buffer(CL_MEM_READ_ONLY, in_.size() * sizeof(float))),
        out_buffer_(device.buffer(CL_MEM_WRITE_ONLY, out_.size() * sizeof(float))) {}

  void prepare() override { spoil(out_); }

  void run() override {
    device_.write(in_buffer_, in_);
    kernel_.set(in_buffer_, out_buffer_, static_cast<cl_int>(order_), static_cast<cl_int>(order_));
    device_.launch(kernel_, range_2d({order_, order_ / kTile * kRows}, {kTile, kRows}));
    device_.read(out_buffer_, out_);
  }

  Verdict check() override {
    return check_outputs(out_.size(), 5, [this](std::size_t i) {
      return judge_near(out_[i], in_[i % order_ * order_ + i / order_], 0, 0);
    });
  }

 private:
  const Device& device_;
  std::size_t order_;
  std::span<float> in_, out_;
  Program program_;
  Kernel kernel_;
  Buffer in_buffer_, out_buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::MatrixTranspose>(argc, argv, "matrix_transpose", "Transposes a matrix of floats");
}

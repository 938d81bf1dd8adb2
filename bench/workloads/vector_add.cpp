// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector_add.h"
#include "bench/support/random.h"
#include "bench/support/runner.h"

namespace bench {
namespace {

constexpr std::size_t kGroup = 256;

class VectorAdd : public Workload {
 public:
  VectorAdd(const Device& device, Size size)
      : device_(device),
        count_(kGroup * by_size<std::size_t>(size, 1024, 32768, 65536, 196608)),
        a_(device.host(random_floats(count_, 1, -1, 1))),
        b_(device.host(random_floats(count_, 2, -1, 1))),
        c_(device.host<float>(count_)),
        program_(device.build(kernels::kVectorAdd)),
        kernel_(program_, "vector_add"),
        a_buffer_(device.buffer(CL_MEM_READ_ONLY, count_ * sizeof(float))),
        b_buffer_(device.buffer(CL_MEM_READ_ONLY, count_ * sizeof(float))),
        c_buffer_(device.buffer(CL_MEM_WRITE_ONLY, count_ * sizeof(float))) {}

  void prepare() override { spoil(c_); }

  void run() override {
    device_.write(a_buffer_, a_);
    device_.write(b_buffer_, b_);
    kernel_.set(a_buffer_, b_buffer_, c_buffer_);
    device_.launch(kernel_, range_1d(count_, kGroup));
    device_.read(c_buffer_, c_);
  }

  Verdict check() override {
    return check_outputs(count_, 2, [&](std::size_t i) { return judge_near(c_[i], a_[i] + b_[i], 0, 0); });
  }

 private:
  const Device& device_;
  std::size_t count_;
  std::span<float> a_, b_, c_;
  Program program_;
  Kernel kernel_;
  Buffer a_buffer_, b_buffer_, c_buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::VectorAdd>(argc, argv, "vector_add", "Adds two vectors of floats");
}

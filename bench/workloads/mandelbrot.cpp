// SPDX-License-Identifier: Apache-2.0
#include "kernels/mandelbrot.h"

#include "bench/support/runner.h"

namespace bench {
namespace {

constexpr int kLimit = 256;
constexpr float kLeft = -2.0f, kTop = -1.25f, kEdge = 2.5f;

class Mandelbrot : public Workload {
 public:
  Mandelbrot(const Device& device, Size size)
      : device_(device),
        width_(by_size<std::size_t>(size, 128, 1024, 2048, 8192)),
        pitch_(kEdge / static_cast<float>(width_)),
        steps_(device.host<cl_int>(width_ * width_)),
        program_(device.build(kernels::kMandelbrot)),
        kernel_(program_, "mandelbrot"),
        buffer_(device.buffer(CL_MEM_WRITE_ONLY, steps_.size() * sizeof(cl_int))) {}

  void prepare() override { spoil(steps_); }

  void run() override {
    kernel_.set(buffer_, static_cast<cl_int>(width_), kLeft, kTop, pitch_, static_cast<cl_int>(kLimit));
    device_.launch(kernel_, range_2d({width_, width_}, {16, 16}));
    device_.read(buffer_, steps_);
  }

  Verdict check() override {
    return check_outputs(steps_.size(), 1000, [this](std::size_t i) { return judge(i); });
  }

 private:
  /// Stored products are rounded even where the compiler may contract. `pitch_` is a power of two times 2.5:
  /// multiplying it by a small number is exact.
  std::string judge(std::size_t i) const {
    const float cx = kLeft + pitch_ * static_cast<float>(i % width_);
    const float cy = kTop + pitch_ * static_cast<float>(i / width_);
    volatile float x = 0, y = 0;
    int step = 0;
    for (; step < kLimit; ++step) {
      volatile float xx = x * x, yy = y * y, xy = 2.0f * x * y;
      volatile float size = xx + yy, difference = xx - yy;
      if (size > 4.0f) break;
      y = xy + cy;
      x = difference + cx;
    }
    return judge_equal(steps_[i], step);
  }

  const Device& device_;
  std::size_t width_;
  float pitch_;
  std::span<cl_int> steps_;
  Program program_;
  Kernel kernel_;
  Buffer buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::Mandelbrot>(argc, argv, "mandelbrot", "Draws the Mandelbrot set, 256 steps");
}

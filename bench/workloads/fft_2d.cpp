// SPDX-License-Identifier: Apache-2.0
#include "kernels/fft_2d.h"

#include "bench/reference/doubles.h"
#include "bench/support/parallel.h"
#include "bench/support/runner.h"

namespace bench {
namespace {

using doubles::Complex;

constexpr std::size_t kLength = doubles::kImageLength;
constexpr std::size_t kNumbers = kLength * kLength;
constexpr std::size_t kLines = 8, kItems = 16;  // of a group
constexpr double kTolerance = 1e-11;            // of numbers about 256, after 16 roundings

class Fft2d : public Workload {
 public:
  Fft2d(const Device& device, Size size)
      : device_(device),
        lines_(kLength * by_size<std::size_t>(size, 1, 16, 64, 256)),
        in_(device.host(doubles::random_complex(lines_ * kLength))),
        out_(device.host<Complex>(in_.size())),
        roots_(device.host(doubles::roots_of_unity(kLength))),
        program_(device.build(kernels::kFft2d)),
        rows_(program_, "fft_rows"),
        columns_(program_, "fft_columns"),
        in_buffer_(device.buffer(CL_MEM_READ_ONLY, in_.size_bytes())),
        out_buffer_(device.buffer(CL_MEM_READ_WRITE, out_.size_bytes())),
        roots_buffer_(device.buffer(CL_MEM_READ_ONLY, roots_.size_bytes())) {}

  void prepare() override { spoil(out_); }

  void run() override {
    device_.write(in_buffer_, in_);
    device_.write(roots_buffer_, roots_);
    rows_.set(in_buffer_, out_buffer_, roots_buffer_);
    device_.launch(rows_, range_2d({lines_, kItems}, {kLines, kItems}));
    columns_.set(out_buffer_, roots_buffer_);
    device_.launch(columns_, range_2d({lines_, kItems}, {kLines, kItems}));
    device_.read(out_buffer_, out_);
  }

  Verdict check() override {
    std::vector<std::string> wrong(lines_ / kLength);
    parallel_for(wrong.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t image = first; image < last; ++image) wrong[image] = judge(image);
    });
    for (const std::string& text : wrong) {
      if (!text.empty()) return {"all", false, text};
    }
    return {"all", true, ""};
  }

 private:
  std::string judge(std::size_t image) const {
    std::vector<Complex> expected(in_.begin() + static_cast<std::ptrdiff_t>(image * kNumbers),
                                  in_.begin() + static_cast<std::ptrdiff_t>((image + 1) * kNumbers));
    doubles::transform_image(expected);
    for (std::size_t i = 0; i < kNumbers; ++i) {
      const Complex& actual = out_[image * kNumbers + i];
      std::string wrong = judge_near(actual.real(), expected[i].real(), 0, kTolerance);
      if (wrong.empty()) wrong = judge_near(actual.imag(), expected[i].imag(), 0, kTolerance);
      if (!wrong.empty()) return "image " + std::to_string(image) + ", number " + std::to_string(i) + ": " + wrong;
    }
    return "";
  }

  const Device& device_;
  std::size_t lines_;
  std::span<Complex> in_, out_, roots_;
  Program program_;
  Kernel rows_, columns_;
  Buffer in_buffer_, out_buffer_, roots_buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::Fft2d>(argc, argv, "fft_2d",
                                           "Transforms images of complex numbers in double precision after Fourier");
}

// SPDX-License-Identifier: Apache-2.0
// A 1-D Fourier transform in three passes, and back in three: six kernels without a loop.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "bench/start/fft_text.h"
#include "bench/start/first_run.h"
#include "bench/support/random.h"

namespace bench {
namespace {

using Complex = std::complex<float>;

/// In place, in double precision; the length is a power of two.
void reference_fft(std::vector<std::complex<double>>& a) {
  const std::size_t n = a.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(a[i], a[j]);
  }
  std::vector<std::complex<double>> roots(n / 2);
  for (std::size_t i = 0; i < n / 2; ++i) {
    roots[i] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n));
  }
  for (std::size_t half = 1; half < n; half *= 2) {
    for (std::size_t i = 0; i < n; i += 2 * half) {
      for (std::size_t k = 0; k < half; ++k) {
        const auto odd = a[i + k + half] * roots[k * (n / 2 / half)];
        a[i + k + half] = a[i + k] - odd;
        a[i + k] += odd;
      }
    }
  }
}

class StartFft : public FirstRun {
 public:
  StartFft(const Device& device, FirstSize size)
      : device_(device),
        plan_(size == FirstSize::small ? FftPlan{{{8, 4}, {4, 4}, {8, 4}}} : FftPlan{{{16, 16}, {16, 8}, {16, 8}}}),
        in_(plan_.length()),
        spectrum_(in_.size()),
        back_(in_.size()) {
    Random random(1);
    for (Complex& value : in_) {
      const float real = random.uniform(-1, 1);
      value = {real, random.uniform(-1, 1)};
    }
  }

  void build() override {
    program_ = device_.build(fft_text(plan_).c_str());
    for (const bool inverse : {false, true}) {
      for (std::size_t k = 0; k < plan_.passes.size(); ++k) {
        kernels_.emplace_back(program_, fft_kernel_name(inverse, k).c_str());
      }
    }
  }

  void run() override {
    const std::size_t bytes = in_.size() * sizeof(Complex), passes = plan_.passes.size();
    Buffer from = device_.buffer(CL_MEM_READ_WRITE, bytes), to = device_.buffer(CL_MEM_READ_WRITE, bytes);
    device_.write(from, in_);
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      if (i == passes) device_.read(from, spectrum_);
      const std::size_t pass = i < passes ? i : i - passes;  // there and back
      kernels_[i].set(from, to);
      device_.launch(kernels_[i], range_1d(plan_.global(pass), plan_.local(pass)));
      std::swap(from, to);
    }
    device_.read(from, back_);
  }

  /// The errors of all outputs are of one size, also where an output is near 0: they are compared with the root
  /// of the spectrum's mean square, sqrt(2/3 · length).
  Verdict check() override {
    std::vector<std::complex<double>> expected(in_.begin(), in_.end());
    reference_fft(expected);
    const double spectrum_bound = 2e-5 * std::sqrt(static_cast<double>(in_.size()));
    const auto judge = [](Complex actual, std::complex<double> wanted, double bound) {
      const std::string real = judge_near(actual.real(), wanted.real(), 0, bound);
      return real.empty() ? judge_near(actual.imag(), wanted.imag(), 0, bound) : real;
    };
    const std::size_t n = in_.size();
    return check_outputs(2 * n, 2, [&](std::size_t i) {
      return i < n ? judge(spectrum_[i], expected[i], spectrum_bound) : judge(back_[i - n], in_[i - n], 2e-5);
    });
  }

 private:
  const Device& device_;
  FftPlan plan_;
  std::vector<Complex> in_, spectrum_, back_;
  Program program_;
  std::vector<Kernel> kernels_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_first<bench::StartFft>(argc, argv, "start_fft", "A 1-D Fourier transform there and back, once");
}

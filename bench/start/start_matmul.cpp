// SPDX-License-Identifier: Apache-2.0
// The four matrix products of a linear algebra library: either factor transposed or not.
#include <array>

#include "bench/start/first_run.h"
#include "bench/support/random.h"
#include "kernels/start_matmul.h"

namespace bench {
namespace {

using Matrix = std::vector<float>;

Matrix transposed(const Matrix& m, std::size_t n) {
  Matrix result(m.size());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) result[j * n + i] = m[i * n + j];
  }
  return result;
}

/// Entries are small whole numbers, so that every sum is exact.
Verdict check_product(const Matrix& a, const Matrix& b, const Matrix& c, std::size_t n) {
  if (n > 256) return freivalds(a, b, c, n, 2);
  return check_outputs(n * n, static_cast<double>(n), [&](std::size_t i) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
    return judge_near(c[i], sum, 0, 0);
  });
}

class StartMatmul : public FirstRun {
 public:
  StartMatmul(const Device& device, FirstSize size)
      : device_(device),
        n_(size == FirstSize::small ? 192 : 1024),
        a_(random_whole_floats(n_ * n_, 1, -8, 17)),
        b_(random_whole_floats(n_ * n_, 2, -8, 17)) {
    for (Matrix& c : products_) c.resize(n_ * n_);
  }

  void build() override {
    program_ = device_.build(kernels::kStartMatmul);
    for (std::size_t i = 0; i < kernels_.size(); ++i) kernels_[i] = Kernel(program_, kNames[i]);
  }

  void run() override {
    const std::size_t bytes = n_ * n_ * sizeof(float);
    const Buffer a = device_.buffer(CL_MEM_READ_ONLY, bytes), b = device_.buffer(CL_MEM_READ_ONLY, bytes);
    const Buffer c = device_.buffer(CL_MEM_WRITE_ONLY, bytes);
    device_.write(a, a_);
    device_.write(b, b_);
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      kernels_[i].set(a, b, c, static_cast<cl_uint>(n_));
      device_.launch(kernels_[i], range_2d({n_ / 4, n_ / 4}, {16, 16}));
      device_.read(c, products_[i]);
    }
  }

  Verdict check() override {
    const std::array<Matrix, 2> left = {a_, transposed(a_, n_)}, right = {b_, transposed(b_, n_)};
    Verdict verdict;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      verdict = check_product(left[i / 2], right[i % 2], products_[i], n_);
      if (!verdict.ok) {
        verdict.detail = std::string(kNames[i]) + ": " + verdict.detail;
        break;
      }
    }
    return verdict;
  }

 private:
  static constexpr std::array<const char*, 4> kNames = {"multiply_nn", "multiply_nt", "multiply_tn", "multiply_tt"};

  const Device& device_;
  std::size_t n_;
  Matrix a_, b_;
  std::array<Matrix, 4> products_;
  Program program_;
  std::array<Kernel, 4> kernels_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_first<bench::StartMatmul>(argc, argv, "start_matmul", "Products of two matrices, once");
}

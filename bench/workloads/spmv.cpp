// SPDX-License-Identifier: Apache-2.0
#include "kernels/spmv.h"

#include <algorithm>
#include <cmath>

#include "bench/support/random.h"
#include "bench/support/runner.h"

namespace bench {
namespace {

constexpr std::size_t kTeam = 8;
constexpr std::size_t kRowsOfGroup = 32;
constexpr double kShortest = 8, kLongest = 4096;

/// Row i has columns[k] and values[k] for k from first[i] to first[i + 1].
struct Matrix {
  std::vector<cl_int> first, columns;
  std::vector<float> values;
};

/// Rows as in the matrix of a graph whose nodes came one after the other and linked to those there were: the i-th of n
/// has about sqrt(n / i) times as many values as the last, so that lengths follow a power law (few of a length d, about
/// as d^-3), and groups at the front have the most to do. Whole numbers: sums are exact.
Matrix make_matrix(std::size_t rows) {
  Random random(17);
  Matrix matrix;
  matrix.first.push_back(0);
  for (std::size_t row = 0; row < rows; ++row) {
    const double typical = kShortest * std::sqrt(static_cast<double>(rows) / static_cast<double>(row + 1));
    const double length = std::min(typical * random.uniform(0.5f, 1.5f), kLongest);
    matrix.first.push_back(matrix.first.back() + static_cast<cl_int>(length));
  }
  const auto count = static_cast<std::size_t>(matrix.first.back());
  matrix.columns.resize(count);
  matrix.values.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    matrix.columns[k] = static_cast<cl_int>(random.below(static_cast<std::uint32_t>(rows)));
    matrix.values[k] = static_cast<float>(static_cast<int>(random.below(16)) - 8);
  }
  return matrix;
}

class Spmv : public Workload {
 public:
  Spmv(const Device& device, Size size)
      : Spmv(device, make_matrix(by_size<std::size_t>(size, 1 << 13, 1 << 18, 1 << 20, 1 << 22))) {}

  void prepare() override { spoil(y_); }

  void run() override {
    device_.write(first_buffer_, first_);
    device_.write(columns_buffer_, columns_);
    device_.write(values_buffer_, values_);
    device_.write(x_buffer_, x_);
    kernel_.set(first_buffer_, columns_buffer_, values_buffer_, x_buffer_, y_buffer_, static_cast<cl_int>(y_.size()),
                LocalBytes{kTeam * kRowsOfGroup * sizeof(float)});
    device_.launch(kernel_, range_2d({kTeam, y_.size()}, {kTeam, kRowsOfGroup}));
    device_.read(y_buffer_, y_);
  }

  Verdict check() override {
    return check_outputs(y_.size(), 100, [this](std::size_t row) { return judge_near(y_[row], product(row), 0, 0); });
  }

 private:
  Spmv(const Device& device, Matrix matrix)
      : device_(device),
        first_(device.host(std::move(matrix.first))),
        columns_(device.host(std::move(matrix.columns))),
        values_(device.host(std::move(matrix.values))),
        x_(device.host(random_whole_floats(first_.size() - 1, 2, -8, 16))),
        y_(device.host<float>(first_.size() - 1)),
        program_(device.build(kernels::kSpmv)),
        kernel_(program_, "spmv"),
        first_buffer_(device.buffer(CL_MEM_READ_ONLY, first_.size_bytes())),
        columns_buffer_(device.buffer(CL_MEM_READ_ONLY, columns_.size_bytes())),
        values_buffer_(device.buffer(CL_MEM_READ_ONLY, values_.size_bytes())),
        x_buffer_(device.buffer(CL_MEM_READ_ONLY, x_.size_bytes())),
        y_buffer_(device.buffer(CL_MEM_WRITE_ONLY, y_.size_bytes())) {}

  double product(std::size_t row) const {
    double sum = 0;
    for (auto k = static_cast<std::size_t>(first_[row]); k < static_cast<std::size_t>(first_[row + 1]); ++k) {
      sum += static_cast<double>(values_[k]) * x_[static_cast<std::size_t>(columns_[k])];
    }
    return sum;
  }

  const Device& device_;
  std::span<cl_int> first_, columns_;
  std::span<float> values_, x_, y_;
  Program program_;
  Kernel kernel_;
  Buffer first_buffer_, columns_buffer_, values_buffer_, x_buffer_, y_buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::Spmv>(argc, argv, "spmv", "Multiplies a sparse matrix by a vector");
}

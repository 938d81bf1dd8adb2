// SPDX-License-Identifier: Apache-2.0
#include "kernels/cholesky.h"

#include <algorithm>

#include "bench/reference/doubles.h"
#include "bench/support/parallel.h"
#include "bench/support/runner.h"

namespace bench {
namespace {

constexpr std::size_t kOrder = doubles::kTileOrder;
constexpr std::size_t kNumbers = kOrder * kOrder;
constexpr std::size_t kRow = 16;      // items
constexpr double kTolerance = 1e-12;  // of entries below 10, each a sum of at most 64 products

class Cholesky : public Workload {
 public:
  Cholesky(const Device& device, Size size)
      : device_(device),
        count_(by_size<std::size_t>(size, 64, 256, 1024, 8192)),
        tiles_(device.host(doubles::definite_tiles(count_))),
        factors_(device.host<double>(tiles_.size())),
        program_(device.build(kernels::kCholesky)),
        kernel_(program_, "cholesky"),
        tiles_buffer_(device.buffer(CL_MEM_READ_ONLY, tiles_.size_bytes())),
        factors_buffer_(device.buffer(CL_MEM_WRITE_ONLY, factors_.size_bytes())) {}

  void prepare() override { spoil(factors_); }

  void run() override {
    device_.write(tiles_buffer_, tiles_);
    kernel_.set(tiles_buffer_, factors_buffer_);
    device_.launch(kernel_, range_2d({count_ * kRow, kOrder / kRow}, {kRow, kOrder / kRow}));
    device_.read(factors_buffer_, factors_);
  }

  Verdict check() override {
    std::vector<std::string> wrong(count_);
    parallel_for(count_, [&](std::size_t first, std::size_t last) {
      for (std::size_t tile = first; tile < last; ++tile) wrong[tile] = judge(tile);
    });
    const auto first = std::find_if(wrong.begin(), wrong.end(), [](const std::string& text) { return !text.empty(); });
    return first == wrong.end() ? Verdict{"all", true, ""} : Verdict{"all", false, *first};
  }

 private:
  std::string judge(std::size_t tile) const {
    const std::vector<double> expected = doubles::cholesky(tiles_.subspan(tile * kNumbers, kNumbers));
    for (std::size_t i = 0; i < kNumbers; ++i) {
      const std::string wrong = judge_near(factors_[tile * kNumbers + i], expected[i], kTolerance, kTolerance);
      if (!wrong.empty()) return "tile " + std::to_string(tile) + ", number " + std::to_string(i) + ": " + wrong;
    }
    return "";
  }

  const Device& device_;
  std::size_t count_;
  std::span<double> tiles_, factors_;
  Program program_;
  Kernel kernel_;
  Buffer tiles_buffer_, factors_buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::Cholesky>(argc, argv, "cholesky",
                                              "Factors symmetric tiles in double precision after Cholesky");
}

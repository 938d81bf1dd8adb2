// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "bench/support/random.h"
#include "bench/support/runner.h"
#include "kernels/reduction.h"

namespace bench {
namespace {

constexpr std::size_t kGroup = 256;
constexpr std::size_t kPairs = 8;
constexpr std::size_t kChunk = 2 * kGroup * kPairs;

class Reduction : public Workload {
 public:
  Reduction(const Device& device, Size size)
      : device_(device),
        groups_(by_size<std::size_t>(size, 64, 2048, 8192, 16384)),
        numbers_(device.host(random_whole_floats(groups_ * kChunk, 1, 0, 256))),
        sums_(device.host<float>(groups_)),
        program_(device.build(kernels::kReduction)),
        kernel_(program_, "reduction"),
        numbers_buffer_(device.buffer(CL_MEM_READ_ONLY, numbers_.size() * sizeof(float))),
        sums_buffer_(device.buffer(CL_MEM_WRITE_ONLY, sums_.size() * sizeof(float))) {}

  void prepare() override { spoil(sums_); }

  /// The second round, adding up the groups' sums, is the host's.
  void run() override {
    device_.write(numbers_buffer_, numbers_);
    kernel_.set(numbers_buffer_, sums_buffer_, static_cast<cl_int>(kPairs), LocalBytes{kGroup * sizeof(float)});
    device_.launch(kernel_, range_1d(groups_ * kGroup, kGroup));
    device_.read(sums_buffer_, sums_);
    total_ = std::accumulate(sums_.begin(), sums_.end(), 0.0);
  }

  /// Whole numbers: every sum is exact.
  Verdict check() override {
    Verdict verdict = check_outputs(groups_, 4096, [this](std::size_t group) {
      const auto first = numbers_.begin() + static_cast<std::ptrdiff_t>(group * kChunk);
      return judge_near(sums_[group], std::accumulate(first, first + kChunk, 0.0), 0, 0);
    });
    if (verdict.ok && total_ != std::accumulate(numbers_.begin(), numbers_.end(), 0.0)) {
      verdict = {verdict.kind, false, "the sum over groups"};
    }
    return verdict;
  }

 private:
  const Device& device_;
  std::size_t groups_;
  std::span<float> numbers_, sums_;
  double total_ = 0;
  Program program_;
  Kernel kernel_;
  Buffer numbers_buffer_, sums_buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::Reduction>(argc, argv, "reduction", "Adds up many floats, group by group");
}

// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "bench/support/random.h"
#include "bench/support/runner.h"
#include "kernels/histogram.h"

namespace bench {
namespace {

constexpr std::size_t kGroup = 128;
constexpr std::size_t kBins = 256;
constexpr std::size_t kRounds = 2;
constexpr std::size_t kPerRound = 128;  // a byte counts to 255
constexpr std::size_t kChunk = kGroup * kRounds * kPerRound;

class Histogram : public Workload {
 public:
  Histogram(const Device& device, Size size)
      : device_(device),
        groups_(by_size<std::size_t>(size, 16, 128, 512, 2048)),
        numbers_(device.host<cl_uint>(groups_ * kChunk)),
        group_bins_(device.host<cl_uint>(groups_ * kBins)),
        program_(device.build(kernels::kHistogram, "-DITEMS=" + std::to_string(kGroup))),
        kernel_(program_, "histogram"),
        numbers_buffer_(device.buffer(CL_MEM_READ_ONLY, numbers_.size() * sizeof(cl_uint))),
        bins_buffer_(device.buffer(CL_MEM_WRITE_ONLY, group_bins_.size() * sizeof(cl_uint))) {
    Random random(1);
    for (cl_uint& number : numbers_) number = random.below(kBins);
  }

  void prepare() override { spoil(group_bins_); }

  /// The second round, adding up the groups' bins, is the host's.
  void run() override {
    device_.write(numbers_buffer_, numbers_);
    kernel_.set(numbers_buffer_, bins_buffer_, static_cast<cl_int>(kRounds), static_cast<cl_int>(kPerRound));
    device_.launch(kernel_, range_1d(groups_ * kGroup, kGroup));
    device_.read(bins_buffer_, group_bins_);
    bins_.assign(kBins, 0);
    for (std::size_t i = 0; i < group_bins_.size(); ++i) bins_[i % kBins] += group_bins_[i];
  }

  Verdict check() override {
    if (expected_groups_.empty()) count();
    Verdict verdict = check_outputs(group_bins_.size(), 1,
                                    [this](std::size_t i) { return judge_equal(group_bins_[i], expected_groups_[i]); });
    if (verdict.ok && bins_ != expected_) verdict = {verdict.kind, false, "the sum over groups"};
    return verdict;
  }

 private:
  void count() {
    expected_groups_.assign(group_bins_.size(), 0);
    expected_.assign(kBins, 0);
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      ++expected_groups_[i / kChunk * kBins + numbers_[i]];
      ++expected_[numbers_[i]];
    }
  }

  const Device& device_;
  std::size_t groups_;
  std::span<cl_uint> numbers_, group_bins_;
  std::vector<cl_uint> bins_, expected_groups_, expected_;
  Program program_;
  Kernel kernel_;
  Buffer numbers_buffer_, bins_buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::Histogram>(argc, argv, "histogram", "Counts numbers into 256 bins, group by group");
}

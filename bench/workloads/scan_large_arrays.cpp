// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "bench/support/random.h"
#include "bench/support/runner.h"
#include "kernels/scan_large_arrays.h"

namespace bench {
namespace {

constexpr std::size_t kBlock = 256;  // numbers; a group has half as many work-items

class ScanLargeArrays : public Workload {
 public:
  ScanLargeArrays(const Device& device, Size size)
      : device_(device),
        in_(device.host(random_whole_floats(kBlock * by_size<std::size_t>(size, 256, 2048, 4096, 32768), 1, 0, 3))),
        out_(device.host<float>(in_.size())),
        program_(device.build(kernels::kScanLargeArrays)),
        scan_(program_, "scan_blocks"),
        add_(program_, "add_offsets"),
        in_buffer_(device.buffer(CL_MEM_READ_ONLY, in_.size() * sizeof(float))) {
    for (std::size_t count = in_.size(); count > 1; count /= block(count)) {
      levels_.push_back({count, device.buffer(CL_MEM_READ_WRITE, count * sizeof(float)),
                         device.buffer(CL_MEM_READ_WRITE, count / block(count) * sizeof(float))});
    }
  }

  void prepare() override { spoil(out_); }

  /// Scans blocks, then the blocks' sums likewise, and so on up to one block; then adds the scanned sums on the way
  /// back.
  void run() override {
    device_.write(in_buffer_, in_);
    const Buffer* from = &in_buffer_;
    for (const Level& level : levels_) {
      const std::size_t size = block(level.count);
      scan_.set(*from, level.scanned, level.sums, LocalBytes{size * sizeof(float)});
      device_.launch(scan_, range_1d(level.count / 2, size / 2));
      from = &level.sums;
    }
    for (std::size_t k = levels_.size() - 1; k-- > 0;) {
      add_.set(levels_[k].scanned, levels_[k + 1].scanned);
      device_.launch(add_, range_1d(levels_[k].count / 2, block(levels_[k].count) / 2));
    }
    device_.read(levels_[0].scanned, out_);
  }

  /// Small whole numbers: every sum is exact.
  Verdict check() override {
    if (expected_.empty()) {
      expected_.resize(in_.size());
      double sum = 0;
      for (std::size_t i = 0; i < in_.size(); sum += in_[i++]) expected_[i] = sum;
    }
    return check_outputs(out_.size(), 2, [this](std::size_t i) { return judge_near(out_[i], expected_[i], 0, 0); });
  }

 private:
  struct Level {
    std::size_t count;
    Buffer scanned;
    Buffer sums;
  };

  static std::size_t block(std::size_t count) { return std::min(count, kBlock); }

  const Device& device_;
  std::span<float> in_, out_;
  std::vector<double> expected_;
  Program program_;
  Kernel scan_, add_;
  Buffer in_buffer_;
  std::vector<Level> levels_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::ScanLargeArrays>(argc, argv, "scan_large_arrays",
                                                     "Prefix sums of a large array of floats");
}

// SPDX-License-Identifier: Apache-2.0
// Exclusive prefix sums of whole numbers: blocks, the blocks' sums, and those added.
#include "kernels/start_scan.h"
#include "bench/start/first_run.h"
#include "bench/support/random.h"

namespace bench {
namespace {

constexpr std::size_t kBlock = 1024, kItems = 256;

class StartScan : public FirstRun {
 public:
  StartScan(const Device& device, FirstSize size)
      : device_(device),
        in_(random_bytes_as<cl_uint>(kBlock * (size == FirstSize::small ? 61 : 1024), 1)),
        out_(in_.size()) {}

  void build() override {
    program_ = device_.build(kernels::kStartScan);
    blocks_ = Kernel(program_, "scan_blocks");
    totals_ = Kernel(program_, "scan_totals");
    add_ = Kernel(program_, "add_totals");
  }

  void run() override {
    const std::size_t bytes = in_.size() * sizeof(cl_uint), blocks = in_.size() / kBlock;
    const Buffer in = device_.buffer(CL_MEM_READ_ONLY, bytes), out = device_.buffer(CL_MEM_READ_WRITE, bytes);
    const Buffer totals = device_.buffer(CL_MEM_READ_WRITE, blocks * sizeof(cl_uint));
    device_.write(in, in_);
    blocks_.set(in, out, totals);
    device_.launch(blocks_, range_1d(blocks * kItems, kItems));
    totals_.set(totals, static_cast<cl_uint>(blocks));
    device_.launch(totals_, range_1d(kItems, kItems));
    add_.set(out, totals);
    device_.launch(add_, range_1d(blocks * kItems, kItems));
    device_.read(out, out_);
  }

  Verdict check() override {
    std::vector<cl_uint> expected(in_.size());
    cl_uint sum = 0;
    for (std::size_t i = 0; i < in_.size(); sum += in_[i++]) expected[i] = sum;
    return check_outputs(in_.size(), 1, [&](std::size_t i) { return judge_equal(out_[i], expected[i]); });
  }

 private:
  const Device& device_;
  std::vector<cl_uint> in_, out_;
  Program program_;
  Kernel blocks_, totals_, add_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_first<bench::StartScan>(argc, argv, "start_scan", "Prefix sums, once");
}

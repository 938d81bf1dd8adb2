// SPDX-License-Identifier: Apache-2.0
// A stable radix sort of pairs of 32-bit keys and values, by four bits in each of eight passes.
#include <algorithm>

#include "bench/start/first_run.h"
#include "bench/support/random.h"
#include "kernels/start_radix_sort.h"

namespace bench {
namespace {

constexpr std::size_t kBlock = 1024, kItems = 256, kDigits = 16;
constexpr cl_uint kBits = 32, kBitsOfPass = 4;

struct Pair {
  cl_uint key, value;
};

class StartRadixSort : public FirstRun {
 public:
  StartRadixSort(const Device& device, FirstSize size)
      : device_(device), pairs_(kBlock * (size == FirstSize::small ? 24 : 1024)), sorted_(pairs_.size()) {
    Random random(1);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      // A quarter of few values, so that whether equal keys keep their order shows.
      const cl_uint key = random.bits();
      pairs_[i] = {i % 4 == 0 ? key % 1000 : key, static_cast<cl_uint>(i)};
    }
  }

  void build() override {
    program_ = device_.build(kernels::kStartRadixSort);
    sort_ = Kernel(program_, "sort_blocks");
    scan_ = Kernel(program_, "scan_counts");
    scatter_ = Kernel(program_, "scatter");
  }

  void run() override {
    const std::size_t bytes = pairs_.size() * sizeof(Pair), blocks = pairs_.size() / kBlock;
    Buffer from = device_.buffer(CL_MEM_READ_WRITE, bytes), to = device_.buffer(CL_MEM_READ_WRITE, bytes);
    const Buffer counts = device_.buffer(CL_MEM_READ_WRITE, blocks * kDigits * sizeof(cl_uint));
    device_.write(from, pairs_);
    for (cl_uint shift = 0; shift < kBits; shift += kBitsOfPass) {
      sort_.set(from, counts, shift);
      device_.launch(sort_, range_1d(blocks * kItems, kItems));
      scan_.set(counts, static_cast<cl_uint>(blocks * kDigits));
      device_.launch(scan_, range_1d(kItems, kItems));
      scatter_.set(from, counts, to, shift);
      device_.launch(scatter_, range_1d(blocks * kItems, kItems));
      std::swap(from, to);
    }
    device_.read(from, sorted_);
  }

  Verdict check() override {
    std::vector<Pair> expected = pairs_;
    std::stable_sort(expected.begin(), expected.end(), [](const Pair& a, const Pair& b) { return a.key < b.key; });
    return check_outputs(pairs_.size(), 1, [&](std::size_t i) {
      const std::string key = judge_equal(sorted_[i].key, expected[i].key);
      return key.empty() ? judge_equal(sorted_[i].value, expected[i].value) : key;
    });
  }

 private:
  const Device& device_;
  std::vector<Pair> pairs_, sorted_;
  Program program_;
  Kernel sort_, scan_, scatter_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_first<bench::StartRadixSort>(argc, argv, "start_radix_sort", "A radix sort of pairs, once");
}

// SPDX-License-Identifier: Apache-2.0
#include "kernels/mersenne_twister.h"
#include "bench/reference/twister.h"
#include "bench/support/parallel.h"
#include "bench/support/runner.h"

namespace bench {
namespace {

constexpr std::size_t kGroup = 128;

class MersenneTwister : public Workload {
 public:
  MersenneTwister(const Device& device, Size size)
      : device_(device),
        generators_(device.host<twister::Generator>(kGroup * by_size<std::size_t>(size, 16, 256, 256, 256))),
        per_item_(by_size<std::size_t>(size, 64, 256, 2048, 6144)),
        numbers_(device.host<float>(generators_.size() * per_item_)),
        program_(device.build(kernels::kMersenneTwister)),
        kernel_(program_, "mersenne_twister"),
        generators_buffer_(device.buffer(CL_MEM_READ_ONLY, generators_.size() * sizeof(twister::Generator))),
        numbers_buffer_(device.buffer(CL_MEM_WRITE_ONLY, numbers_.size() * sizeof(float))) {
    for (std::size_t i = 0; i < generators_.size(); ++i) generators_[i] = twister::generator(i);
  }

  void prepare() override { spoil(numbers_); }

  void run() override {
    device_.write(generators_buffer_, generators_);
    kernel_.set(generators_buffer_, numbers_buffer_, static_cast<cl_int>(generators_.size()),
                static_cast<cl_int>(per_item_));
    device_.launch(kernel_, range_1d(generators_.size(), kGroup));
    device_.read(numbers_buffer_, numbers_);
  }

  /// A sequence is cheap but has no short cut to its middle: all of them.
  Verdict check() override {
    std::vector<std::string> wrong(generators_.size());
    parallel_for(generators_.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t g = first; g < last; ++g) wrong[g] = judge(g);
    });
    for (const std::string& text : wrong) {
      if (!text.empty()) return {"all", false, text};
    }
    return {"all", true, ""};
  }

 private:
  std::string judge(std::size_t g) const {
    twister::Twister twister(generators_[g]);
    for (std::size_t i = 0; i < per_item_; ++i) {
      const std::string wrong =
          judge_near(numbers_[g + i * generators_.size()], twister::to_unit(twister.next()), 0, 0);
      if (!wrong.empty()) return "generator " + std::to_string(g) + ", number " + std::to_string(i) + ": " + wrong;
    }
    return "";
  }

  const Device& device_;
  std::span<twister::Generator> generators_;
  std::size_t per_item_;
  std::span<float> numbers_;
  Program program_;
  Kernel kernel_;
  Buffer generators_buffer_, numbers_buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::MersenneTwister>(argc, argv, "mersenne_twister",
                                                     "Draws random numbers from many small Mersenne Twisters");
}

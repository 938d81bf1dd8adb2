// SPDX-License-Identifier: Apache-2.0
// DXT1 compression of a picture.
#include <algorithm>
#include <cmath>

#include "bench/start/dxt_reference.h"
#include "bench/start/first_run.h"
#include "bench/support/random.h"
#include "kernels/start_dxt.h"

namespace bench {
namespace {

constexpr std::size_t kItems = 64;

struct Block {
  cl_uint ends, indices;
};

/// Waves of colour, and noise on them.
std::vector<cl_uint> picture(std::size_t width) {
  Random random(1);
  std::vector<cl_uint> result(width * width);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto x = static_cast<double>(i % width), y = static_cast<double>(i / width);
    const std::array<double, 3> waves = {std::sin(x / 9), std::sin((x + y) / 13), std::cos(y / 7)};
    cl_uint pixel = 0xff000000u;
    for (std::size_t c = 0; c < 3; ++c) {
      const double value = 127 + 100 * waves[c] + random.uniform(-25, 25);
      pixel |= static_cast<cl_uint>(std::clamp(value, 0.0, 255.0)) << (8 * c);
    }
    result[i] = pixel;
  }
  return result;
}

class StartDxt : public FirstRun {
 public:
  StartDxt(const Device& device, FirstSize size)
      : device_(device),
        width_(size == FirstSize::small ? 64 : 512),
        pixels_(picture(width_)),
        partitions_(dxt_partitions()),
        blocks_(pixels_.size() / 16) {}

  void build() override {
    program_ = device_.build(kernels::kStartDxt);
    compress_ = Kernel(program_, "compress");
  }

  void run() override {
    const Buffer pixels = device_.buffer(CL_MEM_READ_ONLY, pixels_.size() * sizeof(cl_uint));
    const Buffer partitions = device_.buffer(CL_MEM_READ_ONLY, partitions_.size() * sizeof(cl_uint));
    const Buffer blocks = device_.buffer(CL_MEM_WRITE_ONLY, blocks_.size() * sizeof(Block));
    device_.write(pixels, pixels_);
    device_.write(partitions, partitions_);
    compress_.set(pixels, partitions, static_cast<cl_uint>(partitions_.size()), blocks, static_cast<cl_uint>(width_));
    device_.launch(compress_, range_1d(blocks_.size() * kItems, kItems));
    device_.read(blocks, blocks_);
  }

  /// Of two partitions that are nearly as good a device may take either: what it chose has to be as good as the best.
  Verdict check() override {
    return check_outputs(blocks_.size(), 50000, [&](std::size_t i) -> std::string {
      const Pixels pixels = pixels_of(i);
      const double best = dxt_best_error(pixels, partitions_);
      const double error = dxt_error(pixels, blocks_[i].ends, blocks_[i].indices);
      if (error <= 1.01 * best + 1e-4) return "";
      return "an error of " + std::to_string(error) + " where " + std::to_string(best) + " is possible";
    });
  }

 private:
  Pixels pixels_of(std::size_t block) const {
    const std::size_t across = width_ / 4, corner = block / across * 4 * width_ + block % across * 4;
    Pixels result;
    for (std::size_t i = 0; i < 16; ++i) {
      const cl_uint pixel = pixels_[corner + i / 4 * width_ + i % 4];
      for (std::size_t c = 0; c < 3; ++c) result[i][c] = (pixel >> (8 * c) & 255) / 255.0;
    }
    return result;
  }

  const Device& device_;
  std::size_t width_;
  std::vector<cl_uint> pixels_, partitions_;
  std::vector<Block> blocks_;
  Program program_;
  Kernel compress_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_first<bench::StartDxt>(argc, argv, "start_dxt", "DXT1 compression of a picture, once");
}

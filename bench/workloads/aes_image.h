// SPDX-License-Identifier: Apache-2.0
// An image encrypted or decrypted with AES-128, block by block: the two workloads differ in kernel, box and reference.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bench/reference/aes.h"
#include "bench/support/random.h"
#include "bench/support/runner.h"

namespace bench {

class AesImage : public Workload {
 public:
  struct Direction {
    const char* source;  // OpenCL C
    const char* kernel;
    const aes::Box& box;
    aes::Block (*reference)(const aes::Block&, const aes::RoundKeys&);
  };

  AesImage(const Device& device, Size size, const Direction& direction)
      : device_(device),
        reference_(direction.reference),
        in_(device.host(random_bytes_as<aes::Block>(pixels(size) * kChannels / sizeof(aes::Block), 1))),
        out_(device.host<aes::Block>(in_.size())),
        box_(device.host(std::vector<cl_uchar>(direction.box.begin(), direction.box.end()))),
        expanded_(aes::expand(kKey)),
        keys_(device.host(std::vector<cl_uchar>(expanded_.begin(), expanded_.end()))),
        program_(device.build(direction.source)),
        kernel_(program_, direction.kernel),
        in_buffer_(device.buffer(CL_MEM_READ_ONLY, in_.size() * sizeof(aes::Block))),
        out_buffer_(device.buffer(CL_MEM_WRITE_ONLY, out_.size() * sizeof(aes::Block))),
        box_buffer_(device.buffer(CL_MEM_READ_ONLY, box_.size())),
        keys_buffer_(device.buffer(CL_MEM_READ_ONLY, keys_.size())) {}

  void prepare() override { spoil(out_); }

  void run() override {
    device_.write(in_buffer_, in_);
    device_.write(box_buffer_, box_);
    device_.write(keys_buffer_, keys_);
    kernel_.set(in_buffer_, out_buffer_, box_buffer_, keys_buffer_, cl_int{aes::kRounds}, static_cast<cl_int>(kChunks));
    const std::size_t columns = in_.size() * sizeof(aes::Block) / sizeof(cl_uchar4);
    device_.launch(kernel_, range_1d(columns / kChunks, kGroup));
    device_.read(out_buffer_, out_);
  }

  /// Outputs are blocks of 16 bytes.
  Verdict check() override {
    return check_outputs(out_.size(), 300, [this](std::size_t i) -> std::string {
      const aes::Block expected = reference_(in_[i], expanded_);
      const auto [actual, wanted] = std::mismatch(out_[i].begin(), out_[i].end(), expected.begin());
      return actual == out_[i].end() ? "" : judge_equal(*actual, *wanted);
    });
  }

 private:
  static constexpr std::size_t kGroup = 256;   // columns of four bytes
  static constexpr std::size_t kChunks = 3;    // a group's share of the image: kChunks · kGroup columns
  static constexpr std::size_t kChannels = 3;  // a BMP image's blue, green and red
  static constexpr aes::Key kKey = {0x53, 0x4B, 0x4D, 0x44, 0x00, 0x11, 0x22, 0x33,
                                    0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB};

  static std::size_t pixels(Size size) {
    const std::size_t side = by_size<std::size_t>(size, 256, 1024, 2048, 4096);
    return side * side;
  }

  const Device& device_;
  aes::Block (*reference_)(const aes::Block&, const aes::RoundKeys&);
  std::span<aes::Block> in_, out_;
  std::span<cl_uchar> box_;
  aes::RoundKeys expanded_;
  std::span<cl_uchar> keys_;
  Program program_;
  Kernel kernel_;
  Buffer in_buffer_, out_buffer_, box_buffer_, keys_buffer_;
};

}  // namespace bench

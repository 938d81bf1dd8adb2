// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "bench/reference/aes.h"
#include "bench/support/random.h"
#include "bench/support/runner.h"
#include "kernels/aes_decrypt.h"

namespace bench {
namespace {

constexpr std::size_t kGroup = 256;   // columns of four bytes
constexpr std::size_t kChunks = 3;    // a group's share of the image: kChunks · kGroup columns
constexpr std::size_t kChannels = 3;  // a BMP image's blue, green and red
constexpr aes::Key kKey = {0x53, 0x4B, 0x4D, 0x44, 0x00, 0x11, 0x22, 0x33,
                           0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB};

class AesDecrypt : public Workload {
 public:
  AesDecrypt(const Device& device, Size size)
      : device_(device),
        side_(by_size<std::size_t>(size, 256, 1024, 2048, 4096)),
        cipher_(random_bytes_as<aes::Block>(side_ * side_ * kChannels / sizeof(aes::Block), 1)),
        plain_(cipher_.size()),
        box_(aes::inverse_box().begin(), aes::inverse_box().end()),
        expanded_(aes::expand(kKey)),
        keys_(expanded_.begin(), expanded_.end()),
        program_(device.build(kernels::kAesDecrypt)),
        kernel_(program_, "aes_decrypt"),
        cipher_buffer_(device.buffer(CL_MEM_READ_ONLY, cipher_.size() * sizeof(aes::Block))),
        plain_buffer_(device.buffer(CL_MEM_WRITE_ONLY, plain_.size() * sizeof(aes::Block))),
        box_buffer_(device.buffer(CL_MEM_READ_ONLY, box_.size())),
        keys_buffer_(device.buffer(CL_MEM_READ_ONLY, keys_.size())) {}

  void prepare() override { spoil(plain_); }

  void run() override {
    device_.write(cipher_buffer_, cipher_);
    device_.write(box_buffer_, box_);
    device_.write(keys_buffer_, keys_);
    kernel_.set(cipher_buffer_, plain_buffer_, box_buffer_, keys_buffer_, cl_int{aes::kRounds},
                static_cast<cl_int>(kChunks));
    const std::size_t columns = cipher_.size() * sizeof(aes::Block) / sizeof(cl_uchar4);
    device_.launch(kernel_, range_1d(columns / kChunks, kGroup));
    device_.read(plain_buffer_, plain_);
  }

  /// Outputs are blocks of 16 bytes.
  Verdict check() override {
    return check_outputs(plain_.size(), 300, [this](std::size_t i) -> std::string {
      const aes::Block expected = aes::decrypt(cipher_[i], expanded_);
      const auto [actual, wanted] = std::mismatch(plain_[i].begin(), plain_[i].end(), expected.begin());
      return actual == plain_[i].end() ? "" : judge_equal(*actual, *wanted);
    });
  }

 private:
  const Device& device_;
  std::size_t side_;
  std::vector<aes::Block> cipher_, plain_;
  std::vector<cl_uchar> box_;
  aes::RoundKeys expanded_;
  std::vector<cl_uchar> keys_;
  Program program_;
  Kernel kernel_;
  Buffer cipher_buffer_, plain_buffer_, box_buffer_, keys_buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::AesDecrypt>(argc, argv, "aes_decrypt", "Decrypts an image with AES-128");
}

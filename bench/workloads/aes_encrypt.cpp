// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "bench/reference/aes.h"
#include "bench/support/random.h"
#include "bench/support/runner.h"
#include "kernels/aes_encrypt.h"

namespace bench {
namespace {

constexpr std::size_t kGroup = 256;   // columns of four bytes
constexpr std::size_t kChunks = 3;    // a group's share of the image: kChunks · kGroup columns
constexpr std::size_t kChannels = 3;  // a BMP image's blue, green and red
constexpr aes::Key kKey = {0x53, 0x4B, 0x4D, 0x44, 0x00, 0x11, 0x22, 0x33,
                           0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB};

class AesEncrypt : public Workload {
 public:
  AesEncrypt(const Device& device, Size size)
      : device_(device),
        side_(by_size<std::size_t>(size, 256, 1024, 2048, 4096)),
        plain_(random_bytes_as<aes::Block>(side_ * side_ * kChannels / sizeof(aes::Block), 1)),
        cipher_(plain_.size()),
        box_(aes::box().begin(), aes::box().end()),
        expanded_(aes::expand(kKey)),
        keys_(expanded_.begin(), expanded_.end()),
        program_(device.build(kernels::kAesEncrypt)),
        kernel_(program_, "aes_encrypt"),
        plain_buffer_(device.buffer(CL_MEM_READ_ONLY, plain_.size() * sizeof(aes::Block))),
        cipher_buffer_(device.buffer(CL_MEM_WRITE_ONLY, cipher_.size() * sizeof(aes::Block))),
        box_buffer_(device.buffer(CL_MEM_READ_ONLY, box_.size())),
        keys_buffer_(device.buffer(CL_MEM_READ_ONLY, keys_.size())) {}

  void prepare() override { spoil(cipher_); }

  void run() override {
    device_.write(plain_buffer_, plain_);
    device_.write(box_buffer_, box_);
    device_.write(keys_buffer_, keys_);
    kernel_.set(plain_buffer_, cipher_buffer_, box_buffer_, keys_buffer_, cl_int{aes::kRounds},
                static_cast<cl_int>(kChunks));
    const std::size_t columns = plain_.size() * sizeof(aes::Block) / sizeof(cl_uchar4);
    device_.launch(kernel_, range_1d(columns / kChunks, kGroup));
    device_.read(cipher_buffer_, cipher_);
  }

  /// Outputs are blocks of 16 bytes.
  Verdict check() override {
    return check_outputs(cipher_.size(), 300, [this](std::size_t i) -> std::string {
      const aes::Block expected = aes::encrypt(plain_[i], expanded_);
      const auto [actual, wanted] = std::mismatch(cipher_[i].begin(), cipher_[i].end(), expected.begin());
      return actual == cipher_[i].end() ? "" : judge_equal(*actual, *wanted);
    });
  }

 private:
  const Device& device_;
  std::size_t side_;
  std::vector<aes::Block> plain_, cipher_;
  std::vector<cl_uchar> box_;
  aes::RoundKeys expanded_;
  std::vector<cl_uchar> keys_;
  Program program_;
  Kernel kernel_;
  Buffer plain_buffer_, cipher_buffer_, box_buffer_, keys_buffer_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::AesEncrypt>(argc, argv, "aes_encrypt", "Encrypts an image with AES-128");
}

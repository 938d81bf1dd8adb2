// SPDX-License-Identifier: Apache-2.0
#include "kernels/aes_encrypt.h"
#include "bench/workloads/aes_image.h"

namespace bench {
namespace {

class AesEncrypt : public AesImage {
 public:
  AesEncrypt(const Device& device, Size size)
      : AesImage(device, size, {kernels::kAesEncrypt, "aes_encrypt", aes::box(), aes::encrypt}) {}
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::AesEncrypt>(argc, argv, "aes_encrypt", "Encrypts an image with AES-128");
}

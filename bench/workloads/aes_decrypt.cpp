// SPDX-License-Identifier: Apache-2.0
#include "kernels/aes_decrypt.h"
#include "bench/workloads/aes_image.h"

namespace bench {
namespace {

class AesDecrypt : public AesImage {
 public:
  AesDecrypt(const Device& device, Size size)
      : AesImage(device, size, {kernels::kAesDecrypt, "aes_decrypt", aes::inverse_box(), aes::decrypt}) {}
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_workload<bench::AesDecrypt>(argc, argv, "aes_decrypt", "Decrypts an image with AES-128");
}

// SPDX-License-Identifier: Apache-2.0
// clCreateProgramWithBinary takes any bytes: as they are, and sealed with the right checksum.
#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/client/hash.h"
#include "intercept/build/container.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skmd;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)icd::unpack_program(bytes);
  const std::string sealed = "SKMD program\n2\n\n" + compiler::content_hash(bytes) + std::string(bytes);
  if (const auto build = icd::unpack_program(sealed)) {
    FUZZ_CHECK(icd::unpack_program(icd::pack_program(**build, (*build)->blobs)).ok());
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// A vendor's .icd file. Anything may lie in that folder.
#include <cstdint>
#include <fstream>
#include <string>

#include "intercept/backend/vendor/vendor_driver.h"
#include "tests/fuzz/check.h"
#include "tests/temporary_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const skmd::test::TemporaryFolder folder;
  std::ofstream(folder.file("a.icd"), std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const auto files = skmd::icd::read_icd_files(folder.path());
  FUZZ_CHECK(files.ok() && files->size() == 1);
  const std::string& library = (*files)[0].library;
  FUZZ_CHECK(library.size() <= size && library.find('\n') == std::string::npos);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// A vendor's .icd file. Anything may lie in that folder.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "intercept/backend/vendor_driver.h"
#include "tests/fuzz/check.h"

namespace {

struct Folder {
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "skmd-fuzz-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path = name;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove_all(path, ignored);
  }
  std::string path;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  std::ofstream(folder.path + "/a.icd", std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const auto files = skmd::icd::read_icd_files(folder.path);
  FUZZ_CHECK(files.ok() && files->size() == 1);
  const std::string& library = (*files)[0].library;
  FUZZ_CHECK(library.size() <= size && library.find('\n') == std::string::npos);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "profiler/serve/drivers_folder.h"

#include <filesystem>
#include <fstream>

#include "profiler/serve/serve_options.h"

namespace skmd::profiler {

namespace fs = std::filesystem;

domain::Result<std::vector<std::string>> copy_real_drivers(const std::string& vendors, const std::string& target) {
  std::error_code error;
  std::vector<std::string> libraries;
  for (fs::directory_iterator entry(vendors, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() != ".icd") continue;
    std::string line;
    std::ifstream file(entry->path());
    if (!std::getline(file, line) || line.empty() || is_left_out(line)) continue;
    std::ofstream copy(fs::path(target) / entry->path().filename());
    copy << line << '\n';
    copy.close();
    if (!copy) return domain::Error{0, "cannot write into " + target};
    libraries.push_back(line);
  }
  if (error) return domain::Error{0, "cannot read the drivers' folder " + vendors + ": " + error.message()};
  return libraries;
}

}  // namespace skmd::profiler

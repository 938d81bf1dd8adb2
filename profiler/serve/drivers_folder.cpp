// SPDX-License-Identifier: Apache-2.0
#include "profiler/serve/drivers_folder.h"

#include <filesystem>
#include <fstream>

#include "profiler/serve/serve_options.h"

namespace skmd::profiler {

namespace fs = std::filesystem;

namespace {

/// The files of the folder `vendors`, or itself if it is an .icd file.
std::vector<fs::path> icd_files(const std::string& vendors, std::error_code& error) {
  const fs::path itself(vendors);
  if (itself.extension() == ".icd" && fs::is_regular_file(itself, error)) return {itself};
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(vendors, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".icd") files.push_back(entry->path());
  return files;
}

}  // namespace

domain::Result<std::vector<std::string>> copy_real_drivers(const std::string& vendors, const std::string& target) {
  std::error_code error;
  std::vector<std::string> libraries;
  for (const fs::path& path : icd_files(vendors, error)) {
    std::string line;
    std::ifstream file(path);
    if (!std::getline(file, line) || line.empty() || is_left_out(line)) continue;
    std::ofstream copy(fs::path(target) / path.filename());
    copy << line << '\n';
    copy.close();
    if (!copy) return domain::Error{0, "cannot write into " + target};
    libraries.push_back(line);
  }
  if (error) return domain::Error{0, "cannot read the drivers' folder " + vendors + ": " + error.message()};
  return libraries;
}

}  // namespace skmd::profiler

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "intercept/observe/observer.h"

namespace skmd::icd::test {

/// A folder of its own, gone with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "skmd-observe-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

inline std::vector<ObservedDevice> two_devices() { return {{"basic CPU", "cpu", "icd"}, {"big GPU", "gpu", "icd"}}; }

/// Groups [0, 30) on device 0 and [30, 100) on device 1.
inline LaunchReport split_launch(const std::string& kernel) {
  LaunchReport report;
  report.kernel = kernel;
  report.program = "p1";
  report.access = domain::AccessClass::contiguous;
  report.slices = {{0, {0, 30}, 1000, 2000}, {1, {30, 100}, 1000, 3000}};
  report.rungs = {domain::Rung::disjoint, domain::Rung::diff};
  report.seconds = 0.25;
  report.predicted_seconds = 0.5;
  return report;
}

inline LaunchReport whole_launch(const std::string& kernel, domain::NotSplit reason) {
  LaunchReport report = split_launch(kernel);
  report.slices = {{1, {0, 100}, 1000, 2000}};
  report.rungs.clear();
  report.not_split = reason;
  return report;
}

inline ObserverOptions counting() {
  ObserverOptions options;
  options.count = true;
  return options;
}

}  // namespace skmd::icd::test

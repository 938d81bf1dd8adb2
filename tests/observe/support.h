// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "intercept/observe/observer.h"
#include "tests/temporary_folder.h"

namespace skmd::icd::test {

using skmd::test::TemporaryFolder;

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
  report.predicted_by = ModelSource::process;
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

// SPDX-License-Identifier: Apache-2.0
// skmd-run's command line and the environment that it makes for the application. Values in, values out.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace skmd::profiler {

using Environment = std::map<std::string, std::string>;

struct RunOptions {
  Environment variables;  // SKMD_… as the options ask for them, file names made absolute
  std::vector<std::string> command;
};

/// What main() should do instead of running: print `text` and leave with `status`.
struct EarlyEnd {
  int status = 0;
  std::string text;
};

/// Options up to `--` or the first word that is none; the rest is the application's own.
std::optional<EarlyEnd> parse_run_options(const std::vector<std::string>& arguments, RunOptions& options);

/// Where real drivers are found, when SKMD_VENDORS does not say: the folder that the application would have used.
struct Vendors {
  std::string folder;    // "": `icd_line` has to be put into a folder of our own
  std::string icd_line;  // library named by an OCL_ICD_VENDORS that is no folder
};
Vendors vendors_of(const Environment& environment);

/// What loaders are pointed at.
struct Icd {
  std::string folder;   // holds an .icd file for each library
  std::string library;  // the driver; several with ':' between
};
/// Points loaders (ocl-icd, Khronos', CUDA's) at `icd` and nothing else.
void show_drivers(Environment& environment, const Icd& icd);

/// The application's environment: ours on top of `outer`, with show_drivers(icd).
Environment application_environment(const Environment& outer, const RunOptions& options, const Icd& icd,
                                    const std::string& vendors_folder, const std::string& shared_folder);

}  // namespace skmd::profiler

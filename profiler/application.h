// SPDX-License-Identifier: Apache-2.0
// An application under SKMD, without installing anything: it sees the SKMD platform and no other.
#pragma once

#include <functional>
#include <string>

#include "profiler/child.h"
#include "profiler/held_signals.h"
#include "profiler/run_options.h"

namespace skmd::profiler {

inline constexpr int kOwnFailure = 125;  // as timeout, env and nohup have it

/// A folder that lives as long as this: loader's folder, vendors' folder where one is needed, counters.
class PrivateFolder {
 public:
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  /// False where it could not be made.
  [[nodiscard]] bool exists() const { return !path_.empty(); }
  /// A folder in it.
  [[nodiscard]] std::string folder(const char* name) const;
  /// A folder in it with one .icd file that names `library`.
  [[nodiscard]] std::string icd_folder(const char* name, const std::string& library) const;

 private:
  std::string path_;
};

struct ApplicationEnd {
  int status = 0;           // the application's, or kOwnFailure, 126 or 127 where it did not start
  std::string failure;      // why it did not start; "": it did
  std::string counters;     // folder in `folders` with what its processes counted
  Environment environment;  // that it had
};

/// This process's environment.
Environment current_environment();
/// Makes `environment` this process's. One thread.
void adopt(const Environment& environment);
/// Where `driver` belongs to a bundle: lets programs that are started find the libraries that the bundle brings, if the
/// system has no OpenCL loader of its own. `driver`: any file in the bundle's lib folder.
void offer_fallback_libraries(const std::string& driver);

/// Runs options.command and waits for its end. Changes this process's environment. The application is not started once
/// a signal is held back. One thread: it forks.
ApplicationEnd run_application(const RunOptions& options, const PrivateFolder& folders, const HeldSignals& signals);

}  // namespace skmd::profiler

// SPDX-License-Identifier: Apache-2.0
// The two that are compared: a program on SKMD's CPU device, and the same on PoCL.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/cpu/child.h"

namespace bench {

struct CpuOptions;

class Side {
 public:
  /// The drivers keep compiled programs under `cache`; empty: in a folder of this side's own, which is empty.
  Side(const std::vector<std::string>& command, std::map<std::string, std::string> variables, const char* name,
       const std::string& cache);

  Child& child() { return *child_; }
  /// What the kernels of one run take.
  double seconds_of_run();
  /// What building and the first launch take, beyond what a launch takes later.
  double seconds_of_cold_start();
  /// What is wrong with the last results, or with the process that computed them; empty: nothing.
  std::string wrong_result();

 private:
  std::string name_;
  std::unique_ptr<TemporaryFolder> cache_;
  std::unique_ptr<Child> child_;
};

/// `command`: a program of the options' folder, and arguments. `cache`: see Side.
Side start_ours(const CpuOptions& options, std::vector<std::string> command, const std::string& cache);
Side start_pocl(const CpuOptions& options, std::vector<std::string> command, const std::string& cache);

}  // namespace bench

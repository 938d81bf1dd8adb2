// SPDX-License-Identifier: Apache-2.0
// skmd-ctl's command line. Values in, values out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/run_options.h"

namespace skmd::profiler {

/// Exit statuses of skmd-ctl.
inline constexpr int kCtlDone = 0, kCtlNotMet = 1, kCtlBadUsage = 2;

struct CtlOptions {
  long process = 0;
  std::string folder;              // with the socket; "": as SKMD_CONTROL says, or by default
  std::vector<std::string> words;  // the command and its arguments, as they are sent
  bool as_json = false;
};

/// What parse leaves to do instead of asking the process, if anything.
std::optional<EarlyEnd> parse_ctl_options(const std::vector<std::string>& arguments, CtlOptions& options);

}  // namespace skmd::profiler

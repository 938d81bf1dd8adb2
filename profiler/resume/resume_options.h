// SPDX-License-Identifier: Apache-2.0
// skmd-resume's command line. Values in, values out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/run_options.h"

namespace skmd::profiler {

/// Exit statuses of skmd-resume.
inline constexpr int kResumeDone = 0, kResumeFailed = 1, kResumeBadUsage = 2;

struct ResumeOptions {
  std::string file;
  std::string folder;  // for the contents of buffers
  bool as_json = false;
};

/// What is left to do instead of resuming, if anything.
std::optional<EarlyEnd> parse_resume_options(const std::vector<std::string>& arguments, ResumeOptions& options);

}  // namespace skmd::profiler

// SPDX-License-Identifier: Apache-2.0
// The folder of drivers that a daemon finds, and no others.
#pragma once

#include <string>
#include <vector>

#include "partitioner/base/result.h"

namespace skmd::profiler {

/// Writes the .icd files of `vendors` into `target`, without those that skmd-serve leaves out, and returns the
/// libraries that they name. Both are folders; `vendors` may be one such file.
domain::Result<std::vector<std::string>> copy_real_drivers(const std::string& vendors, const std::string& target);

}  // namespace skmd::profiler

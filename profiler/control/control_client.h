// SPDX-License-Identifier: Apache-2.0
// Asks a running process (profiler/settings/control_place.h).
#pragma once

#include <string>
#include <vector>

#include "partitioner/base/result.h"

namespace skmd::profiler {

/// Sends the words, and returns the answer: a line of JSON. Blocks for as long as the process takes. Error: there is no
/// such process, it has no socket in the folder or does not answer there.
domain::Result<std::string> ask(const std::string& folder, long process, const std::vector<std::string>& words);

}  // namespace skmd::profiler

// SPDX-License-Identifier: Apache-2.0
// What starting a command and reading what it says need everywhere.
#pragma once

#include <string>
#include <vector>

namespace skmd::profiler {

/// `command` as exec() takes it: valid as long as `command` is. To be made in a child, or before the fork.
std::vector<char*> exec_arguments(const std::vector<std::string>& command);

/// All that is written into the pipe or socket `descriptor` until its other ends are closed. Blocks until then.
std::string read_to_end(int descriptor);

}  // namespace skmd::profiler

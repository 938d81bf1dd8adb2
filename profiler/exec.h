// SPDX-License-Identifier: Apache-2.0
// What starting a command and reading what it says need everywhere.
#pragma once

#include <string>

#include "compiler/client/exec_arguments.h"

namespace skmd::profiler {

using compiler::exec_arguments;

/// All that is written into the pipe or socket `descriptor` until its other ends are closed. Blocks until then.
std::string read_to_end(int descriptor);

}  // namespace skmd::profiler

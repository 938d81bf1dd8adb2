// SPDX-License-Identifier: Apache-2.0
// What starting a command and reading what it says need everywhere.
#pragma once

#include <optional>
#include <string>

#include "compiler/client/exec_arguments.h"

namespace skmd::profiler {

using compiler::exec_arguments;

/// All that is written into the pipe or socket `descriptor` until its other ends are closed. Blocks until then.
std::string read_to_end(int descriptor);

/// Likewise; nothing if the file `interrupt` is readable before anything can be read. -1: there is no such file.
std::optional<std::string> read_unless(int interrupt, int descriptor);

}  // namespace skmd::profiler

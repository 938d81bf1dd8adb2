// SPDX-License-Identifier: Apache-2.0
// Starting the helper inside somebody else's process, unnoticed: no SIGCHLD, no child that a wait-for-any would find,
// no zombie, no SIGPIPE, no descriptor that leaks either way.
#pragma once

#include <string>

#include "partitioner/result.h"

namespace skmd::compiler {

/// Gives `input` on standard input and returns the frame (codec.h) that the program writes to standard output.
/// An error's reason says whether it could not be started, ended without a whole frame, or took too long.
domain::Result<std::string> run_helper(const std::string& path, const std::string& input, unsigned timeout_seconds);

}  // namespace skmd::compiler

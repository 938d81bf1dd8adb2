// SPDX-License-Identifier: Apache-2.0
// Starts a helper from inside the application's process without visible effects there: no SIGCHLD, no child that a
// wait-for-any would find, no zombie, no SIGPIPE, no descriptor that leaks either way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/client/client.h"
#include "partitioner/base/result.h"

namespace skmd::compiler {

struct HelperProgram {
  std::string path;
  std::vector<std::string> arguments = {};              // after the program's name
  std::vector<std::string> environment = {"LC_ALL=C"};  // NAME=VALUE; all that the program sees
};

/// Runs the program with `input` on standard input and returns the frame (codec.h) that the program writes to standard
/// output. An error's reason says whether it could not be started, ended without a whole frame, or (with the code
/// kNoAnswerInTime) hung. The limits are set before the program starts. Blocks; thread-safe.
domain::Result<std::string> run_helper(const HelperProgram& program, const std::string& input,
                                       const HelperLimits& limits);

inline constexpr int kNoAnswerInTime = -11;  // CL_BUILD_PROGRAM_FAILURE

/// Writes beyond the application's limit of file sizes (RLIMIT_FSIZE) would end it by SIGXFSZ.
bool file_may_have(std::uint64_t bytes);

}  // namespace skmd::compiler

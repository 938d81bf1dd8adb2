// SPDX-License-Identifier: Apache-2.0
// A file that a user names for a command's answer.
#pragma once

#include <filesystem>
#include <string>

#include "partitioner/base/result.h"

namespace skmd::profiler {

/// "-", or another name of what the process's standard output is, such as /dev/stdout.
bool is_standard_output(const std::filesystem::path& file);

/// A regular file appears whole or not at all, under its name or, of a symbolic link, that of its target. What is
/// there and is no regular file, such as a pipe or a device, stays and is written into, and so are standard output and
/// what names under /dev/fd and /proc lead to. An error names the file.
domain::Status write_output(const std::filesystem::path& file, const std::string& text);

}  // namespace skmd::profiler

// SPDX-License-Identifier: Apache-2.0
// skmd-info explain FILE: a statistics file, or OpenCL C.
#pragma once

#include <string>
#include <vector>

namespace skmd::profiler {

/// Prints the explanation of `file`, or an error on standard error. Returns the exit status: 0, 1 (the file is damaged,
/// unknown or wrong OpenCL C) or 2 (it cannot be read). `options` are build options, for OpenCL C.
int explain(const std::string& file, const std::vector<std::string>& options);

}  // namespace skmd::profiler

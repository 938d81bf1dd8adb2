// SPDX-License-Identifier: Apache-2.0
// The program of a case: one text, or units and headers on disk.
#pragma once

#include <CL/cl.h>

#include <string>

namespace skmd::test {

/// Builds, or compiles and links, what `source` says (units.py has how). Throws std::runtime_error with the log.
cl_program built_program(cl_context context, cl_device_id device, const std::string& source);

}  // namespace skmd::test

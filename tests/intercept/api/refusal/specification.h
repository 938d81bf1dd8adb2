// SPDX-License-Identifier: Apache-2.0
// Which errors the OpenCL 3.0 specification gives for which function, and which of them cannot occur here.
#pragma once

#include <CL/cl.h>

#include <string>
#include <utility>
#include <vector>

namespace skmd::test {

struct Specified {
  std::string function;
  std::vector<cl_int> codes;
};

/// Every core entry point that returns an error. CL_OUT_OF_RESOURCES and CL_OUT_OF_HOST_MEMORY, which nearly every
/// function may give, are named only where a wrong call of the application brings them about.
const std::vector<Specified>& specification();

/// Why no call can bring this error about; null if there is no such reason.
const char* cannot_occur(const std::string& function, cl_int code);
/// All pairs that cannot_occur() answers for.
std::vector<std::pair<std::string, cl_int>> impossible();

std::string code_name(cl_int code);

}  // namespace skmd::test

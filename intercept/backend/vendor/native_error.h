// SPDX-License-Identifier: Apache-2.0
// Native error codes as values with a name for people.
#pragma once

#include <CL/cl.h>

#include <string>

#include "partitioner/base/result.h"

namespace skmd::icd {

/// "CL_OUT_OF_RESOURCES (-5)"; the number alone for codes that OpenCL does not define.
std::string native_code_name(cl_int code);

/// "clEnqueueCopyBuffer failed with CL_OUT_OF_RESOURCES (-5)".
domain::Error native_failure(const char* call, cl_int code);

}  // namespace skmd::icd

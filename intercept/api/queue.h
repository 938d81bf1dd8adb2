// SPDX-License-Identifier: Apache-2.0
// Shared by the present and the deprecated way to create a queue.
#pragma once

#include <vector>

#include "intercept/api/entry.h"

namespace skmd::icd::api {

/// CL_INVALID_CONTEXT, CL_INVALID_DEVICE; `bits` have been checked.
Result<cl_command_queue> make_queue(cl_context context, cl_device_id device, cl_command_queue_properties bits,
                                    std::vector<cl_queue_properties> list);

}  // namespace skmd::icd::api

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "intercept/api/entry.h"

namespace skmd::icd::api {

/// CL_INVALID_OPERATION: the virtual device has no shared virtual memory.
Status check_svm_offered();

}  // namespace skmd::icd::api

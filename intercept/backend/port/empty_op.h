// SPDX-License-Identifier: Apache-2.0
// Operations without work: vendors refuse or crash on them.
#pragma once

#include "intercept/backend/port/port.h"

namespace skmd::icd {

bool is_empty(const Op& op);

}  // namespace skmd::icd

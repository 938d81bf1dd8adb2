// SPDX-License-Identifier: Apache-2.0
// Part of the composition root: starts skmd-ask, in which this library asks another driver.
#pragma once

#include <string>

#include "intercept/backend/discovery/ask_ahead.h"

namespace skmd::icd {

/// Runs `helper`, a skmd-ask, with this library's file `library`; the answers go to `cache`. Empty where `cache` is,
/// or where the process has other rights than its user.
AskDriver driver_asker(const std::string& helper, const std::string& library, const std::string& cache);

}  // namespace skmd::icd

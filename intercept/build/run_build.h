// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "intercept/build/build.h"
#include "intercept/build/executable.h"

namespace skmd::icd {

/// Runs `work` between Program::begin and Program::end: here and now, or with a callback on a worker.
Status run_build(const Ref<Program>& program, const Notify& notify, std::function<BuildOutcome()> work);

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// Part of the composition root: how vendors' devices get kernels that can be stopped inside of groups.
#pragma once

#include "intercept/backend/vendor/stoppable_code.h"
#include "intercept/machine/machine.h"

namespace skmd::icd {

/// `machine` lives for ever; its compiler, language, executor and observer are set before a program is built.
/// `traps`: kernels that work-items leave where they would trap, instead.
StoppableMaker stoppable_maker(const Machine& machine, bool traps);

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// The list of running launches, which is there once something needs it.
#pragma once

#include "intercept/machine/machine.h"

namespace skmd::icd::control {

/// From now on launches of the machine can be controlled: machine.running is set, for the life of the process.
/// Precondition: the machine is complete, and lives for ever.
void control_launches(Machine& machine);

}  // namespace skmd::icd::control

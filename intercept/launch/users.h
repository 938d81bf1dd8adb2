// SPDX-License-Identifier: Apache-2.0
// Buffers learn which devices a launch uses them on, so that what the application writes next is sent there.
#pragma once

#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"

namespace skmd::icd {

/// Tells all roots of `view`. A slice that only explores does not count as a use. Thread-safe.
void tell_users(const Machine& machine, const LaunchView& view, const Decision& decision);

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// Buffers learn which devices a launch uses them on, so that what the application writes next is sent there.
#pragma once

#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"

namespace skmd::icd {

/// Tells all roots of `view`. Slices that only explore do not count as uses: a launch with such slices is that of one
/// device, if it runs nearly all groups, or else leaves what buffers have learned as it is. Where there is a
/// Decision::next, buffers learn that one. Thread-safe.
void tell_users(const Machine& machine, const LaunchView& view, const Decision& decision);

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// What a launch waits for before it is decided.
#pragma once

#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

/// Where a kernel is known from former processes, but its program not yet built for devices that would shorten the
/// launch clearly: waits for their builds, as long as that pays. True: some have ended, so that the view's eligibility
/// is out of date. Blocks; no lock may be held.
bool wait_for_shares(Machine& machine, const Launch& launch, const LaunchView& view);

/// Whether a launch that could be submitted behind others should be decided when these have ended: otherwise launches
/// that an application enqueues in a row would all be decided before the first has been measured. False for short
/// launches, and soon where devices tell no times.
bool should_wait_to_decide(const Machine& machine, const LaunchView& view);

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// What a launch waits for before it is decided, and which builds it begins.
#pragma once

#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

/// Where a kernel is known from former processes, but its program not yet built for devices that would shorten the
/// launch clearly: waits for their builds, as long as that pays. True: some have ended, so that the view's eligibility
/// is out of date. Blocks; no lock may be held.
bool wait_for_shares(Machine& machine, const Launch& launch, const LaunchView& view);

/// To be called in `auto` before a launch is decided. Begins builds in the background for devices of this machine that
/// would shorten it clearly, also for those that are slow to start and would be begun later: where former processes
/// have measured the kernel on several devices, or where each launch gains a notable part of such a start. Plans twice,
/// at a few launches of each shape.
void begin_builds_that_pay(Machine& machine, const Launch& launch, const LaunchView& view);

/// Whether a launch that could be submitted behind others should be decided when these have ended: otherwise launches
/// that an application enqueues in a row would all be decided before the first has been measured, or before devices can
/// take part for which the program is being built. False for short launches, and soon where devices tell no times.
bool should_wait_to_decide(const Machine& machine, const Launch& launch, const LaunchView& view);

}  // namespace skmd::icd

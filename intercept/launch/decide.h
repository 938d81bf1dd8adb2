// SPDX-License-Identifier: Apache-2.0
// From a launch to a plan: the reasons that keep it whole, then the partitioner, then the merge ladder.
#pragma once

#include <optional>
#include <vector>

#include "intercept/launch/decision.h"
#include "intercept/launch/eligibility.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"
#include "partitioner/merge/merge.h"
#include "partitioner/plan/partition.h"

namespace skmd::icd {

/// Reads residency and the model, and remembers the decision in the launch's shape. Precondition: at least one device
/// is eligible. Thread-safe.
std::shared_ptr<const Decision> decide(Machine& machine, const Launch& launch, const LaunchView& view);

/// Where a kernel is known from former processes, but its program not yet built for devices that would shorten the
/// launch clearly: waits for their builds, as long as that pays. True: some have ended, so that the view's eligibility
/// is out of date. Blocks; no lock may be held.
bool wait_for_shares(Machine& machine, const Launch& launch, const LaunchView& view);

/// Whether a launch that could be submitted behind others should be decided when these have ended: otherwise launches
/// that an application enqueues in a row would all be decided before the first has been measured. False for short
/// launches, and soon where devices tell no times.
bool should_wait_to_decide(const Machine& machine, const LaunchView& view);

/// One span of the launch in one slice, `reason` being why no more.
std::shared_ptr<const Decision> part_on(const LaunchView& view, std::uint32_t device, const domain::GroupSpan& span,
                                        domain::NotSplit reason);

/// The launch in one slice.
std::shared_ptr<const Decision> whole_on(const Launch& launch, const LaunchView& view, std::uint32_t device,
                                         domain::NotSplit reason);

}  // namespace skmd::icd

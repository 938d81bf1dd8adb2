// SPDX-License-Identifier: Apache-2.0
// From a launch to a plan: the reasons that keep it whole, then the partitioner, then the merge ladder.
#pragma once

#include <optional>
#include <vector>

#include "intercept/launch/eligibility.h"
#include "intercept/launch/launch_view.h"
#include "partitioner/merge.h"
#include "partitioner/partition.h"

namespace skmd::icd {

/// Pure but for reading residency and the model. At least one device is eligible.
std::shared_ptr<const Decision> decide(Machine& machine, const Launch& launch, const LaunchView& view);

/// Where a kernel is known from former processes, but its program not yet built for devices that would shorten the
/// launch clearly: waits for their builds, as long as that pays. True: some have ended, so that the view's eligibility
/// is that of before. Any thread; no lock may be held.
bool wait_for_shares(Machine& machine, const Launch& launch, const LaunchView& view);

/// For a launch that could be submitted behind others that have not ended: whether it should be decided when they have.
/// Launches that an application enqueues in a row would else all be decided before the first has been measured.
/// Never for long where launches are short, or nothing comes to be known.
bool should_wait_to_decide(const Machine& machine, const LaunchView& view);

/// One span of the launch in one slice, `reason` being why no more.
std::shared_ptr<const Decision> part_on(const LaunchView& view, std::uint32_t device, const domain::GroupSpan& span,
                                        domain::NotSplit reason);

/// The launch in one slice.
std::shared_ptr<const Decision> whole_on(const Launch& launch, const LaunchView& view, std::uint32_t device,
                                         domain::NotSplit reason);

}  // namespace skmd::icd

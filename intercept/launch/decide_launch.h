// SPDX-License-Identifier: Apache-2.0
// The decision for a launch on this machine: the one for the launch before, if that stands, else a new one; and what
// the application's rounds say of it.
#pragma once

#include <cstdint>
#include <memory>

#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"
#include "partitioner/plan/not_split.h"

namespace skmd::icd {

/// Reads residency and the model, and remembers the decision in the launch's shape. Precondition: at least one device
/// is eligible. Thread-safe.
std::shared_ptr<const Decision> decide_launch(Machine& machine, const Launch& launch, const LaunchView& view);

/// One span of the launch in one slice, `reason` being why no more.
std::shared_ptr<const Decision> part_on(const LaunchView& view, std::uint32_t device, const domain::GroupSpan& span,
                                        domain::NotSplit reason);

/// The launch in one slice.
std::shared_ptr<const Decision> whole_on(const Launch& launch, const LaunchView& view, std::uint32_t device,
                                         domain::NotSplit reason);

}  // namespace skmd::icd

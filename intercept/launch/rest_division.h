// SPDX-License-Identifier: Apache-2.0
// What a stopped slice left, divided anew over all devices by what is known of them now.
#pragma once

#include <memory>
#include <span>

#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/launch/preemption.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

/// A decision for the groups of `stopped` alone, one slice or several, whose first slice has the groups that have
/// begun. `groups_per_second`: of each device, as it ran other groups of the launch; 0: it did not. Reads residency and
/// the model. Groups that have begun stay where they are unless another device has code for them already.
std::shared_ptr<const Decision> divide_rest(Machine& machine, const Launch& launch, const LaunchView& view,
                                            const StoppedSpan& stopped, std::span<const double> groups_per_second);

}  // namespace skmd::icd

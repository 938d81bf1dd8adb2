// SPDX-License-Identifier: Apache-2.0
// Splits that begin with the application's next write.
#pragma once

#include <memory>

#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"

namespace skmd::icd {

/// `split`, or a launch on the one device that has all bytes (Decision::next: the split): if the application writes for
/// each launch what the split's other devices miss, and moving that now would take longer than the split gains. What
/// is written for the next launch is then sent to them at once. At most once for each choice of devices of a shape.
/// Thread-safe.
std::shared_ptr<const Decision> postponed(const Machine& machine, const Launch& launch, const LaunchView& view,
                                          std::shared_ptr<const Decision> split);

/// The split that was postponed at the launch before, if the application has written for this one too and its devices
/// are still eligible, as it was planned then: what was written is where it wants it. Else null. Thread-safe.
std::shared_ptr<const Decision> begun_split(const LaunchView& view);

}  // namespace skmd::icd

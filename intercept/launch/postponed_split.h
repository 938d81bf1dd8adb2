// SPDX-License-Identifier: Apache-2.0
// Splits that begin with the application's next write.
#pragma once

#include <memory>

#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"

namespace skmd::icd {

/// `split`, or a launch whole on the one device that has all its bytes (Decision::next: the split): if the application
/// writes for each launch what the split's other devices miss, and moving that now would take longer than the split
/// gains over that device. What is written for the next launch is then sent to the split's devices. Only the first
/// split over a choice of devices is looked at, once for each shape. Thread-safe.
std::shared_ptr<const Decision> postponed(const Machine& machine, const Launch& launch, const LaunchView& view,
                                          std::shared_ptr<const Decision> split);

/// Returns the split that the launch before postponed, as planned then, and forgets it. Null: none was postponed,
/// splits are barred, one of its devices is not eligible, or more than kMaxShadowed of the written bytes are missing on
/// one. Thread-safe.
std::shared_ptr<const Decision> begun_split(const Machine& machine, const LaunchView& view, bool barred);

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// Plans that begin with the application's next write: splits, and another device for the whole launch.
#pragma once

#include <memory>

#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"

namespace skmd::icd {

/// `split`, a plan over several devices or whole in host memory; or a launch whole on the one device that has all its
/// bytes (Decision::next: the plan): if the application writes for each launch what the plan's devices miss, and moving
/// that now would take longer than the plan gains over that device. What is written for the next launch is then sent to
/// the plan's devices. Only the first plan over a choice of devices is looked at, once for each shape. Thread-safe.
std::shared_ptr<const Decision> postponed(const Machine& machine, const Launch& launch, const LaunchView& view,
                                          std::shared_ptr<const Decision> split);

/// Returns the plan that postponed() put off at the last launch of the shape, and clears it. Null if none was put off,
/// if splits are barred, if one of the plan's devices is not eligible, or if more than kMaxShadowed of the written
/// bytes are missing on one of them. Thread-safe.
std::shared_ptr<const Decision> begun_split(const Machine& machine, const LaunchView& view, bool barred);

}  // namespace skmd::icd

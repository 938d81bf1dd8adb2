// SPDX-License-Identifier: Apache-2.0
// A launch that was stopped, to a file from which another process can complete it, and back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "intercept/launch/launch_view.h"
#include "intercept/launch/preemption.h"
#include "intercept/machine/machine.h"
#include "intercept/machine/running_launches.h"
#include "intercept/object/launch.h"
#include "profiler/checkpoint/launch_checkpoint.h"

namespace skmd::icd {

/// Brings to host memory what the launch's arguments reach, and writes `path`. `left`: all groups that have not run to
/// their end; the results of the others are committed. The caller holds the launch's ranges. Blocks. Error: the state
/// is not all in its buffers, or another command uses bytes of these; CL_OUT_OF_RESOURCES: the file cannot be written.
Result<Checkpoint> write_checkpoint(Machine& machine, const Launch& launch, const LaunchView& view,
                                    const std::vector<StoppedSpan>& left, const std::string& path);

/// What is left of a launch that another process began, each span on the device of `machine` that is to run it: the
/// one that would get most of the launch, if it may. Blocks while code is made. Error: no device can go on with it.
Result<std::vector<StoppedSpan>> take_up(Machine& machine, const Launch& launch, const LaunchView& view,
                                         const checkpoint::Rest& rest);

}  // namespace skmd::icd

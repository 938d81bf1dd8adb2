// SPDX-License-Identifier: Apache-2.0
// Checkpoints of running launches at regular times (SKMD_CHECKPOINT).
#pragma once

#include <string>

#include "intercept/machine/machine.h"
#include "partitioner/base/result.h"
#include "profiler/settings/checkpoint_place.h"

namespace skmd::icd::control {

/// The file of a kernel's launches in `folder`: each checkpoint takes the place of the one before. Pure.
std::string checkpoint_file(const std::string& folder, const std::string& kernel, long process);

/// From now on a running launch is kept each time the period is over, counted from the end of the one before: the
/// folder is made, machine.running is set, and a thread works for the life of the process. What cannot be kept is
/// logged. Error: there is no thread. Preconditions as of serve().
domain::Status keep_checkpoints(Machine& machine, const settings::CheckpointPlace& place);

}  // namespace skmd::icd::control

// SPDX-License-Identifier: Apache-2.0
// The command that carries a launch through spans -> move -> run -> merge.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/launch/frozen_launch.h"
#include "intercept/machine/machine.h"
#include "intercept/object/command.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "partitioner/base/nd_range.h"

namespace skmd::icd {

/// Local size for a NULL local_work_size: one choice for all devices, deterministic, divides the range, respects reqd
/// size and every built device's limits. Pure but for native kernel queries.
domain::Extent3 choose_local_size(BuiltKernel& kernel, std::uint32_t work_dim, const domain::Extent3& global);

/// Errors found before anything is enqueued: no device can take the launch (CL_OUT_OF_RESOURCES, naming limit and
/// value). `watched`: the application has its event. `kernel`, if given, remembers the launch.
Result<std::shared_ptr<Command>> make_launch(Machine& machine, Launch launch, bool watched = true,
                                             Kernel* kernel = nullptr);

/// The command of a launch that another process began, of which `rest` is left (profiler/checkpoint/launch_codec.h).
/// Blocks while code is made that can go on with it. Errors as of make_launch(), and CL_INVALID_VALUE: `rest` is none
/// of this launch.
Result<std::shared_ptr<Command>> make_rest(Machine& machine, Launch launch, std::string_view rest);

/// Why no device can take the launch, naming limit and value of each.
domain::Error no_device(const Machine& machine, const FrozenLaunch& frozen);

/// One more command of a launch that a kernel had remembered. Null, and `launch` is not taken: it has to be made anew.
std::shared_ptr<Command> repeat_launch(Machine& machine, std::shared_ptr<const Launch>&& launch, bool watched);

}  // namespace skmd::icd

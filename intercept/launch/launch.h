// SPDX-License-Identifier: Apache-2.0
// A launch: a frozen clEnqueueNDRangeKernel, and the command that carries it through spans -> move -> run -> merge.
#pragma once

#include <memory>
#include <vector>

#include "intercept/object/command.h"
#include "intercept/object/kernel.h"
#include "partitioner/nd_range.h"

namespace skmd::icd {

struct Launch {
  std::shared_ptr<BuiltKernel> kernel;
  domain::NdRange range;  // local size already chosen; group_total() ≥ 1
  std::vector<LaunchArgument> arguments;
  bool watched = true;  // the application has its event
};

/// Local size for a NULL local_work_size: one choice for all devices, deterministic, divides the range, respects reqd
/// size and every built device's limits. Pure but for native kernel queries.
domain::Extent3 choose_local_size(BuiltKernel& kernel, std::uint32_t work_dim, const domain::Extent3& global);

/// Errors found before anything is enqueued: no device can take the launch (CL_OUT_OF_RESOURCES, naming limit and
/// value).
Result<std::shared_ptr<Command>> make_launch(Machine& machine, Launch launch);

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// The socket by which skmd-ctl reaches a process.
#pragma once

#include <string>

#include "intercept/machine/machine.h"
#include "partitioner/base/result.h"

namespace skmd::icd::control {

/// From now on launches of the machine can be controlled by a socket in `folder` (profiler/settings/control_place.h):
/// machine.running is set, and a thread listens for the life of the process. The socket goes at exit(). Error: the
/// folder or the socket cannot be used, or there is no thread; then there is no socket. Precondition: the machine is
/// complete, and lives for ever; no launch was made.
Status serve(Machine& machine, const std::string& folder);

}  // namespace skmd::icd::control

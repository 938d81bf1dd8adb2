// SPDX-License-Identifier: Apache-2.0
#include "intercept/control/running.h"

#include "intercept/machine/running_launches.h"
#include "intercept/object/build_queue.h"

namespace skmd::icd::control {

void control_launches(Machine& machine) {
  if (machine.running != nullptr) return;
  // Never destroyed: other threads may still use it at exit.
  static auto* running = new RunningLaunches(machine);
  machine.running = running;
  if (machine.builds != nullptr) machine.builds->leave_out(machine.stopped);
}

}  // namespace skmd::icd::control

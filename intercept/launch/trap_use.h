// SPDX-License-Identifier: Apache-2.0
// SKMD_CHECK=deopt: how a device takes part in a launch whose accesses are checked.
#pragma once

#include <cstdint>
#include <string>

#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"
#include "intercept/observe/observer.h"

namespace skmd::icd {

class LaunchView;

struct TrapUse {
  /// The device runs checked code, in which work-items that trap go on or leave it before. False: it runs the kernel's
  /// own code, which is checked there, or cannot trap in this launch.
  bool leaves = false;
  std::string why_not = {};  // why it cannot take part: as of TrapForm; "": it can
};

/// On machine.devices[device], where the kernel is built. Waits for checked code to be made. Thread-safe.
TrapUse trap_use(const Machine& machine, const Launch& launch, std::uint32_t device);

/// The reason of `why_not` that statistics know.
std::string trap_reason(const std::string& why_not);

/// Reports a launch that has ended, with what left its devices, where SKMD_CHECK is deopt.
void report_left(const Machine& machine, const Launch& launch, const LaunchView& view, LeftReport left);

/// The device on which work-items that left another one go on; an error: there is none.
Result<std::uint32_t> takes_left_items(const Machine& machine, const Launch& launch, std::uint64_t schema);

}  // namespace skmd::icd

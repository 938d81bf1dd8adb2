// SPDX-License-Identifier: Apache-2.0
// What becomes of a launch on its way through one conductor or several.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "intercept/launch/conductor.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_command.h"
#include "intercept/observe/observer.h"

namespace skmd::icd {

/// What became of a launch that a Conductor or DealtLaunch carried through.
struct Carried {
  Status status;
  std::vector<SliceReport> reports = {};
  Unfinished unfinished = {};
  std::uint64_t first_uses = 0;
  PreemptReport preempted = {};
  std::optional<DividedAnew> divided_anew = {};  // set: what was stopped is to be divided anew
  std::optional<domain::Error> trapped = {};
  LeftReport left = {};
};

struct LaunchCommand::Partly {
  std::shared_ptr<const Decision> decision;
  Carried carried;
  std::uint64_t begin = 0;   // host clock, nanoseconds
  bool was_stopped = false;  // some slice was, at any time: the whole's time tells nothing of the decision
  std::optional<std::uint32_t> target = {};  // where the rest is to go on
};

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// What became of a launch that a Conductor or DealtLaunch carried through.
#pragma once

#include <cstdint>
#include <vector>

#include "intercept/launch/conductor.h"
#include "intercept/observe/observer.h"
#include "intercept/observe/preempt_report.h"

namespace skmd::icd {

struct Carried {
  Status status;
  std::vector<SliceReport> reports;
  Unfinished unfinished;
  std::uint64_t first_uses = 0;
  PreemptReport preempted = {};
};

}  // namespace skmd::icd

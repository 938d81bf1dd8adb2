// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/resumption.h"

#include <utility>

#include "intercept/launch/decide_launch.h"

namespace skmd::icd {

Status Resumption::run(std::vector<StoppedSpan> stopped) {
  while (!stopped.empty()) {
    const StoppedSpan next = stopped.back();
    stopped.pop_back();
    const std::uint32_t device = next_device(machine_, launch_, view_, next);
    // Where there is no room, the conductor says so.
    if (device != next.device) (void)machine_.memory.hold(device, view_.argument_roots(), has_turn_);
    const auto part = part_on(view_, device, next.span, domain::NotSplit::one_device_eligible);
    Conductor conductor(machine_, launch_, view_, *part, event_, GivesWay::yes);
    Status status = conductor.run();
    first_uses_ |= conductor.first_uses();
    preempted_.add(conductor.preempted());
    for (const SliceReport& report : conductor.reports()) reports_.push_back(report);
    std::uint64_t left = 0;
    for (const StoppedSpan& span : conductor.unfinished().stopped) left += span.span.size();
    if (!status) {
      unfinished_ = conductor.unfinished();
      for (const StoppedSpan& span : stopped) unfinished_.spans.push_back(span.span);
      return status;
    }
    if (device != next.device) preempted_.add_moved(device, next.span.size() - left);
    stopped.insert(stopped.end(), conductor.unfinished().stopped.begin(), conductor.unfinished().stopped.end());
  }
  return {};
}

}  // namespace skmd::icd

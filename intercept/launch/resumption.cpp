// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/resumption.h"

#include <utility>

#include "intercept/launch/decide_launch.h"
#include "intercept/launch/launch_shape.h"

namespace skmd::icd {
namespace {

/// What `slice` touches. Groups that have begun need what they wrote, also where they would write all of it in the end.
SharedFootprint with_results_of_begun(const LaunchView& view, const SliceWork& slice, const StoppedSpan& stopped) {
  auto touches = std::make_shared<SpanFootprint>(*slice.touches);
  const SharedFootprint begun = view.shape().footprint(stopped.begun);
  for (std::size_t r = 0; r < touches->roots.size(); ++r) {
    touches->needed[r].add(begun->roots[r].may_write);
    touches->in_place[r].add(begun->roots[r].may_write);
  }
  return touches;
}

}  // namespace

Status Resumption::run(std::vector<StoppedSpan> stopped, std::optional<std::uint32_t> target, bool has_run) {
  std::vector<StoppedSpan> given_back;
  while (!stopped.empty()) {
    // Where others come again and again, the launch would never come on.
    if (has_run && wanted_ && wanted_()) {
      given_back.insert(given_back.end(), stopped.begin(), stopped.end());
      break;
    }
    const StoppedSpan next = stopped.back();
    const std::uint32_t device = next_device(machine_, launch_, view_, next, target);
    // No other device may go on with it: then this one does, also while it is stopped.
    const bool stays = device == next.device && is_stopped(machine_, device) && !is_suspended(machine_);
    stopped.pop_back();
    if (running_ != nullptr && ((running_->asked() && !stays) || !running_->extend(device, stays))) {
      given_back.push_back(next);
      continue;
    }
    // Where there is no room, the conductor says so.
    if (device != next.device || wanted_) (void)machine_.memory.hold(device, view_.argument_roots(), has_turn_);
    const auto part = part_on(view_, device, next.span, domain::NotSplit::one_device_eligible);
    Decision decision = *part;
    if (next.saved != nullptr)
      decision.slices.front().touches = with_results_of_begun(view_, decision.slices.front(), next);
    Conductor conductor(machine_, launch_, view_, decision, event_, stays ? GivesWay::no : GivesWay::yes, running_,
                        next);
    conductor.stop_when(wanted_);
    Status status = conductor.run();
    has_run = true;
    first_uses_ |= conductor.first_uses();
    preempted_.add(conductor.preempted());
    for (const SliceReport& report : conductor.reports()) reports_.push_back(report);
    std::uint64_t left = 0;
    for (const StoppedSpan& span : conductor.unfinished().stopped) left += span.span.size();
    if (!status) {
      unfinished_ = conductor.unfinished();
      stopped.insert(stopped.end(), given_back.begin(), given_back.end());
      leave_to_rescue(stopped, unfinished_);
      if (next.saved != nullptr) unfinished_.inputs_intact = false;  // its groups are among those that failed
      return status;
    }
    if (device != next.device) preempted_.add_moved(device, next.span.size() - left);
    stopped.insert(stopped.end(), conductor.unfinished().stopped.begin(), conductor.unfinished().stopped.end());
  }
  unfinished_.stopped = std::move(given_back);
  return {};
}

}  // namespace skmd::icd

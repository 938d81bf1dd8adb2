// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/resumption.h"

#include <algorithm>
#include <utility>

#include "intercept/launch/decide_launch.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/rest_division.h"

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

std::shared_ptr<const Decision> Resumption::divided(const StoppedSpan& next) const {
  if (!divided_anew_ || is_stopped(machine_, next.device) || next.has_failed_on(next.device)) return nullptr;
  auto decision = divide_rest(machine_, launch_, view_, next, divided_anew_->groups_per_second);
  if (running_ == nullptr) return decision;
  for (const SliceWork& slice : decision->slices)
    if (!running_->extend(slice.device)) return nullptr;
  return decision;
}

void Resumption::add(const Conductor& conductor, const Decision& decision, const StoppedSpan& before) {
  first_uses_ |= conductor.first_uses();
  preempted_.add(conductor.preempted());
  if (conductor.trapped() && !trapped_) trapped_ = conductor.trapped();
  for (const SliceReport& report : conductor.reports()) reports_.push_back(report);
  // Work-items that would have trapped are counted elsewhere.
  if (machine_.settings.check == CheckMode::deopt) return;
  for (const SliceWork& slice : decision.slices) {
    if (slice.device == before.device) continue;
    std::uint64_t left = 0;
    for (const StoppedSpan& span : conductor.unfinished().stopped)
      if (span.device == slice.device) left += span.span.size();
    // Of a launch that has failed the rescue says where its groups ran.
    if (conductor.unfinished().spans.empty()) preempted_.add_moved(slice.device, slice.span.size() - left);
  }
}

Status Resumption::run(std::vector<StoppedSpan> stopped, std::optional<std::uint32_t> target, bool has_run) {
  std::vector<StoppedSpan> given_back;
  while (!stopped.empty()) {
    // Where others come again and again, the launch would never come on.
    if (has_run && wanted_ && wanted_()) {
      given_back.insert(given_back.end(), stopped.begin(), stopped.end());
      break;
    }
    const StoppedSpan next = stopped.back();
    stopped.pop_back();
    auto decision = running_ != nullptr && running_->asked() ? nullptr : divided(next);
    bool stays = false;
    if (decision == nullptr) {
      const std::uint32_t device = next_device(machine_, launch_, view_, next, target);
      // No other device may go on with it: then this one does, also while it is stopped.
      stays = device == next.device && is_stopped(machine_, device) && !is_suspended(machine_);
      if (running_ != nullptr && ((running_->asked() && !stays) || !running_->extend(device, stays))) {
        given_back.push_back(next);
        continue;
      }
      decision = part_on(view_, device, next.span, domain::NotSplit::one_device_eligible);
    }
    Status status = go_on(*decision, next, stays);
    has_run = true;
    if (!status) {
      auto again = begun_to_try_again(*decision, next);
      const bool goes_on = again && unfinished_.spans.empty();
      if (again) stopped.push_back(std::move(*again));
      if (!goes_on) {
        stopped.insert(stopped.end(), given_back.begin(), given_back.end());
        stopped.insert(stopped.end(), unfinished_.stopped.begin(), unfinished_.stopped.end());
        unfinished_.stopped.clear();
        leave_to_rescue(stopped, unfinished_);
        return status;
      }
      machine_.observer->log(LogLevel::info, launch_.kernel->traits().name + ": " + status.error().reason +
                                                 "; groups that have begun are resumed on another device");
    }
    stopped.insert(stopped.end(), unfinished_.stopped.begin(), unfinished_.stopped.end());
  }
  unfinished_.stopped = std::move(given_back);
  return {};
}

std::optional<StoppedSpan> Resumption::begun_to_try_again(const Decision& decision, const StoppedSpan& next) {
  if (next.saved == nullptr) return std::nullopt;
  const SliceWork& first = decision.slices.front();
  const auto failed = std::find_if(unfinished_.spans.begin(), unfinished_.spans.end(),
                                   [&](const auto& span) { return span.first == next.span.first; });
  if (failed == unfinished_.spans.end()) return std::nullopt;
  // A device may remove saved states before it reports that it refuses the launch.
  if (unfinished_.reached_first || !unfinished_.inputs_intact || next.has_failed_on(first.device)) {
    unfinished_.inputs_intact = false;
    return std::nullopt;
  }
  unfinished_.spans.erase(failed);
  StoppedSpan again = next;
  again.span = first.span;
  again.failed_on |= std::uint64_t{1} << first.device;
  return again;
}

Status Resumption::go_on(const Decision& given, const StoppedSpan& next, bool stays) {
  for (const SliceWork& slice : given.slices)  // where there is no room, the conductor says so
    if (slice.device != next.device || wanted_)
      (void)machine_.memory.hold(slice.device, view_.argument_roots(), has_turn_);
  Decision decision = given;
  if (next.saved != nullptr)
    decision.slices.front().touches = with_results_of_begun(view_, decision.slices.front(), next);
  Conductor conductor(machine_, launch_, view_, decision, event_, stays ? GivesWay::no : GivesWay::yes, running_, next);
  conductor.stop_when(wanted_);
  if (divided_anew_) conductor.divide_anew(*divided_anew_);
  const bool checked = machine_.settings.check == CheckMode::deopt;
  const std::uint64_t inside = next.saved != nullptr && !checked ? next.saved->stopped() : 0;
  const std::uint64_t resumed = next.saved != nullptr ? next.saved->counts().resumed : 0;
  Status status = conductor.run();
  if (conductor.divided_anew()) divided_anew_ = conductor.divided_anew();
  add(conductor, decision, next);
  if (const std::uint32_t device = decision.slices.front().device; inside != 0 && device != next.device)
    preempted_.add_moved_inside(device, std::min(inside, next.saved->counts().resumed - resumed));
  unfinished_ = conductor.unfinished();
  return status;
}

}  // namespace skmd::icd

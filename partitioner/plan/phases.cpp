// SPDX-License-Identifier: Apache-2.0
#include "partitioner/plan/phases.h"

#include <algorithm>

#include "partitioner/plan/prediction.h"

namespace skmd::domain {

PhaseCosts::PhaseCosts(const PartitionRequest& request, Arriving arriving)
    : request_(request), arriving_(arriving), part_before_(request.bytes_awaited ? request.devices.size() : 0, -1.0) {}

double PhaseCosts::part_before(std::uint32_t device) {
  if (part_before_.empty() || !request_.bytes_to) return 0.0;
  double& part = part_before_[device];
  if (part >= 0) return part;
  const auto all = static_cast<double>(request_.bytes_to(device, {0, request_.groups}).linked);
  const auto awaited = static_cast<double>(request_.bytes_awaited(device));
  part = all > 0 ? std::clamp(1.0 - awaited / all, 0.0, 1.0) : 0.0;
  return part;
}

Phases PhaseCosts::moving(std::uint32_t device, const GroupSpan& span) {
  Phases phases;
  if (span.empty()) return phases;
  const MovingSeconds to = seconds_to(request_, device, span);
  const MovingSeconds from = seconds_from(request_, device, span);
  if (to.linked > 0) phases.before = part_before(device) * to.linked;
  // Over a dead link nothing gets there, before or then.
  const double awaited = arriving_ == Arriving::there || to.linked == phases.before ? 0.0 : to.linked - phases.before;
  const DeviceModel& model = request_.devices[device];
  phases.link = model.shared_link;
  (phases.link != 0 ? phases.arriving : phases.running) = awaited;
  if (phases.link != 0) phases.latency = model.link.bulk_seconds;
  phases.after = from.linked;
  phases.copying = to.copied + from.copied;
  return phases;
}

Phases PhaseCosts::of(std::uint32_t device, const GroupSpan& span) {
  Phases phases = moving(device, span);
  if (!span.empty()) phases.running += running_seconds(request_, device, span);
  return phases;
}

SlowestPhases PhaseCosts::together(std::span<const Slice> slices) {
  SlowestPhases slowest;
  for (const Slice& slice : slices) slowest.add(of(slice.device, slice.span));
  return slowest;
}

void SlowestPhases::raise(Phases& slowest, const Phases& slice) {
  slowest.before = std::max(slowest.before, slice.before);
  slowest.running = std::max(slowest.running, slice.running);
  slowest.after = std::max(slowest.after, slice.after);
  slowest.copying += slice.copying;
}

/// A slice of `from`, which is in the sums, becomes one of `to`.
void SlowestPhases::Link::grow(const Phases& from, const Phases& to) {
  const auto add = [&](double& sum, double old, double now) {
    const double all = old > 0 ? sum - old + now : sum > 0 ? sum + std::max(0.0, now - to.latency) : now;
    if (now > 0) sum = all;
  };
  add(before, from.before, to.before);
  add(arriving, from.arriving, to.arriving);
  add(after, from.after, to.after);
  running = std::max(running, to.running);
}

std::size_t SlowestPhases::place_of(std::uint32_t link) const {
  const auto found = std::find_if(links_.begin(), links_.end(), [&](const Link& known) { return known.link == link; });
  return static_cast<std::size_t>(found - links_.begin());
}

void SlowestPhases::add(const Phases& slice) { replace({}, slice); }

void SlowestPhases::replace(Phases& slowest, Link& link, const Phases& before, const Phases& after) {
  if (after.link == 0) {
    raise(slowest, after);
  } else {
    link.grow(before, after);
    raise(slowest, link.phases());
    slowest.copying += after.copying;
  }
  slowest.copying -= before.copying;
}

void SlowestPhases::replace(const Phases& before, const Phases& after) {
  Link none;
  const std::size_t place = place_of(after.link);
  if (after.link != 0 && place == links_.size()) links_.push_back({after.link});
  replace(slowest_, after.link != 0 ? links_[place] : none, before, after);
}

double SlowestPhases::seconds_with(const Phases& before, const Phases& after) const {
  Phases with = slowest_;
  const std::size_t place = place_of(after.link);
  Link link = place < links_.size() ? links_[place] : Link{after.link};
  replace(with, link, before, after);
  return with.sum();
}

}  // namespace skmd::domain

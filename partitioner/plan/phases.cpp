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
  phases.running = arriving_ == Arriving::there || to.linked == phases.before ? 0.0 : to.linked - phases.before;
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

void SlowestPhases::add(const Phases& slice) {
  slowest_.before = std::max(slowest_.before, slice.before);
  slowest_.running = std::max(slowest_.running, slice.running);
  slowest_.after = std::max(slowest_.after, slice.after);
  slowest_.copying += slice.copying;
}

void SlowestPhases::replace(const Phases& before, const Phases& after) {
  add(after);
  slowest_.copying -= before.copying;
}

}  // namespace skmd::domain

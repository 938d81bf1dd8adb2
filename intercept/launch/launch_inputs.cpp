// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/launch_inputs.h"

#include <string>

#include "intercept/launch/dealing.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/merge_choice.h"
#include "intercept/launch/moving_bytes.h"
#include "intercept/object/kernel.h"
#include "partitioner/plan/plan_text.h"

namespace skmd::icd {

using Clock = std::chrono::steady_clock;

Question& LaunchInputs::question() {
  if (!question_) question_.emplace(machine_, launch_, view_);
  return *question_;
}

LaunchFacts LaunchInputs::facts() const {
  const LaunchShape& shape = view_.shape();
  return {machine_.settings.policy,    shape.eligible(),        shape.confined(),
          launch_.range.group_total(), acting_anchor(machine_), launch_.kernel->traits().facts,
          launch_.kernel->opaque()};
}

void LaunchInputs::admit(const std::vector<std::uint32_t>& devices) { question().admit(devices); }

std::uint32_t LaunchInputs::home() { return launch_.kernel->home(); }

bool LaunchInputs::is_gpu(std::uint32_t device) {
  return machine_.devices[device]->description().kind == DeviceKind::gpu;
}

double LaunchInputs::groups_per_second(std::uint32_t device) {
  const auto point = [this]() -> const domain::Point& { return view_.shape().point(launch_); };
  return machine_.model->predict(launch_.kernel->id(), device, launch_.range, point).groups_per_second;
}

std::uint64_t LaunchInputs::missing_bytes(std::uint32_t device) {
  const domain::Moving moving = bytes_to(machine_, view_, device, view_.whole());
  return moving.linked + moving.copied;
}

FarLink LaunchInputs::far_link(std::uint32_t device) { return icd::far_link(device); }

std::uint32_t LaunchInputs::read_rhythm() { return icd::read_rhythm(view_); }

std::optional<std::uint32_t> LaunchInputs::behind() { return icd::followed_device(view_); }

bool LaunchInputs::affords_first(double seconds, double launch) {
  return view_.shape().budget().affords_first(seconds, launch);
}

SharedFootprint LaunchInputs::footprint(const domain::GroupSpan& span) { return view_.shape().footprint(span); }

domain::MergeDecision LaunchInputs::how_to_merge(const std::vector<SliceWork>& slices) {
  return icd::how_to_merge(machine_, launch_, view_, slices);
}

std::shared_ptr<const Dealing> LaunchInputs::deal(const Decision& decision) {
  return icd::deal(machine_, launch_, view_, decision);
}

void LaunchInputs::waits_for_groups(std::uint32_t device) {
  machine_.observer->log(LogLevel::info, launch_.kernel->traits().name +
                                             " waits for memory that other groups write: whole on " +
                                             machine_.devices[device]->description().name);
}

void LaunchInputs::begins_to_plan() { began_ = Clock::now(); }

void LaunchInputs::planned(const domain::PartitionRequest& request, const domain::Plan& plan) {
  Observer& observer = *machine_.observer;
  observer.partition(static_cast<std::uint64_t>((Clock::now() - began_).count()));
  if (observer.logs(LogLevel::debug) && request.policy.mode == domain::PartitionMode::automatic)
    observer.log(LogLevel::debug, launch_.kernel->traits().name + ": " + domain::text_of(request, plan));
  if (question().has_searched()) view_.shape().budget().spend(request.planning_seconds);
}

}  // namespace skmd::icd

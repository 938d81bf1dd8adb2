// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/launch_shape.h"

#include <utility>

#include "intercept/launch/profile_record.h"
#include "intercept/launch/svm_facts.h"
#include "intercept/object/kernel.h"

namespace skmd::icd {

LaunchShape::LaunchShape(Machine& machine, const Launch& launch, std::shared_ptr<Geometry> geometry, std::uint64_t id,
                         std::shared_ptr<Paces> paces, std::uint64_t stopped)
    : id_(id),
      geometry_(std::move(geometry)),
      eligible_(eligibility(machine, launch, stopped)),
      confined_(icd::confined(machine, launch, eligible_)),
      costs_(icd::planning_costs(*whole(), eligible_.count())),
      paces_(std::move(paces)) {
  // Merge functions look for nothing before an argument.
  if (!confined_ && reaches_back(*launch.kernel, launch.range, geometry_->arguments))
    confined_ = domain::NotSplit::unmergeable;
}

void LaunchShape::inherit(const LaunchShape& before) {
  decisions_.inherit(before.decisions_);
  budget_.inherit(before.budget_);
  sampling_.inherit(before.sampling_);
  rounds_.inherit(before.rounds_);
  first_uses_.inherit(before.first_uses_);
}

domain::GroupWork LaunchShape::work(const Launch& launch) {
  std::vector<std::byte> values;
  for (const LaunchArgument& argument : launch.arguments)
    if (const auto* value = std::get_if<std::vector<std::byte>>(&argument))
      values.insert(values.end(), value->begin(), value->end());
  {
    const MutexGuard lock(mutex_);
    if (work_ && work_values_ == values) return *work_;
  }
  const domain::GroupWork work = work_of_launch(launch);
  const MutexGuard lock(mutex_);
  work_ = work;
  work_values_ = std::move(values);
  return work;
}

const domain::Point& LaunchShape::point(const Launch& launch) {
  return point_.get([&] { return point_of_launch(launch, work_of_launch(launch)); });
}

TrapUse LaunchShape::trap_use(const Machine& machine, const Launch& launch, std::uint32_t device) {
  {
    const MutexGuard lock(mutex_);
    trap_uses_.resize(machine.devices.size());
    if (trap_uses_[device]) return *trap_uses_[device];
  }
  TrapUse use = icd::trap_use(machine, launch, device);
  if (!launch.kernel->built_on(device)) return use;
  const MutexGuard lock(mutex_);
  trap_uses_[device] = use;
  return use;
}

double LaunchShape::joining_seconds(const std::function<double()>& estimate) {
  {
    const MutexGuard lock(mutex_);
    if (joining_seconds_) return *joining_seconds_;
  }
  const double seconds = estimate();
  const MutexGuard lock(mutex_);
  joining_seconds_ = seconds;
  return seconds;
}

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/frozen_launch.h"

#include <algorithm>
#include <utility>

#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/decision_waits.h"
#include "intercept/launch/eligibility.h"
#include "intercept/launch/native_launch.h"
#include "intercept/machine/machine.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

namespace {

/// An image over a buffer is made anew for each launch, and one in host memory is brought up to date around it.
bool has_images(const Launch& launch) {
  return std::any_of(launch.arguments.begin(), launch.arguments.end(),
                     [](const LaunchArgument& argument) { return std::holds_alternative<ImageView>(argument); });
}

}  // namespace

FrozenLaunch::FrozenLaunch(Machine& machine, Launch launch)
    : Launch(std::move(launch)),
      machine_(machine),
      losses_(machine.losses.load(std::memory_order_acquire)),
      stopped_(machine.stopped.load(std::memory_order_relaxed)),
      builds_ended_(kernel->builds().ended()),
      view_(machine, *this),
      claims_(view_.claims()),
      fixed_runs_(!has_images(*this)) {}

Result<FrozenLaunch::FixedRuns> FrozenLaunch::fixed_runs(std::uint32_t device) const {
  const MutexGuard lock(mutex_);
  auto known = std::find_if(runs_.begin(), runs_.end(), [&](const Runs& runs) { return runs.device == device; });
  if (known == runs_.end()) known = runs_.insert(known, Runs{device, {}});
  if (FixedRuns ops = known->ops.lock()) return ops;
  const auto call = native_call(machine_, *this, device);
  if (!call) return call.error();
  auto made = std::make_shared<std::vector<Op>>();
  append_span(*this, *call, {0, range.group_total()}, *made);
  known->ops = made;
  return FixedRuns(std::move(made));
}

std::shared_ptr<const FrozenLaunch> freeze_when_built(Machine& machine, Launch launch) {
  wait_for_home(*launch.kernel);
  auto frozen = std::make_shared<const FrozenLaunch>(machine, std::move(launch));
  while (const auto device = awaited(machine, *frozen, frozen->view().shape().eligible())) {
    frozen->kernel->builds().wait(*device);
    frozen = std::make_shared<const FrozenLaunch>(machine, Launch(*frozen));
  }
  if (frozen->view().shape().eligible().count() != 0 && wait_for_shares(machine, *frozen, frozen->view()))
    frozen = std::make_shared<const FrozenLaunch>(machine, Launch(*frozen));
  return frozen;
}

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/decision_waits.h"

#include <algorithm>
#include <chrono>

#include "intercept/launch/decide.h"
#include "intercept/launch/decision_constants.h"
#include "intercept/launch/launch_inputs.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/merge_choice.h"
#include "intercept/machine/knowledge.h"
#include "intercept/object/build_queue.h"
#include "intercept/object/kernel.h"

namespace skmd::icd {
namespace {

using namespace tuning;

using domain::PartitionMode;

/// Seconds from the launch's decision to its results that are saved if the program becomes built for the devices on
/// which it is being built, as far as is known: 0 if nothing is.
double gain_of_pending(Machine& machine, const Launch& launch, const LaunchView& view) {
  LaunchShape& shape = view.shape();
  const auto confined = shape.confined();
  if (confined && confined != domain::NotSplit::one_device_eligible) return 0.0;
  if (domain::forbids_split(launch.kernel->traits(), machine.settings.split_mixed)) return 0.0;
  LaunchInputs inputs(machine, launch, view);
  const domain::Plan now = planned(inputs.request(), {}, inputs, inputs);
  inputs.admit(shape.eligible().pending);
  const domain::Plan then = planned(inputs.request(), {}, inputs, inputs);
  if (!(now.predicted_seconds > then.predicted_seconds) || !(then.predicted_seconds > 0)) return 0.0;
  std::vector<SliceWork> slices;
  for (const domain::Slice& slice : then.slices)
    slices.push_back({slice.device, slice.span, shape.footprint(slice.span)});
  const bool refused = slices.size() > 1 && how_to_merge(machine, launch, view, slices).refused.has_value();
  return refused ? 0.0 : now.predicted_seconds - then.predicted_seconds;
}

}  // namespace

bool wait_for_shares(Machine& machine, const Launch& launch, const LaunchView& view) {
  const Eligibility& eligible = view.shape().eligible();
  if (machine.knowledge == nullptr || eligible.pending.empty() || launch.part != nullptr ||
      machine.settings.policy.mode != PartitionMode::automatic)
    return false;
  machine.knowledge->wait_for(launch.kernel->id());
  if (!machine.knowledge->knows_shares_of(launch.kernel->id())) return false;
  const double gain = gain_of_pending(machine, launch, view);
  if (!(gain > 0)) return false;
  NativeBuilds& builds = launch.kernel->builds();
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(kBuildPatience * std::min(gain, 1e3));
  for (const std::uint32_t device : eligible.pending)
    if (gain >= kBuildSeconds)
      builds.wait(device);
    else
      builds.wait_until(device, std::chrono::time_point_cast<std::chrono::steady_clock::duration>(until));
  // One may have ended before it could be waited for.
  return std::any_of(eligible.pending.begin(), eligible.pending.end(),
                     [&](std::uint32_t device) { return !builds.pending(device); });
}

void begin_builds_that_pay(Machine& machine, const Launch& launch, const LaunchView& view) {
  const Eligibility& eligible = view.shape().eligible();
  if (eligible.pending.empty() || machine.builds == nullptr || launch.part != nullptr) return;
  const NativeBuilds& builds = launch.kernel->builds();
  const bool open = std::any_of(eligible.pending.begin(), eligible.pending.end(),
                                [&](std::uint32_t device) { return builds.open(device); });
  // At the first launch nothing is known of the bytes that move in each round.
  if (!open || !view.shape().decisions().asks_for_devices()) return;
  const bool known = machine.knowledge != nullptr && machine.knowledge->knows_shares_of(launch.kernel->id());
  if (gain_of_pending(machine, launch, view) < (known ? kKnownGain : kSlowStartGain)) return;
  machine.builds->follow_on(launch.kernel->shared_builds(), eligible.pending);
}

bool should_wait_to_decide(const Machine& machine, const LaunchView& view) {
  LaunchShape& shape = view.shape();
  if (machine.settings.policy.mode != PartitionMode::automatic || shape.confined() || shape.eligible().count() == 1)
    return false;
  DecisionBasis basis;
  const auto last = shape.decisions().last(&basis);
  if (!last || basis.known) return false;
  return last->predicted_seconds > 0 ? last->predicted_seconds >= kWorthWaiting : shape.sampling().may_wait();
}

}  // namespace skmd::icd

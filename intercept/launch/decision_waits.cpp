// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/decision_waits.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "intercept/launch/decide.h"
#include "intercept/launch/decision_constants.h"
#include "intercept/launch/launch_inputs.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/merge_choice.h"
#include "intercept/machine/knowledge.h"
#include "intercept/memory/link_rates.h"
#include "intercept/object/build_queue.h"
#include "intercept/object/kernel.h"
#include "partitioner/plan/prediction.h"

namespace skmd::icd {
namespace {

using namespace tuning;

using domain::NotSplit;
using domain::PartitionMode;

struct Gain {
  double seconds = 0.0;                // from the launch's decision to its results; 0: none is known
  std::vector<std::uint32_t> devices;  // by which it is made
};

/// What is gained if the program becomes built for `candidates`, devices on which it is not built yet.
Gain gain_by(const std::vector<std::uint32_t>& candidates, Machine& machine, const Launch& launch,
             const LaunchView& view) {
  LaunchShape& shape = view.shape();
  const auto confined = shape.confined();
  if (confined && confined != NotSplit::one_device_eligible) return {};
  if (domain::forbids_split(launch.kernel->traits(), machine.settings.split_mixed)) return {};
  LaunchInputs inputs(machine, launch, view);
  const domain::Plan now = planned(inputs.request(), {}, inputs, inputs);
  inputs.admit(candidates);
  // A search takes far less.
  if (now.predicted_seconds >= kSlowStartGain) inputs.request().may_search = true;
  const domain::Plan then = planned(inputs.request(), {}, inputs, inputs);
  if (!(now.predicted_seconds > then.predicted_seconds) || !(then.predicted_seconds > 0)) return {};
  std::vector<SliceWork> slices;
  for (const domain::Slice& slice : then.slices)
    slices.push_back({slice.device, slice.span, shape.footprint(slice.span)});
  const bool refused = slices.size() > 1 && how_to_merge(machine, launch, view, slices).refused.has_value();
  if (refused) return {};
  Gain gain{now.predicted_seconds - then.predicted_seconds, {}};
  for (const std::uint32_t device : candidates)
    if (std::any_of(slices.begin(), slices.end(), [&](const SliceWork& slice) { return slice.device == device; }))
      gain.devices.push_back(device);
  return gain;
}

/// Whether a device may join those that have the program, since it is being built for it or about to be.
bool awaits_builds(const Launch& launch, const LaunchShape& shape) {
  const std::vector<std::uint32_t>& pending = shape.eligible().pending;
  if (pending.empty() || shape.confined().value_or(NotSplit::one_device_eligible) != NotSplit::one_device_eligible)
    return false;
  const NativeBuilds& builds = launch.kernel->builds();
  const bool some_queued = builds.wants_more();
  return std::any_of(pending.begin(), pending.end(), [&](std::uint32_t device) {
    return builds.pending(device) && (some_queued || !builds.open(device));
  });
}

/// The launch whole on the fastest device that has the program; 0: not known.
double seconds_now(const Machine& machine, const Launch& launch, LaunchShape& shape) {
  const std::vector<bool>& eligible = shape.eligible().eligible;
  const auto point = [&]() -> const domain::Point& { return shape.point(launch); };
  double least = 0.0;
  for (std::uint32_t device = 0; device < eligible.size(); ++device) {
    if (!eligible[device]) continue;
    const domain::DeviceModel model = machine.model->predict(launch.kernel->id(), device, launch.range, point);
    if (!domain::is_measured(model)) continue;
    const double seconds = domain::whole_seconds(model, launch.range.group_total());
    if (least == 0 || seconds < least) least = seconds;
  }
  return least;
}

}  // namespace

bool wait_for_shares(Machine& machine, const Launch& launch, const LaunchView& view) {
  const Eligibility& eligible = view.shape().eligible();
  if (machine.knowledge == nullptr || eligible.pending.empty() || launch.part != nullptr ||
      machine.settings.policy.mode != PartitionMode::automatic)
    return false;
  machine.knowledge->wait_for(launch.kernel->id());
  if (!machine.knowledge->knows_shares_of(launch.kernel->id())) return false;
  const double gain = gain_by(eligible.pending, machine, launch, view).seconds;
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
  std::vector<std::uint32_t> open;
  for (const std::uint32_t device : eligible.pending)
    if (builds.open(device) && !LinkRates::get().is_far(device)) open.push_back(device);
  if (open.empty()) return;
  const bool known = machine.knowledge != nullptr && machine.knowledge->knows_shares_of(launch.kernel->id());
  const double least = known ? kKnownGain : kSlowStartGain;
  const auto last = view.shape().decisions().last(nullptr);
  const bool too_short = last && last->predicted_seconds > 0 && last->predicted_seconds < least;
  // At the first launch nothing is known of the bytes that move in each round.
  if (too_short || !view.shape().decisions().asks_for_devices()) return;
  const Gain gain = gain_by(open, machine, launch, view);
  if (gain.seconds >= least) machine.builds->follow_on(launch.kernel->shared_builds(), gain.devices);
}

bool should_wait_to_decide(const Machine& machine, const Launch& launch, const LaunchView& view) {
  LaunchShape& shape = view.shape();
  if (machine.settings.policy.mode != PartitionMode::automatic) return false;
  if (awaits_builds(launch, shape)) {
    const double seconds = seconds_now(machine, launch, shape);
    return seconds > 0 ? seconds >= kWorthWaiting : shape.sampling().may_wait();
  }
  if (shape.confined() || shape.eligible().count() == 1) return false;
  DecisionBasis basis;
  const auto last = shape.decisions().last(&basis);
  if (!last || basis.known) return false;
  return last->predicted_seconds > 0 ? last->predicted_seconds >= kWorthWaiting : shape.sampling().may_wait();
}

}  // namespace skmd::icd

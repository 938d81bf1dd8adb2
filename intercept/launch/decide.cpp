// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/decide.h"

#include <algorithm>
#include <utility>

#include "partitioner/plan/prediction.h"
#include "partitioner/traits/traits.h"

namespace skmd::icd {
namespace {

using domain::GroupSpan;
using domain::NotSplit;
using domain::PartitionMode;

bool is_automatic(const LaunchFacts& launch) { return launch.policy.mode == PartitionMode::automatic; }

/// Groups that wait for each other must be resident together: on a GPU if there is one, else on the anchor.
std::uint32_t for_spinning(const LaunchFacts& launch, DecisionInputs& inputs, DecisionLog& log) {
  std::uint32_t choice = launch.eligible.preferred(launch.anchor);
  for (std::uint32_t i = 0; i < launch.eligible.eligible.size(); ++i)
    if (launch.eligible.eligible[i] && inputs.is_gpu(i)) {
      choice = i;
      break;
    }
  log.waits_for_groups(choice);
  return choice;
}

std::uint32_t single_device(const LaunchFacts& launch) {
  const int index = launch.policy.single_index;
  const std::vector<bool>& eligible = launch.eligible.eligible;
  if (index >= 0 && static_cast<std::size_t>(index) < eligible.size() && eligible[static_cast<std::size_t>(index)])
    return static_cast<std::uint32_t>(index);
  return launch.eligible.preferred(launch.anchor);
}

/// Seconds in which the device runs the slice; 0: the device is not measured.
double running_seconds(const domain::PartitionRequest& request, const domain::Slice& slice) {
  if (!domain::is_measured(request.devices[slice.device])) return 0.0;
  return domain::running_seconds(request, slice.device, slice.span.size());
}

/// Where a launch that stays whole is expected to end first; the anchor in modes that do not measure.
std::uint32_t fastest(const LaunchFacts& launch, DecisionInputs& inputs) {
  return is_automatic(launch) ? domain::whole_device(inputs.request()) : launch.eligible.preferred(launch.anchor);
}

/// Program-scope variables live on one device from launch to launch, also where another reason keeps a launch whole; an
/// opaque program may have some.
bool lives_at_home(const LaunchFacts& launch) {
  return launch.opaque || (launch.kernel_facts & domain::kFactMutableProgramScope) != 0;
}

/// Its groups wait for each other, it keeps addresses in memory that mean nothing elsewhere, or it was written for one
/// device.
bool is_bound_to_its_device(const LaunchFacts& launch) {
  constexpr auto kBound = domain::kFactSpinning | domain::kFactPointerInMemory | domain::kFactDeviceSpecificCode;
  return (launch.kernel_facts & kBound) != 0;
}

std::shared_ptr<const Decision> confined_to(NotSplit reason, const LaunchFacts& launch, DecisionInputs& inputs,
                                            DecisionLog& log) {
  const bool at_home = lives_at_home(launch);
  const std::uint32_t device = reason == NotSplit::mode_single ? single_device(launch)
                               : at_home                       ? launch.eligible.preferred(inputs.home())
                               : reason == NotSplit::spinning  ? for_spinning(launch, inputs, log)
                                                               : fastest(launch, inputs);
  const GroupSpan all{0, launch.groups};
  auto decision = one_slice(device, all, inputs.footprint(all), reason);
  decision->movable =
      is_automatic(launch) && !at_home && !is_bound_to_its_device(launch) && launch.eligible.count() > 1;
  if (!decision->movable) return decision;
  decision->alone_bounds = domain::alone_bounds(inputs.request());
  decision->slices.front().predicted_seconds = running_seconds(inputs.request(), {device, all});
  return decision;
}

/// What the partitioner is to know of it.
domain::Plan plan_of(const FormerDecision& former) {
  domain::Plan plan;
  const Decision& decision = *former.decision;
  for (const SliceWork& slice : decision.slices) plan.slices.push_back({slice.device, slice.span});
  if (decision.whole) plan.reason = *decision.whole;
  plan.predicted_seconds = decision.predicted_seconds;
  plan.alone_seconds = decision.alone_seconds;
  plan.missed = decision.missed;
  plan.missed.launches += former.launches;
  plan.exploring = decision.exploring;
  return plan;
}

/// What holds of the plan, without its slices.
std::shared_ptr<Decision> predicted(const domain::Plan& plan, const LaunchFacts& launch,
                                    const domain::PartitionRequest& request) {
  auto decision = std::make_shared<Decision>();
  decision->predicted_seconds = plan.predicted_seconds;
  decision->alone_seconds = plan.alone_seconds;
  decision->alone_round_seconds = plan.alone_round_seconds;
  decision->missed = plan.missed;
  decision->exploring = plan.exploring;
  decision->unsettled = plan.unsettled;
  decision->moves_in = plan.moves_in;
  decision->source = plan.source;
  decision->movable = is_automatic(launch);
  if (!decision->movable) return decision;
  decision->candidates = candidates_of(request);
  decision->alone_bounds = domain::alone_bounds(request);
  return decision;
}

/// `split`, whose results cannot be merged, as a launch on one device.
std::shared_ptr<const Decision> refused(Decision split, const LaunchFacts& launch, DecisionInputs& inputs) {
  auto whole = std::make_shared<Decision>();
  whole->movable = split.movable;
  whole->alone_bounds = std::move(split.alone_bounds);
  whole->whole = split.merge.refused;
  const auto alone = domain::best_alone(inputs.request());
  whole->predicted_seconds = whole->alone_seconds = alone ? alone->local_seconds : split.alone_seconds;
  whole->source = split.source;
  const GroupSpan all{0, launch.groups};
  whole->slices.push_back({fastest(launch, inputs), all, inputs.footprint(all)});
  SliceWork& slice = whole->slices.front();
  slice.predicted_seconds = running_seconds(inputs.request(), {slice.device, all});
  return whole;
}

}  // namespace

std::shared_ptr<const Decision> decide(const LaunchFacts& launch, const FormerDecision& former, DecisionInputs& inputs,
                                       DecisionLog& log) {
  if (launch.confined) return confined_to(*launch.confined, launch, inputs, log);
  domain::PartitionRequest& request = inputs.request();
  const domain::Plan plan = planned(request, former, inputs, log);
  auto decision = predicted(plan, launch, request);
  for (const domain::Slice& slice : plan.slices) {
    decision->slices.push_back({slice.device, slice.span, inputs.footprint(slice.span)});
    decision->slices.back().predicted_seconds = running_seconds(request, slice);
  }
  if (plan.slices.size() == 1) {
    decision->whole = plan.reason;
    return decision;
  }
  decision->merge = inputs.how_to_merge(decision->slices);
  if (decision->merge.refused) return refused(std::move(*decision), launch, inputs);
  decision->dealing = inputs.deal(*decision);
  return decision;
}

domain::Plan planned(domain::PartitionRequest& request, const FormerDecision& former, DecisionInputs& inputs,
                     DecisionLog& log) {
  if (former.decision == nullptr && !request.may_search && request.policy.mode == PartitionMode::automatic) {
    const auto alone = domain::best_alone(request);
    if (alone && request.devices[alone->device].source > domain::ModelSource::process)
      request.may_search = inputs.affords_first(request.planning_seconds, alone->seconds);
  }
  const domain::Plan before = former.decision != nullptr ? plan_of(former) : domain::Plan{};
  request.previous = former.decision != nullptr ? &before : nullptr;
  log.begins_to_plan();
  domain::Plan plan = domain::partition(request);
  request.previous = nullptr;
  log.planned(request, plan);
  return plan;
}

std::shared_ptr<Decision> one_slice(std::uint32_t device, const GroupSpan& span, SharedFootprint footprint,
                                    NotSplit reason) {
  auto decision = std::make_shared<Decision>();
  decision->slices.push_back({device, span, std::move(footprint)});
  decision->whole = reason;
  return decision;
}

std::vector<domain::RoundTimes::Candidate> candidates_of(const domain::PartitionRequest& request) {
  std::vector<domain::RoundTimes::Candidate> candidates;
  const std::vector<domain::DeviceModel> models = domain::as_formerly_known(request);
  domain::PartitionRequest asked = request;
  asked.devices = models;
  for (std::uint32_t device = 0; device < models.size(); ++device) {
    const domain::DeviceModel& model = models[device];
    if (!model.eligible || !domain::is_measured(model) || domain::has_twin_before(request.devices, device)) continue;
    candidates.push_back(
        {domain::RoundTimes::Devices{1} << device, domain::finish_seconds(asked, device, {0, request.groups})});
  }
  return candidates;
}

}  // namespace skmd::icd

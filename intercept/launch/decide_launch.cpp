// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/decide_launch.h"

#include <bit>
#include <string>
#include <utility>

#include "intercept/launch/decide.h"
#include "intercept/launch/decision_basis.h"
#include "intercept/launch/decision_waits.h"
#include "intercept/launch/launch_inputs.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/moving_bytes.h"
#include "intercept/launch/postponed_split.h"
#include "intercept/machine/knowledge.h"
#include "intercept/object/kernel.h"

namespace skmd::icd {
namespace {

using domain::GroupSpan;
using domain::NotSplit;
using domain::PartitionMode;

/// Whether the decision is to be looked at again for the next launch: not if that costs a notable part of it.
bool worth_a_look(LaunchShape& shape, const Decision& last, const DecisionBasis& basis, bool barred,
                  std::optional<std::uint32_t> behind) {
  const auto price = price_of_looking(last, basis, barred, behind, shape.planning_costs().checking);
  if (!price) {
    shape.budget().launched(last.predicted_seconds);
    return true;
  }
  shape.decisions().count_launch();
  return shape.budget().may_look(last.predicted_seconds, *price);
}

/// What was followed last on these devices or, on a single one, the whole launch, with what `decision` knows of
/// devices; null: there is no such plan.
std::shared_ptr<const Decision> on_devices(const Launch& launch, const LaunchView& view,
                                           domain::RoundTimes::Devices devices, const Decision& decision) {
  if (auto followed = view.shape().decisions().followed(devices)) return followed;
  if (!std::has_single_bit(devices)) return nullptr;
  const auto device = static_cast<std::uint32_t>(std::countr_zero(devices));
  const std::vector<bool>& eligible = view.shape().eligible().eligible;
  if (device >= eligible.size() || !eligible[device]) return nullptr;
  const GroupSpan all{0, launch.range.group_total()};
  auto whole = one_slice(device, all, view.shape().footprint(all), NotSplit::not_profitable);
  whole->candidates = decision.candidates;
  whole->movable = decision.movable;
  for (const auto& candidate : decision.candidates)
    if (candidate.plan == devices) whole->predicted_seconds = candidate.seconds;
  return whole;
}

/// `leads`: as of ChangeOfPlan.
domain::RoundTimes::ChangeOfPlan change_of_plan(const Machine& machine, const LaunchView& view, bool leads) {
  domain::RoundTimes::ChangeOfPlan change{0, first_touch_seconds(view)};
  change.leads = leads;
  change.possible = view.shape().eligible().devices();
  for (std::uint32_t device = 0; device < machine.devices.size(); ++device)
    if (space_of(machine, device) == domain::kHostSpace) change.devices |= domain::RoundTimes::Devices{1} << device;
  change.moves = (change.possible & ~change.devices) != 0 && !has_recurring(view);
  return change;
}

/// `decision` as the model wants it, or another one under which the application's rounds are, or may be, clearly
/// shorter.
std::shared_ptr<const Decision> judged(Machine& machine, const Launch& launch, const LaunchView& view,
                                       std::shared_ptr<const Decision> decision) {
  using Role = domain::SharedRounds::Role;
  auto part = machine.rounds.launched(view.shape().id(), has_recurring(view), decision->alone_bounds);
  if (!part.candidates.empty())
    part.candidates.insert(part.candidates.end(), decision->candidates.begin(), decision->candidates.end());
  const auto& candidates = part.candidates.empty() ? decision->candidates : part.candidates;
  const bool leads = part.role == Role::leader;
  const auto instead = part.bound ? part.bound
                                  : view.shape().rounds().instead_of(*decision, candidates,
                                                                     change_of_plan(machine, view, leads), !leads);
  auto other = instead && decision->movable ? on_devices(launch, view, *instead, *decision) : nullptr;
  if (leads) machine.rounds.led(devices_of(other ? *other : *decision), other != nullptr);
  if (!other) return decision;
  if (machine.observer->logs(LogLevel::debug))
    machine.observer->log(LogLevel::debug, launch.kernel->traits().name +
                                               ": rounds are, or may be, shorter on devices " +
                                               std::to_string(*instead) + " (a bit each)");
  return other;
}

/// Takes over what rounds of former processes took, once, as soon as that is read.
void remember_rounds(const Machine& machine, const Launch& launch, LaunchRounds& rounds) {
  if (machine.knowledge == nullptr || rounds.remembers()) return;
  if (const auto former = machine.knowledge->rounds_of(launch.kernel->id(), launch.range)) rounds.remember(*former);
}

/// For `equal`, `fixed`, `single`, and where one device is eligible: neither rates nor residency are looked at, so that
/// one decision serves every launch of the shape.
std::shared_ptr<const Decision> decide_once(Machine& machine, const Launch& launch, const LaunchView& view) {
  DecisionMemory& memory = view.shape().decisions();
  if (auto known = memory.standing()) return known;
  LaunchInputs inputs(machine, launch, view);
  return memory.keep_standing(decide(inputs.facts(), {}, inputs, inputs));
}

}  // namespace

std::shared_ptr<const Decision> decide_launch(Machine& machine, const Launch& launch, const LaunchView& view) {
  LaunchShape& shape = view.shape();
  const auto mode = machine.settings.policy.mode;
  if (mode == PartitionMode::automatic) begin_builds_that_pay(machine, launch, view);
  if (mode == PartitionMode::equal || mode == PartitionMode::fixed || mode == PartitionMode::single ||
      shape.eligible().count() == 1)
    return decide_once(machine, launch, view);
  DecisionBasis then;
  auto last = shape.decisions().last(&then);
  if (!last && machine.knowledge != nullptr) machine.knowledge->wait_for(launch.kernel->id());
  const domain::Experience experience = machine.model->experience(launch.kernel->id(), launch.range);
  const bool barred = experience.split_barred;
  shape.rounds().devices_changed(experience.changes, last.get());
  const bool judges = mode == PartitionMode::automatic;
  if (judges) remember_rounds(machine, launch, shape.rounds());
  if (auto split = judges ? begun_split(machine, view, barred) : nullptr)
    return judged(machine, launch, view, std::move(split));
  const auto chosen = [&](std::shared_ptr<const Decision> decision) {
    auto plan = postponed(machine, launch, view, judged(machine, launch, view, std::move(decision)));
    if (plan->next != nullptr) machine.rounds.release();  // this round stays where it is
    return plan;
  };
  if (last && judges && !worth_a_look(shape, *last, then, barred, followed_device(view)))
    return chosen(std::move(last));
  LaunchInputs inputs(machine, launch, view);
  DecisionBasis now = basis_of(shape.eligible(), barred, inputs);
  now.behind_before |= then.behind_before;
  if (last && stands(then, now)) return judges ? chosen(std::move(last)) : last;
  auto decision = decide(inputs.facts(), {last, shape.decisions().launches()}, inputs, inputs);
  now.known = !decision->unsettled && !decision->exploring;
  shape.decisions().remember(decision, now);
  return judges ? chosen(std::move(decision)) : decision;
}

std::shared_ptr<const Decision> part_on(const LaunchView& view, std::uint32_t device, const domain::GroupSpan& span,
                                        NotSplit reason) {
  return one_slice(device, span, view.shape().footprint(span), reason);
}

std::shared_ptr<const Decision> whole_on(const Launch& launch, const LaunchView& view, std::uint32_t device,
                                         NotSplit reason) {
  return part_on(view, device, {0, launch.range.group_total()}, reason);
}

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/decide.h"
#include "intercept/launch/decision.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <utility>

#include "intercept/launch/dealing.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/merge_choice.h"
#include "intercept/launch/moving_bytes.h"
#include "intercept/launch/question.h"
#include "intercept/machine/knowledge.h"
#include "intercept/machine/machine.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "partitioner/plan/prediction.h"

namespace skmd::icd {

namespace {

using domain::GroupSpan;
using domain::NotSplit;
using domain::PartitionMode;

/// Groups that wait for each other must be resident together: on a GPU if there is one, else on the anchor.
std::uint32_t for_spinning(const Machine& machine, const Launch& launch, const Eligibility& eligible) {
  std::uint32_t choice = eligible.preferred(acting_anchor(machine));
  for (std::uint32_t i = 0; i < machine.devices.size(); ++i)
    if (eligible.eligible[i] && machine.devices[i]->description().kind == DeviceKind::gpu) {
      choice = i;
      break;
    }
  machine.observer->log(LogLevel::info, launch.kernel->traits().name +
                                            " waits for memory that other groups write: whole on " +
                                            machine.devices[choice]->description().name);
  return choice;
}

std::uint32_t single_device(const Machine& machine, const Eligibility& eligible) {
  const int index = machine.settings.policy.single_index;
  if (index >= 0 && static_cast<std::size_t>(index) < eligible.eligible.size() &&
      eligible.eligible[static_cast<std::size_t>(index)])
    return static_cast<std::uint32_t>(index);
  return eligible.preferred(acting_anchor(machine));
}

/// Where a launch that stays whole is expected to end first; the anchor in modes that do not measure.
std::uint32_t fastest(Machine& machine, const Launch& launch, const LaunchView& view) {
  if (machine.settings.policy.mode != PartitionMode::automatic)
    return view.shape().eligible().preferred(acting_anchor(machine));
  const Question question(machine, launch, view);
  return domain::whole_device(question.request());
}

/// Program-scope variables live on one device from launch to launch, also where another reason keeps a launch whole; an
/// opaque program may have some.
bool lives_at_home(const BuiltKernel& kernel) {
  return kernel.opaque() || (kernel.traits().facts & domain::kFactMutableProgramScope) != 0;
}

/// Its groups wait for each other, it keeps addresses in memory that mean nothing elsewhere, or it was written for one
/// device.
bool is_bound_to_its_device(const BuiltKernel& kernel) {
  constexpr auto kBound = domain::kFactSpinning | domain::kFactPointerInMemory | domain::kFactDeviceSpecificCode;
  return (kernel.traits().facts & kBound) != 0;
}

std::shared_ptr<const Decision> decide_anew(Machine& machine, const Launch& launch, const LaunchView& view,
                                            const Decision* previous) {
  if (const auto reason = view.shape().confined()) {
    const Eligibility& eligible = view.shape().eligible();
    const bool at_home = lives_at_home(*launch.kernel);
    const std::uint32_t device = *reason == NotSplit::mode_single ? single_device(machine, eligible)
                                 : at_home                        ? eligible.preferred(launch.kernel->home())
                                 : *reason == NotSplit::spinning  ? for_spinning(machine, launch, eligible)
                                                                  : fastest(machine, launch, view);
    auto decision = std::make_shared<Decision>(*whole_on(launch, view, device, *reason));
    decision->movable = machine.settings.policy.mode == PartitionMode::automatic && !at_home &&
                        !is_bound_to_its_device(*launch.kernel) && eligible.count() > 1;
    if (decision->movable) decision->alone_bounds = domain::alone_bounds(Question(machine, launch, view).request());
    return decision;
  }
  Question question(machine, launch, view);
  const domain::Plan plan = question.plan(previous, view.shape().decisions().launches());
  auto decision = std::make_shared<Decision>();
  decision->predicted_seconds = plan.predicted_seconds;
  decision->alone_seconds = plan.alone_seconds;
  decision->alone_round_seconds = plan.alone_round_seconds;
  decision->missed = plan.missed;
  decision->exploring = plan.exploring;
  decision->unsettled = plan.unsettled;
  decision->source = plan.source;
  decision->movable = machine.settings.policy.mode == PartitionMode::automatic;
  if (decision->movable) {
    decision->candidates = question.candidates();
    decision->alone_bounds = domain::alone_bounds(question.request());
  }
  const auto take = [&](const domain::Slice& slice) {
    decision->slices.push_back({slice.device, slice.span, view.shape().footprint(slice.span)});
    decision->slices.back().predicted_seconds = question.running_seconds(slice);
  };
  std::for_each(plan.slices.begin(), plan.slices.end(), take);
  if (plan.slices.size() == 1) {
    decision->whole = plan.reason;
    return decision;
  }
  decision->merge = how_to_merge(machine, launch, view, decision->slices);
  if (!decision->merge.refused) {
    decision->dealing = deal(machine, launch, view, *decision);
    return decision;
  }
  auto refused = std::make_shared<Decision>();
  refused->movable = decision->movable;
  refused->alone_bounds = std::move(decision->alone_bounds);
  refused->whole = decision->merge.refused;
  const auto alone = domain::best_alone(question.request());
  refused->predicted_seconds = refused->alone_seconds = alone ? alone->local_seconds : plan.alone_seconds;
  refused->source = plan.source;
  refused->slices.push_back({fastest(machine, launch, view), {0, launch.range.group_total()}, view.shape().whole()});
  return refused;
}

/// Seconds from the launch's decision to its results that are saved if the program becomes built for the devices on
/// which it is being built, as far as is known: 0 if nothing is.
double gain_of_pending(Machine& machine, const Launch& launch, const LaunchView& view) {
  LaunchShape& shape = view.shape();
  const auto confined = shape.confined();
  if (confined && confined != NotSplit::one_device_eligible) return 0.0;
  if (domain::forbids_split(launch.kernel->traits(), machine.settings.split_mixed)) return 0.0;
  Question question(machine, launch, view);
  const domain::Plan now = question.plan(nullptr);
  question.admit(shape.eligible().pending);
  const domain::Plan then = question.plan(nullptr);
  if (!(now.predicted_seconds > then.predicted_seconds) || !(then.predicted_seconds > 0)) return 0.0;
  std::vector<SliceWork> slices;
  for (const domain::Slice& slice : then.slices)
    slices.push_back({slice.device, slice.span, shape.footprint(slice.span)});
  const bool refused = slices.size() > 1 && how_to_merge(machine, launch, view, slices).refused.has_value();
  return refused ? 0.0 : now.predicted_seconds - then.predicted_seconds;
}

/// Rates are measured again at every launch; smaller changes than this are noise.
constexpr double kRateNoise = 0.05;

DecisionBasis basis_of(const Machine& machine, const Launch& launch, const LaunchView& view, bool barred) {
  DecisionBasis basis;
  basis.barred = barred;
  basis.read_rhythm = read_rhythm(view);
  const auto point = [&]() -> const domain::Point& { return view.shape().point(launch); };
  for (std::uint32_t i = 0; i < machine.devices.size(); ++i) {
    if (!view.shape().eligible().eligible[i]) continue;
    basis.groups_per_second[i] = machine.model->predict(launch.kernel->id(), i, launch.range, point).groups_per_second;
    const domain::Moving moving = bytes_to(machine, view, i, view.whole());
    basis.missing_bytes[i] = moving.linked + moving.copied;
  }
  return basis;
}

bool stands(const DecisionBasis& then, const DecisionBasis& now) {
  if (!then.known || then.barred != now.barred || then.read_rhythm != now.read_rhythm ||
      then.missing_bytes != now.missing_bytes)
    return false;
  for (std::size_t i = 0; i < now.groups_per_second.size(); ++i)
    if (std::abs(now.groups_per_second[i] - then.groups_per_second[i]) > kRateNoise * then.groups_per_second[i])
      return false;
  return true;
}

/// Whether the decision is to be looked at again for the next launch: not if that costs a notable part of it.
bool worth_a_look(LaunchShape& shape, const Decision& previous, const DecisionBasis& then, bool barred) {
  if (!(previous.predicted_seconds > 0) || previous.exploring || then.barred != barred) return true;
  constexpr double kAsking = 3e-6;  // the partitioner, even if it looks at no footprint
  const double cost = shape.planning_costs().checking + (then.known ? 0.0 : kAsking);
  shape.decisions().count_launch();
  return shape.budget().may_look(previous.predicted_seconds, cost);
}

/// What was followed last on these devices or, on a single one, the whole launch; null: there is no such plan.
std::shared_ptr<const Decision> on_devices(const Launch& launch, const LaunchView& view,
                                           domain::RoundTimes::Devices devices) {
  if (auto followed = view.shape().decisions().followed(devices)) return followed;
  if (!std::has_single_bit(devices)) return nullptr;
  const auto device = static_cast<std::uint32_t>(std::countr_zero(devices));
  const std::vector<bool>& eligible = view.shape().eligible().eligible;
  if (device >= eligible.size() || !eligible[device]) return nullptr;
  return whole_on(launch, view, device, NotSplit::not_profitable);
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
  const auto instead = part.bound ? part.bound : view.shape().rounds().instead_of(*decision, candidates);
  if (!instead || !decision->movable) return decision;
  auto other = on_devices(launch, view, *instead);
  if (!other) return decision;
  if (part.role == Role::leader && std::has_single_bit(*instead)) machine.rounds.bind(instead);
  if (machine.observer->logs(LogLevel::debug))
    machine.observer->log(LogLevel::debug, launch.kernel->traits().name +
                                               ": rounds are, or may be, shorter on devices " +
                                               std::to_string(*instead) + " (a bit each)");
  return other;
}

}  // namespace

bool wait_for_shares(Machine& machine, const Launch& launch, const LaunchView& view) {
  // Half of what is gained: where the builds take longer, that is what was lost.
  constexpr double kPatience = 0.5;
  // Seconds: what a second GPU's context and a small program on it take to be made. A launch that gains more begins the
  // builds itself, and waits for their end.
  constexpr double kBuilding = 0.3;
  const Eligibility& eligible = view.shape().eligible();
  if (machine.knowledge == nullptr || eligible.pending.empty() || launch.part != nullptr ||
      machine.settings.policy.mode != PartitionMode::automatic)
    return false;
  machine.knowledge->wait_for(launch.kernel->id());
  if (!machine.knowledge->knows_shares_of(launch.kernel->id())) return false;
  const double gain = gain_of_pending(machine, launch, view);
  if (!(gain > 0)) return false;
  NativeBuilds& builds = launch.kernel->builds();
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(kPatience * std::min(gain, 1e3));
  for (const std::uint32_t device : eligible.pending)
    if (gain >= kBuilding)
      builds.wait(device);
    else
      builds.wait_until(device, std::chrono::time_point_cast<std::chrono::steady_clock::duration>(until));
  // One may have ended before it could be waited for.
  return std::any_of(eligible.pending.begin(), eligible.pending.end(),
                     [&](std::uint32_t device) { return !builds.pending(device); });
}

bool should_wait_to_decide(const Machine& machine, const LaunchView& view) {
  LaunchShape& shape = view.shape();
  if (machine.settings.policy.mode != PartitionMode::automatic || shape.confined() || shape.eligible().count() == 1)
    return false;
  // What waiting costs, a device that runs dry and a thread that wakes up, is little beside such launches.
  constexpr double kLong = 1e-3;
  DecisionBasis basis;
  const auto previous = shape.decisions().last(&basis);
  if (!previous || basis.known) return false;
  return previous->predicted_seconds > 0 ? previous->predicted_seconds >= kLong : shape.sampling().may_wait();
}

std::shared_ptr<const Decision> part_on(const LaunchView& view, std::uint32_t device, const GroupSpan& span,
                                        NotSplit reason) {
  auto decision = std::make_shared<Decision>();
  decision->slices.push_back({device, span, view.shape().footprint(span)});
  decision->whole = reason;
  return decision;
}

std::shared_ptr<const Decision> whole_on(const Launch& launch, const LaunchView& view, std::uint32_t device,
                                         NotSplit reason) {
  return part_on(view, device, {0, launch.range.group_total()}, reason);
}

std::shared_ptr<const Decision> decide(Machine& machine, const Launch& launch, const LaunchView& view) {
  LaunchShape& shape = view.shape();
  const auto mode = machine.settings.policy.mode;
  // These look neither at rates nor at residency: one decision serves every launch of the shape.
  if (mode == PartitionMode::equal || mode == PartitionMode::fixed || mode == PartitionMode::single ||
      shape.eligible().count() == 1) {
    if (auto known = shape.decisions().standing()) return known;
    return shape.decisions().keep_standing(decide_anew(machine, launch, view, nullptr));
  }
  DecisionBasis then;
  const auto previous = shape.decisions().last(&then);
  if (!previous && machine.knowledge != nullptr) machine.knowledge->wait_for(launch.kernel->id());
  const domain::Experience experience = machine.model->experience(launch.kernel->id(), launch.range);
  const bool barred = experience.split_barred;
  shape.rounds().devices_changed(experience.changes, previous.get());
  const bool judges = mode == PartitionMode::automatic;
  if (previous && judges && !worth_a_look(shape, *previous, then, barred))
    return judged(machine, launch, view, previous);
  DecisionBasis now = basis_of(machine, launch, view, barred);
  if (previous && stands(then, now)) return judges ? judged(machine, launch, view, previous) : previous;
  auto decision = decide_anew(machine, launch, view, previous.get());
  now.known = !decision->unsettled && !decision->exploring;
  shape.decisions().remember(decision, now);
  return judges ? judged(machine, launch, view, std::move(decision)) : decision;
}

}  // namespace skmd::icd

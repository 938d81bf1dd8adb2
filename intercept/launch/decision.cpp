// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/decision.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <utility>

#include "intercept/launch/dealing.h"
#include "intercept/launch/merge_choice.h"
#include "intercept/launch/merge_costs.h"
#include "intercept/launch/moving_bytes.h"
#include "intercept/launch/paper_costs.h"
#include "intercept/object/knowledge.h"
#include "intercept/object/link_rates.h"
#include "partitioner/prediction.h"

namespace skmd::icd {

namespace {

using domain::GroupSpan;
using domain::NotSplit;
using domain::PartitionMode;

/// What a split launch costs over a whole one before any work is done: a thread's hand-over, one submission more, and
/// waiting for two devices. Of the order of PoCL's empty kernel; rounded up, since a split must win by more than this.
constexpr double kSplitSeconds = 40e-6;

std::vector<domain::DeviceModel> models(const Machine& machine, const Launch& launch, LaunchShape& shape) {
  const Eligibility& eligible = shape.eligible();
  const auto point = [&]() -> const domain::Point& { return shape.point(launch); };
  std::vector<domain::DeviceModel> models;
  models.reserve(machine.devices.size());
  for (std::uint32_t i = 0; i < machine.devices.size(); ++i) {
    domain::DeviceModel model = machine.model->predict(launch.kernel->id(), i, launch.range, point);
    model.eligible = eligible.eligible[i];
    models.push_back(model);
  }
  set_links(machine, models);
  return models;
}

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

/// What joining the results of a split launch costs, beside moving their bytes; the launch in equal parts stands for
/// any other split.
double joining_seconds(const Machine& machine, const Launch& launch, const LaunchView& view) {
  const Eligibility& eligible = view.shape().eligible();
  const std::uint64_t groups = launch.range.group_total();
  const std::uint64_t parts = std::min<std::uint64_t>(eligible.count(), groups);
  std::vector<SliceWork> slices;
  std::vector<std::vector<domain::RootFootprint>> fetched;
  for (std::uint32_t device = 0; device < machine.devices.size() && slices.size() < parts; ++device) {
    if (!eligible.eligible[device]) continue;
    const GroupSpan span{slices.size() * groups / parts, (slices.size() + 1) * groups / parts};
    slices.push_back({device, span, view.shape().footprint(span)});
    if (memory_of(machine, device) != domain::kHostSpace) fetched.push_back(slices.back().touches->roots);
  }
  const domain::MergeDecision merge = how_to_merge(machine, launch, view, slices);
  return merge.refused ? 0.0 : domain::merge_seconds(merge, fetched, kMergeCosts);
}

domain::Plan plan_of(const Decision& decision) {
  domain::Plan plan;
  for (const SliceWork& slice : decision.slices) plan.slices.push_back({slice.device, slice.span});
  if (decision.whole) plan.reason = *decision.whole;
  plan.predicted_seconds = decision.predicted_seconds;
  plan.alone_seconds = decision.alone_seconds;
  plan.missed_seconds = decision.missed_seconds;
  plan.ways = decision.ways;
  plan.exploring = decision.exploring;
  return plan;
}

/// What the partitioner is asked about one launch. Refers to what it was made from.
class Question {
 public:
  Question(Machine& machine, const Launch& launch, const LaunchView& view)
      : machine_(machine), view_(view), models_(models(machine, launch, view.shape())) {
    LaunchShape& shape = view.shape();
    request_.policy = machine.settings.policy;
    request_.anchor = shape.eligible().preferred(acting_anchor(machine));
    request_.groups = launch.range.group_total();
    request_.group_counts = launch.range.group_counts();
    request_.devices = models_;
    request_.granularity = domain::row_of_groups(launch.range);
    request_.merge_seconds = kSplitSeconds;
    request_.joining_seconds = [&] {
      return shape.joining_seconds([&] { return joining_seconds(machine, launch, view); });
    };
    request_.planning_seconds = shape.planning_seconds();
    request_.may_search = shape.affords(shape.planning_seconds());
    if (request_.policy.mode == PartitionMode::paper) count_as_the_paper(launch);
    if (request_.policy.mode == PartitionMode::automatic)
      request_.experience = machine.model->experience(launch.kernel->id(), launch.range);
    request_.host_bytes_per_second = LinkRates::get().host();
    request_.bytes_to = [this](std::uint32_t device, const GroupSpan& span) {
      if (span.size() != request_.groups) return bytes_to(machine_, view_, device, touched_by(span));
      if (whole_to_.empty()) whole_to_.resize(models_.size());
      if (!whole_to_[device]) whole_to_[device] = bytes_to(machine_, view_, device, view_.whole());
      return *whole_to_[device];
    };
    if (has_recurring(view))
      request_.bytes_awaited = [this](std::uint32_t device) { return bytes_awaited(machine_, view_, device); };
    request_.bytes_from = [this](std::uint32_t device, const GroupSpan& span) {
      return bytes_from(machine_, view_, device, touched_by(span));
    };
  }
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  [[nodiscard]] const domain::PartitionRequest& request() const { return request_; }

  /// 0: the device is not measured.
  [[nodiscard]] double running_seconds(const domain::Slice& slice) const {
    if (!domain::is_measured(models_[slice.device])) return 0.0;
    return domain::running_seconds(request_, slice.device, slice.span.size());
  }
  /// As if the program were built for these devices.
  void admit(const std::vector<std::uint32_t>& devices) {
    for (const std::uint32_t device : devices) models_[device].eligible = true;
  }
  /// The first launch of a shape, which a process that knows the kernel may plan before it has measured anything.
  void allow_first_search() {
    if (request_.may_search || request_.policy.mode != PartitionMode::automatic) return;
    const auto alone = domain::best_alone(request_);
    if (!alone || models_[alone->device].source <= domain::ModelSource::process) return;
    request_.may_search = view_.shape().affords_first(request_.planning_seconds, alone->seconds);
  }

  /// The launch whole on each device whose time can be predicted.
  [[nodiscard]] std::vector<domain::RoundTimes::Candidate> candidates() const {
    std::vector<domain::RoundTimes::Candidate> candidates;
    for (std::uint32_t device = 0; device < models_.size(); ++device)
      if (models_[device].eligible && domain::is_measured(models_[device]))
        candidates.push_back(
            {domain::RoundTimes::Devices{1} << device, domain::finish_seconds(request_, device, {0, request_.groups})});
    return candidates;
  }

  domain::Plan plan(const Decision* previous) {
    if (previous == nullptr) allow_first_search();
    const domain::Plan before = previous != nullptr ? plan_of(*previous) : domain::Plan{};
    request_.previous = previous != nullptr ? &before : nullptr;
    const auto begin = std::chrono::steady_clock::now();
    domain::Plan plan = domain::partition(request_);
    machine_.observer->partition(static_cast<std::uint64_t>((std::chrono::steady_clock::now() - begin).count()));
    request_.previous = nullptr;
    if (searched_) view_.shape().spend(request_.planning_seconds);
    return plan;
  }

 private:
  void count_as_the_paper(const Launch& launch) {
    paper_ = paper_costs(machine_, launch, view_);
    request_.paper = &paper_;
    const auto unknown = [](const domain::DeviceModel& model) { return model.eligible && !domain::is_measured(model); };
    if (std::any_of(models_.begin(), models_.end(), unknown))
      machine_.observer->log(LogLevel::info,
                             launch.kernel->traits().name + ": paper: equal parts, until every device was measured");
  }

  const SpanFootprint& touched_by(const GroupSpan& span) {
    searched_ = searched_ || span.size() != request_.groups;
    touched_ = view_.shape().footprint(span);
    return *touched_;
  }

  Machine& machine_;
  const LaunchView& view_;
  std::vector<domain::DeviceModel> models_;
  domain::PaperCosts paper_;
  domain::PartitionRequest request_;
  SharedFootprint touched_;
  std::vector<std::optional<domain::Moving>>
      whole_to_;           // per device: asked for several times, and residency has pieces
  bool searched_ = false;  // footprints of slices were asked for
};

/// Where a launch that stays whole is expected to end first; the anchor in modes that do not measure.
std::uint32_t fastest(Machine& machine, const Launch& launch, const LaunchView& view) {
  if (machine.settings.policy.mode != PartitionMode::automatic)
    return view.shape().eligible().preferred(acting_anchor(machine));
  const Question question(machine, launch, view);
  return domain::whole_device(question.request());
}

std::shared_ptr<const Decision> decide_anew(Machine& machine, const Launch& launch, const LaunchView& view,
                                            const Decision* previous) {
  if (const auto reason = view.shape().confined()) {
    const Eligibility& eligible = view.shape().eligible();
    // Program-scope variables live on one device from launch to launch; an opaque program may have some.
    const bool at_home = *reason == NotSplit::mutable_program_scope || *reason == NotSplit::opaque_program;
    const std::uint32_t device = *reason == NotSplit::mode_single ? single_device(machine, eligible)
                                 : *reason == NotSplit::spinning  ? for_spinning(machine, launch, eligible)
                                 : at_home                        ? eligible.preferred(launch.kernel->home())
                                                                  : fastest(machine, launch, view);
    return whole_on(launch, view, device, *reason);
  }
  Question question(machine, launch, view);
  const domain::Plan plan = question.plan(previous);
  auto decision = std::make_shared<Decision>();
  decision->predicted_seconds = plan.predicted_seconds;
  decision->alone_seconds = plan.alone_seconds;
  decision->alone_round_seconds = plan.alone_round_seconds;
  decision->missed_seconds = plan.missed_seconds;
  decision->ways = plan.ways;
  decision->exploring = plan.exploring;
  decision->unsettled = plan.unsettled;
  decision->source = plan.source;
  if (machine.settings.policy.mode == PartitionMode::automatic) decision->candidates = question.candidates();
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
  const double cost = shape.checking_seconds() + (then.known ? 0.0 : kAsking);
  return shape.may_look(previous.predicted_seconds, cost);
}

/// `decision` as the model wants it, or another one under which the application's rounds are, or may be, clearly
/// shorter.
std::shared_ptr<const Decision> judged(const Launch& launch, const LaunchView& view,
                                       std::shared_ptr<const Decision> decision) {
  const auto instead = view.shape().instead_of(*decision);
  if (!instead) return decision;
  if (auto followed = view.shape().followed(*instead)) return followed;
  if (!std::has_single_bit(*instead)) return decision;
  return whole_on(launch, view, static_cast<std::uint32_t>(std::countr_zero(*instead)), NotSplit::not_profitable);
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
  const auto previous = shape.decision(&basis);
  if (!previous || basis.known) return false;
  return previous->predicted_seconds > 0 ? previous->predicted_seconds >= kLong : shape.may_wait_for_times();
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
    if (auto known = shape.standing()) return known;
    return shape.keep_standing(decide_anew(machine, launch, view, nullptr));
  }
  DecisionBasis then;
  const auto previous = shape.decision(&then);
  if (!previous && machine.knowledge != nullptr) machine.knowledge->wait_for(launch.kernel->id());
  const domain::Experience experience = machine.model->experience(launch.kernel->id(), launch.range);
  const bool barred = experience.split_barred;
  shape.devices_changed(experience.changes);
  const bool judges = mode == PartitionMode::automatic;
  if (previous && judges && !worth_a_look(shape, *previous, then, barred)) return judged(launch, view, previous);
  DecisionBasis now = basis_of(machine, launch, view, barred);
  if (previous && stands(then, now)) return judges ? judged(launch, view, previous) : previous;
  auto decision = decide_anew(machine, launch, view, previous.get());
  now.known = !decision->unsettled && !decision->exploring;
  shape.remember(decision, now);
  return judges ? judged(launch, view, std::move(decision)) : decision;
}

}  // namespace skmd::icd

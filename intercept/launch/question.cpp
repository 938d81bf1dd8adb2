// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/question.h"

#include <algorithm>
#include <chrono>

#include "intercept/launch/decision.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/merge_choice.h"
#include "intercept/launch/merge_costs.h"
#include "intercept/launch/moving_bytes.h"
#include "intercept/launch/paper_costs.h"
#include "intercept/memory/link_rates.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "partitioner/plan/plan_text.h"
#include "partitioner/plan/prediction.h"

namespace skmd::icd {
namespace {

using domain::GroupSpan;
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
    if (space_of(machine, device) != domain::kHostSpace) fetched.push_back(slices.back().touches->roots);
  }
  const domain::MergeDecision merge = how_to_merge(machine, launch, view, slices);
  return merge.refused ? 0.0 : domain::merge_seconds(merge, fetched, kMergeCosts);
}

/// `launches` have followed it.
domain::Plan plan_of(const Decision& decision, std::uint64_t launches) {
  domain::Plan plan;
  for (const SliceWork& slice : decision.slices) plan.slices.push_back({slice.device, slice.span});
  if (decision.whole) plan.reason = *decision.whole;
  plan.predicted_seconds = decision.predicted_seconds;
  plan.alone_seconds = decision.alone_seconds;
  plan.missed = decision.missed;
  plan.missed.launches += launches;
  plan.exploring = decision.exploring;
  return plan;
}

}  // namespace

Question::Question(Machine& machine, const Launch& launch, const LaunchView& view)
    : machine_(machine),
      kernel_(launch.kernel->traits().name),
      view_(view),
      models_(models(machine, launch, view.shape())) {
  LaunchShape& shape = view.shape();
  request_.policy = machine.settings.policy;
  request_.anchor = shape.eligible().preferred(acting_anchor(machine));
  request_.groups = launch.range.group_total();
  request_.group_counts = launch.range.group_counts();
  request_.devices = models_;
  request_.granularity = domain::row_of_groups(launch.range);
  request_.split_seconds = kSplitSeconds;
  request_.joining_seconds = [&] {
    return shape.joining_seconds([&] { return joining_seconds(machine, launch, view); });
  };
  request_.planning_seconds = shape.planning_costs().planning;
  request_.may_search = shape.budget().affords(shape.planning_costs().planning);
  if (request_.policy.mode == PartitionMode::paper) count_as_the_paper(launch);
  if (request_.policy.mode == PartitionMode::automatic)
    request_.experience = machine.model->experience(launch.kernel->id(), launch.range);
  set_bytes();
}

void Question::set_bytes() {
  request_.host_bytes_per_second = LinkRates::get().host();
  request_.bytes_to = [this](std::uint32_t device, const GroupSpan& span) {
    if (span.size() != request_.groups) return bytes_to(machine_, view_, device, touched_by(span));
    if (whole_to_.empty()) whole_to_.resize(models_.size());
    if (!whole_to_[device]) whole_to_[device] = bytes_to(machine_, view_, device, view_.whole());
    return *whole_to_[device];
  };
  if (has_recurring(view_))
    request_.bytes_awaited = [this](std::uint32_t device) { return bytes_awaited(machine_, view_, device); };
  request_.bytes_from = [this](std::uint32_t device, const GroupSpan& span) {
    return bytes_from(machine_, view_, device, touched_by(span));
  };
}

double Question::running_seconds(const domain::Slice& slice) const {
  if (!domain::is_measured(models_[slice.device])) return 0.0;
  return domain::running_seconds(request_, slice.device, slice.span.size());
}

void Question::admit(const std::vector<std::uint32_t>& devices) {
  for (const std::uint32_t device : devices) models_[device].eligible = true;
}

void Question::allow_first_search() {
  if (request_.may_search || request_.policy.mode != PartitionMode::automatic) return;
  const auto alone = domain::best_alone(request_);
  if (!alone || models_[alone->device].source <= domain::ModelSource::process) return;
  request_.may_search = view_.shape().budget().affords_first(request_.planning_seconds, alone->seconds);
}

std::vector<domain::RoundTimes::Candidate> Question::candidates() const {
  std::vector<domain::RoundTimes::Candidate> candidates;
  for (std::uint32_t device = 0; device < models_.size(); ++device) {
    const domain::DeviceModel& model = models_[device];
    if (!model.eligible || !domain::is_measured(model) || domain::has_twin_before(models_, device)) continue;
    candidates.push_back(
        {domain::RoundTimes::Devices{1} << device, domain::finish_seconds(request_, device, {0, request_.groups})});
  }
  return candidates;
}

domain::Plan Question::plan(const Decision* previous, std::uint64_t launches) {
  if (previous == nullptr) allow_first_search();
  const domain::Plan before = previous != nullptr ? plan_of(*previous, launches) : domain::Plan{};
  request_.previous = previous != nullptr ? &before : nullptr;
  const auto begin = std::chrono::steady_clock::now();
  domain::Plan plan = domain::partition(request_);
  machine_.observer->partition(static_cast<std::uint64_t>((std::chrono::steady_clock::now() - begin).count()));
  request_.previous = nullptr;
  if (machine_.observer->logs(LogLevel::debug) && request_.policy.mode == PartitionMode::automatic)
    machine_.observer->log(LogLevel::debug, kernel_ + ": " + domain::text_of(request_, plan));
  if (searched_) view_.shape().budget().spend(request_.planning_seconds);
  return plan;
}

void Question::count_as_the_paper(const Launch& launch) {
  paper_ = paper_costs(machine_, launch, view_);
  request_.paper = &paper_;
  const auto unknown = [](const domain::DeviceModel& model) { return model.eligible && !domain::is_measured(model); };
  if (std::any_of(models_.begin(), models_.end(), unknown))
    machine_.observer->log(LogLevel::info,
                           launch.kernel->traits().name + ": paper: equal parts, until every device was measured");
}

const SpanFootprint& Question::touched_by(const GroupSpan& span) {
  searched_ = searched_ || span.size() != request_.groups;
  touched_ = view_.shape().footprint(span);
  return *touched_;
}

}  // namespace skmd::icd

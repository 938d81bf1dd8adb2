// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/question.h"

#include <algorithm>

#include "intercept/launch/decision.h"
#include "intercept/launch/decision_constants.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/merge_choice.h"
#include "intercept/launch/merge_costs.h"
#include "intercept/launch/moving_bytes.h"
#include "intercept/launch/paper_costs.h"
#include "intercept/memory/link_rates.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "partitioner/plan/prediction.h"

namespace skmd::icd {
namespace {

using namespace tuning;

using domain::GroupSpan;
using domain::PartitionMode;

std::vector<domain::DeviceModel> models(const Machine& machine, const Launch& launch, const LaunchView& view) {
  LaunchShape& shape = view.shape();
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
  const double touching = first_touch_seconds(view);
  for (std::uint32_t i = 0; i < models.size(); ++i)
    if (space_of(machine, i) == domain::kHostSpace) models[i].first_use_seconds += touching;
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

}  // namespace

double expected_joining_seconds(const Machine& machine, const Launch& launch, const LaunchView& view) {
  return view.shape().joining_seconds([&] { return joining_seconds(machine, launch, view); });
}

Question::Question(Machine& machine, const Launch& launch, const LaunchView& view)
    : machine_(machine), view_(view), models_(models(machine, launch, view)) {
  LaunchShape& shape = view.shape();
  request_.policy = machine.settings.policy;
  request_.anchor = shape.eligible().preferred(acting_anchor(machine));
  request_.groups = launch.range.group_total();
  request_.group_counts = launch.range.group_counts();
  request_.devices = models_;
  request_.granularity = domain::row_of_groups(launch.range);
  request_.split_seconds = kSplitSeconds;
  request_.behind = followed_device(view);
  request_.hand_over_seconds = kHandOver;
  request_.joining_seconds = [&] { return expected_joining_seconds(machine, launch, view); };
  request_.planning_seconds = shape.planning_costs().planning;
  request_.may_search = shape.budget().affords(shape.planning_costs().planning);
  if (request_.policy.mode == PartitionMode::paper) count_as_the_paper(launch);
  if (request_.policy.mode == PartitionMode::automatic)
    request_.experience = machine.model->experience(launch.kernel->id(), launch.range);
  set_bytes();
}

void Question::set_bytes() {
  std::uint64_t bytes = 0;
  for (const auto& root : view_.roots()) bytes += root->bytes();
  request_.host_bytes_per_second = LinkRates::get().host(bytes);
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

void Question::admit(const std::vector<std::uint32_t>& devices) {
  for (const std::uint32_t device : devices) models_[device].eligible = true;
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

// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/rest_division.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "intercept/launch/decide_launch.h"
#include "intercept/launch/decision_constants.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/merge_choice.h"
#include "intercept/launch/moving_bytes.h"
#include "intercept/launch/question.h"
#include "intercept/memory/link_rates.h"
#include "intercept/object/kernel.h"
#include "partitioner/plan/prediction.h"

namespace skmd::icd {
namespace {

using domain::GroupSpan;
using domain::NotSplit;

/// The partitioner's question about the rest. Not thread-safe.
class RestQuestion {
 public:
  RestQuestion(Machine& machine, const Launch& launch, const LaunchView& view, const StoppedSpan& stopped,
               std::span<const double> groups_per_second)
      : machine_(machine), launch_(launch), view_(view), stopped_(stopped) {
    set_models(groups_per_second);
    request_.anchor = stopped.device;
    request_.groups = stopped.span.size();
    request_.devices = models_;
    request_.granularity = domain::row_of_groups(launch.range);
    request_.split_seconds = tuning::kSplitSeconds;
    request_.joining_seconds = [this] { return expected_joining_seconds(machine_, launch_, view_); };
    request_.host_bytes_per_second = LinkRates::get().host();
    request_.bytes_to = [this](std::uint32_t device, const GroupSpan& span) {
      return bytes_to(machine_, view_, device, *touched_by(span));
    };
    request_.bytes_from = [this](std::uint32_t device, const GroupSpan& span) {
      return bytes_from(machine_, view_, device, *touched_by(span));
    };
  }
  RestQuestion(const RestQuestion&) = delete;
  RestQuestion& operator=(const RestQuestion&) = delete;

  [[nodiscard]] const domain::PartitionRequest& request() const { return request_; }

 private:
  [[nodiscard]] SharedFootprint touched_by(const GroupSpan& span) const {
    return view_.shape().footprint({stopped_.span.first + span.first, stopped_.span.first + span.last});
  }
  void set_models(std::span<const double> groups_per_second) {
    const auto point = [&]() -> const domain::Point& { return view_.shape().point(launch_); };
    for (std::uint32_t d = 0; d < machine_.devices.size(); ++d) {
      domain::DeviceModel model = machine_.model->predict(launch_.kernel->id(), d, launch_.range, point);
      const double measured = d < groups_per_second.size() ? groups_per_second[d] : 0.0;
      if (measured > 0) {
        model.measured = true;
        model.source = domain::ModelSource::process;
        model.groups_per_second = measured;
        model.whole_groups_per_second = model.first_use_groups_per_second = 0;
      }
      // Longer spans are no slower per group than those that rates come from: a launch that is late does not explore.
      model.measured_groups = domain::kAnySpan;
      const bool may = may_move(machine_, launch_, view_.shape().eligible(), stopped_.device, d);
      // A device of which nothing is known would be explored, which is nothing for what is late already.
      model.eligible = may && !is_stopped(machine_, d) && !stopped_.has_failed_on(d) && domain::is_measured(model);
      models_.push_back(model);
    }
    set_links(machine_, models_);
  }

  Machine& machine_;
  const Launch& launch_;
  const LaunchView& view_;
  const StoppedSpan& stopped_;
  std::vector<domain::DeviceModel> models_;
  domain::PartitionRequest request_;
};

/// A part of the rest on a device.
struct Share {
  std::uint32_t device = 0;
  std::uint64_t groups = 0;
};

/// Groups that have begun come first: on their device, or on one that can go on with them.
void put_begun_first(const Machine& machine, const Launch& launch, const LaunchView& view, const StoppedSpan& stopped,
                     std::vector<Share>& shares) {
  if (stopped.saved == nullptr || stopped.begun.empty()) return;
  const auto can = [&](const Share& share) {
    return may_go_on(machine, launch, view.shape().eligible(), stopped, share.device, false);
  };
  auto first =
      std::find_if(shares.begin(), shares.end(), [&](const Share& share) { return share.device == stopped.device; });
  if (first == shares.end()) first = std::find_if(shares.begin(), shares.end(), can);
  if (first == shares.end()) first = shares.insert(first, {stopped.device, 0});
  std::rotate(shares.begin(), first, first + 1);
  const std::uint64_t begun = stopped.begun.size();
  for (std::size_t i = shares.size() - 1; i > 0 && shares.front().groups < begun; --i) {
    const std::uint64_t taken = std::min(begun - shares.front().groups, shares[i].groups);
    shares.front().groups += taken;
    shares[i].groups -= taken;
  }
  std::erase_if(shares, [](const Share& share) { return share.groups == 0; });
}

bool is_joined(const domain::MergeDecision& merge) {
  return std::any_of(merge.joined.begin(), merge.joined.end(), [](const auto& joined) { return !joined.empty(); });
}

}  // namespace

std::shared_ptr<const Decision> divide_rest(Machine& machine, const Launch& launch, const LaunchView& view,
                                            const StoppedSpan& stopped, std::span<const double> groups_per_second) {
  const RestQuestion question(machine, launch, view, stopped, groups_per_second);
  const domain::PartitionRequest& request = question.request();
  const auto on_one = [&] {
    const auto alone = domain::best_alone(request);
    const bool moves = alone && may_go_on(machine, launch, view.shape().eligible(), stopped, alone->device, false);
    return part_on(view, moves ? alone->device : stopped.device, stopped.span, NotSplit::one_device_eligible);
  };
  const bool whole = view.shape().confined().has_value();
  const domain::Plan plan = whole ? domain::Plan{} : domain::partition(request);
  if (plan.slices.size() < 2) return on_one();
  std::vector<Share> shares;
  for (const domain::Slice& slice : plan.slices) shares.push_back({slice.device, slice.span.size()});
  put_begun_first(machine, launch, view, stopped, shares);
  auto decision = std::make_shared<Decision>();
  std::uint64_t at = stopped.span.first;
  for (const Share& share : shares) {
    const GroupSpan span{at, at + share.groups};
    decision->slices.push_back({share.device, span, view.shape().footprint(span)});
    decision->slices.back().predicted_seconds = domain::running_seconds(request, share.device, share.groups);
    at = span.last;
  }
  if (decision->slices.size() < 2) return on_one();
  decision->merge = how_to_merge(machine, launch, view, decision->slices);
  // Groups that have begun have no part in what is joined.
  if (decision->merge.refused || (stopped.saved != nullptr && is_joined(decision->merge))) return on_one();
  return decision;
}

}  // namespace skmd::icd

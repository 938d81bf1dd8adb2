// SPDX-License-Identifier: Apache-2.0
#include "partitioner/plan/decision_tree.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "partitioner/plan/plan_constants.h"
#include "partitioner/plan/prediction.h"

namespace skmd::domain {
namespace {

using namespace tuning;

constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// A node of the tree: how many groups each device has.
class Tree {
 public:
  explicit Tree(const PartitionRequest& request) : request_(request), costs_(*request.paper) {
    for (std::uint32_t d = 0; d < request.devices.size(); ++d)
      if (request.devices[d].eligible) devices_.push_back(d);
    groups_.assign(devices_.size(), 0);
    times_.assign(devices_.size(), 0.0);
    granularity_ = request.groups / kTreeSteps + (request.groups % kTreeSteps != 0 ? 1 : 0);
  }

  Plan partition() {
    begin();
    const std::uint64_t least = costs_.contiguous ? granularity_ : offsets_merge_cost();
    unsigned tolerance = 0;
    while (tolerance < kTreeTolerance) {
      const std::uint32_t child = best_child(least, tolerance);
      if (child == kNone) {
        ++tolerance;
        continue;
      }
      const std::uint64_t moved = *trial(child, least, tolerance);
      previous_ = move_and_estimate(child, moved);
      tolerance = 0;
    }
    return plan();
  }

 private:
  /// Lines 1 to 4: every group on the device that would end first alone.
  void begin() {
    for (std::uint32_t i = 0; i < devices_.size(); ++i) {
      groups_[i] = request_.groups;
      const double seconds = estimate();
      groups_[i] = 0;
      if (base_ != kNone && seconds >= previous_) continue;
      base_ = i;
      previous_ = seconds;
    }
    groups_[base_] = request_.groups;
  }

  /// EstAllDevsTime: fills times_ and returns the slowest with the merge. Transfers share one link, one after the other
  /// in the order of devices, results in the order in which they are ready.
  double estimate() {
    double link = 0.0;
    std::uint32_t busy = 0;
    for (std::uint32_t i = 0; i < devices_.size(); ++i) {
      times_[i] = 0.0;
      if (groups_[i] == 0) continue;
      ++busy;
      if (external(i)) times_[i] = link += in_seconds(i);
      times_[i] += running_seconds(request_, devices_[i], groups_[i]);
    }
    return_results(link);
    const double slowest = *std::max_element(times_.begin(), times_.end());
    return busy > 1 && !costs_.contiguous ? slowest + costs_.join_seconds : slowest;
  }

  void return_results(double link) {
    waiting_.clear();
    for (std::uint32_t i = 0; i < devices_.size(); ++i)
      if (groups_[i] > 0 && external(i)) waiting_.push_back(i);
    std::sort(waiting_.begin(), waiting_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return times_[a] != times_[b] ? times_[a] < times_[b] : a < b; });
    for (const std::uint32_t i : waiting_) {
      link = std::max(link, times_[i]) + out_seconds(i);
      times_[i] = link;
    }
  }

  [[nodiscard]] bool external(std::uint32_t i) const { return costs_.external[devices_[i]]; }
  /// A part of a contiguous kernel's buffers, all of another's.
  [[nodiscard]] double share(std::uint32_t i) const {
    return costs_.contiguous ? static_cast<double>(groups_[i]) / static_cast<double>(request_.groups) : 1.0;
  }
  [[nodiscard]] double in_seconds(std::uint32_t i) const {
    return share(i) * static_cast<double>(costs_.bytes_in) / request_.devices[devices_[i]].bytes_to_per_second;
  }
  [[nodiscard]] double out_seconds(std::uint32_t i) const {
    return share(i) * static_cast<double>(costs_.bytes_out) / request_.devices[devices_[i]].bytes_from_per_second;
  }

  /// Cnt_OffsetsMergeCost: the fewest groups by which the base device's own time falls by more than merging takes.
  std::uint64_t offsets_merge_cost() {
    const double all = running_seconds(request_, devices_[base_], request_.groups);
    const auto gains = [&](std::uint64_t groups) {
      const std::uint64_t left = request_.groups - groups;
      const double rest = left == 0 ? 0.0 : running_seconds(request_, devices_[base_], left);
      return all - rest > costs_.join_seconds;
    };
    if (!gains(request_.groups)) return request_.groups;
    std::uint64_t low = 0, high = request_.groups;  // gains(high), not gains(low) or 0
    while (high - low > granularity_) {
      const std::uint64_t middle = low + (high - low) / 2;
      (gains(middle) ? high : low) = middle;
    }
    return std::max(high, granularity_);
  }

  /// How many groups device i would be given; empty where the base device has none to give.
  [[nodiscard]] std::optional<std::uint64_t> trial(std::uint32_t i, std::uint64_t least, unsigned tolerance) const {
    const std::uint64_t wanted = groups_[i] == 0 ? least : granularity_;
    const std::uint64_t most = groups_[base_];
    if (i == base_ || most == 0) return std::nullopt;
    return wanted > most >> tolerance ? most : wanted << tolerance;
  }

  double move_and_estimate(std::uint32_t i, std::uint64_t moved) {
    groups_[base_] -= moved;
    groups_[i] += moved;
    return estimate();
  }

  /// The child with the highest balancing factor among those that end before their parent.
  std::uint32_t best_child(std::uint64_t least, unsigned tolerance) {
    std::uint32_t best = kNone;
    double highest = 0.0;
    for (std::uint32_t i = 0; i < devices_.size(); ++i) {
      const auto moved = trial(i, least, tolerance);
      if (!moved) continue;
      const double seconds = move_and_estimate(i, *moved);
      const double factor = previous_ - times_[i];
      groups_[base_] += *moved;
      groups_[i] -= *moved;
      if (!(seconds < previous_) || (best != kNone && factor <= highest)) continue;
      best = i;
      highest = factor;
    }
    return best;
  }

  [[nodiscard]] Plan plan() const {
    Plan plan;
    std::uint64_t at = 0;
    for (std::uint32_t i = 0; i < devices_.size(); ++i) {
      if (groups_[i] == 0) continue;
      plan.slices.push_back({devices_[i], {at, at + groups_[i]}});
      at += groups_[i];
    }
    plan.reason = NotSplit::not_profitable;
    plan.predicted_seconds = std::isfinite(previous_) ? previous_ : 0.0;
    return plan;
  }

  const PartitionRequest& request_;
  const PaperCosts& costs_;
  std::vector<std::uint32_t> devices_;  // the eligible ones; all that follows is by place in here
  std::vector<std::uint64_t> groups_;
  std::vector<double> times_;
  std::vector<std::uint32_t> waiting_;
  std::uint64_t granularity_ = 1;
  std::uint32_t base_ = kNone;
  double previous_ = 0.0;  // estimate of the node
};

}  // namespace

Plan decision_tree(const PartitionRequest& request) { return Tree(request).partition(); }

}  // namespace skmd::domain

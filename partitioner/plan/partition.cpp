// SPDX-License-Identifier: Apache-2.0
#include "partitioner/plan/partition.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "partitioner/plan/balance.h"
#include "partitioner/plan/decision_tree.h"
#include "partitioner/plan/prediction.h"

namespace skmd::domain {
namespace {

Plan whole(const PartitionRequest& request, std::uint32_t device, NotSplit reason) {
  Plan plan;
  plan.slices.push_back({device, {0, request.groups}});
  plan.reason = reason;
  return plan;
}

bool eligible(const PartitionRequest& request, std::uint32_t device) {
  return device < request.devices.size() && request.devices[device].eligible;
}

/// The device for launches for which the mode has no other one: the anchor, which is always eligible.
std::uint32_t home(const PartitionRequest& request) {
  if (eligible(request, request.anchor)) return request.anchor;
  for (std::uint32_t d = 0; d < request.devices.size(); ++d) {
    if (request.devices[d].eligible) return d;
  }
  return request.anchor;
}

std::vector<std::uint32_t> all_in_order(const PartitionRequest& request) {
  std::vector<std::uint32_t> order(request.devices.size());
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

/// Cuts [0, groups) in proportion to `weight`: the k-th device of `order` ends at floor(groups · sum of weights up to k
/// / sum of all).
template <class Weight>
Plan cut_by(const PartitionRequest& request, Weight weight, const std::vector<std::uint32_t>& order) {
  double sum = 0;
  for (const std::uint32_t d : order) sum += weight(d);
  Plan plan;
  double before = 0;
  std::uint64_t at = 0;
  std::uint32_t heaviest = home(request);
  for (const std::uint32_t d : order) {
    const double own = weight(d);
    if (own <= 0) continue;
    heaviest = weight(heaviest) < own ? d : heaviest;
    before += own;
    // Rounded up by a hair: 30 % of 10 groups must be 3, though 0.3 has no exact binary value.
    const long double place = static_cast<long double>(before) / sum * static_cast<long double>(request.groups) + 1e-9L;
    const std::uint64_t end =
        before >= sum ? request.groups : std::min(request.groups, static_cast<std::uint64_t>(std::floor(place)));
    if (end <= at) continue;
    plan.slices.push_back({d, {at, end}});
    at = end;
  }
  if (at < request.groups) {  // rounding left the sum short of itself
    if (plan.slices.empty()) return whole(request, heaviest, NotSplit::mode_single);
    plan.slices.back().span.last = request.groups;
  }
  plan.reason = NotSplit::mode_single;
  return plan;
}

Plan equal(const PartitionRequest& request) {
  const auto n = static_cast<std::uint64_t>(
      std::count_if(request.devices.begin(), request.devices.end(), [](const DeviceModel& d) { return d.eligible; }));
  Plan plan;
  std::uint64_t k = 0;
  const auto place = [&](std::uint64_t share) {  // floor(share · G / n) without overflow
    return request.groups / n * share + request.groups % n * share / n;
  };
  for (std::uint32_t d = 0; d < request.devices.size(); ++d) {
    if (!request.devices[d].eligible) continue;
    const GroupSpan span{place(k), place(k + 1)};
    if (!span.empty()) plan.slices.push_back({d, span});
    ++k;
  }
  return plan;
}

Plan fixed(const PartitionRequest& request) {
  const auto& percent = request.policy.percent;
  const auto weight = [&](std::uint32_t d) { return eligible(request, d) && d < percent.size() ? percent[d] : 0.0; };
  double sum = 0;
  for (std::uint32_t d = 0; d < request.devices.size(); ++d) sum += weight(d);
  if (!(sum > 0)) return whole(request, home(request), NotSplit::one_device_eligible);
  return cut_by(request, weight, all_in_order(request));
}

bool all_measured(const PartitionRequest& request) {
  return std::all_of(request.devices.begin(), request.devices.end(),
                     [](const DeviceModel& device) { return !device.eligible || is_measured(device); });
}

Plan linear(const PartitionRequest& request) {
  // Without a rate for each device there is nothing to be proportional to.
  if (!all_measured(request)) return equal(request);
  // Times of the whole launch on each. Rates that this process measured include the fixed cost; stored models have it
  // apart.
  const auto weight = [&](std::uint32_t d) {
    if (!eligible(request, d)) return 0.0;
    const DeviceModel& model = request.devices[d];
    const double apart = model.source > ModelSource::process ? model.launch_seconds : 0.0;
    return 1.0 / (apart + static_cast<double>(request.groups) / model.groups_per_second);
  };
  return cut_by(request, weight, all_in_order(request));
}

/// Devices in the order of the parts of the launch whose bytes they hold.
std::vector<std::uint32_t> by_place_of_bytes(const PartitionRequest& request) {
  std::vector<std::uint32_t> order = all_in_order(request);
  const std::uint64_t parts = std::min<std::uint64_t>(order.size(), request.groups);
  if (!request.bytes_to || !request.may_search) return order;
  std::vector<std::uint64_t> place(order.size());
  for (const std::uint32_t d : order) {
    if (!eligible(request, d)) continue;
    std::uint64_t least = ~std::uint64_t{0};
    for (std::uint64_t k = 0; k < parts; ++k) {
      const std::uint64_t part = (d + k) % parts;  // its own place first, if no bytes are resident
      const std::uint64_t bytes =
          request.bytes_to(d, {request.groups / parts * part, request.groups / parts * (part + 1)}).linked;
      if (bytes >= least) continue;
      least = bytes;
      place[d] = part;
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return place[a] < place[b]; });
  return order;
}

/// The first part of each device: in the ratio of measured, else expected, rates.
Plan dynamic(const PartitionRequest& request) {
  const bool measured = all_measured(request);
  const auto weight = [&](std::uint32_t d) {
    if (!eligible(request, d)) return 0.0;
    return measured ? request.devices[d].groups_per_second : request.devices[d].strength;
  };
  return cut_by(request, weight, by_place_of_bytes(request));
}

Plan single(const PartitionRequest& request) {
  const int index = request.policy.single_index;
  const bool usable = index >= 0 && eligible(request, static_cast<std::uint32_t>(index));
  return whole(request, usable ? static_cast<std::uint32_t>(index) : home(request), NotSplit::mode_single);
}

/// One group cannot be split: the fastest measured device, or the one that the mode would have preferred.
std::uint32_t one_group_device(const PartitionRequest& request) {
  if (request.policy.mode == PartitionMode::fixed) return fixed(request).slices.front().device;
  return request.policy.mode == PartitionMode::automatic ? whole_device(request) : home(request);
}

}  // namespace

std::uint32_t whole_device(const PartitionRequest& request) {
  const auto alone = best_alone(request);
  return alone ? alone->device : unknown_kernels_device(request);
}

namespace {

Plan planned(const PartitionRequest& request) {
  const auto candidates =
      std::count_if(request.devices.begin(), request.devices.end(), [](const DeviceModel& d) { return d.eligible; });
  Plan plan;
  if (request.policy.mode == PartitionMode::single) {
    plan = single(request);
  } else if (candidates <= 1) {
    plan = whole(request, home(request), request.groups == 1 ? NotSplit::one_group : NotSplit::one_device_eligible);
  } else if (request.groups == 1) {
    plan = whole(request, one_group_device(request), NotSplit::one_group);
  } else {
    switch (request.policy.mode) {
      case PartitionMode::equal:
        plan = equal(request);
        break;
      case PartitionMode::dynamic:
        plan = dynamic(request);
        break;
      case PartitionMode::fixed:
        plan = fixed(request);
        break;
      case PartitionMode::linear:
        plan = linear(request);
        break;
      case PartitionMode::paper:
        if (request.paper != nullptr && all_measured(request)) return decision_tree(request);
        plan = equal(request);
        break;
      default:
        return balanced(request);
    }
  }
  plan.predicted_seconds = predicted_seconds(request, plan.slices);
  return plan;
}

}  // namespace

Plan partition(const PartitionRequest& request) {
  if (request.groups == 0) return {};
  Plan plan = planned(request);
  if (!(plan.predicted_seconds > 0)) return plan;
  for (const Slice& slice : plan.slices) plan.source = std::max(plan.source, request.devices[slice.device].source);
  return plan;
}

}  // namespace skmd::domain

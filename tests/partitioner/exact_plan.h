// SPDX-License-Identifier: Apache-2.0
// The best plan that there is, found without any of the partitioner's shortcuts: costs are those that it predicts by
// (prediction.h), the search is another one.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "partitioner/partition.h"
#include "partitioner/prediction.h"

namespace skmd::domain::test {

inline double best_whole_seconds(const PartitionRequest& request) {
  double best = std::numeric_limits<double>::infinity();
  for (std::uint32_t d = 0; d < request.devices.size(); ++d)
    if (request.devices[d].eligible) best = std::min(best, finish_seconds(request, d, {0, request.groups}));
  return best;
}

/// The most groups that `device` has done after `seconds`, fewer than the launch has. Precondition: more groups never
/// take less time.
inline std::uint64_t groups_done(const PartitionRequest& request, std::uint32_t device, double seconds) {
  std::uint64_t done = 0;
  std::uint64_t too_many = request.groups;
  while (too_many - done > 1) {
    const std::uint64_t middle = done + (too_many - done) / 2;
    (finish_seconds(request, device, {0, middle}) <= seconds ? done : too_many) = middle;
  }
  return done;
}

/// Seconds of the best plan, where slices cost the same wherever they lie: bisection over the moment of the end.
inline double exact_seconds(const PartitionRequest& request) {
  const double whole = best_whole_seconds(request);
  const auto enough = [&](double seconds) {
    std::uint64_t sum = 0;
    for (std::uint32_t d = 0; d < request.devices.size() && sum < request.groups; ++d)
      if (request.devices[d].eligible) sum += groups_done(request, d, seconds);
    return sum >= request.groups;
  };
  if (!enough(whole)) return whole;
  double low = 0, high = whole;
  while (high - low > 1e-5 * high) {
    const double middle = (low + high) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return std::min(whole, high + request.merge_seconds);
}

/// The same where slices cost more that begin or end within a row: every plan is tried. For a handful of devices and
/// groups. Precondition: all devices are eligible.
class EveryPlan {
 public:
  explicit EveryPlan(const PartitionRequest& request) : request_(request), best_(best_whole_seconds(request)) {}
  double seconds() {
    std::vector<std::uint32_t> order(request_.devices.size());
    std::iota(order.begin(), order.end(), 0u);
    do place(order, 0, 0, 0.0, 0);
    while (std::next_permutation(order.begin(), order.end()));
    return best_;
  }

 private:
  void place(const std::vector<std::uint32_t>& order, std::size_t k, std::uint64_t at, double finish, int slices) {
    if (at == request_.groups) {
      best_ = std::min(best_, finish + (slices > 1 ? request_.merge_seconds : 0.0));
      return;
    }
    if (k == order.size() || finish >= best_) return;
    for (std::uint64_t end = at; end <= request_.groups; ++end)
      place(order, k + 1, end, std::max(finish, finish_seconds(request_, order[k], {at, end})),
            slices + (end > at ? 1 : 0));
  }
  const PartitionRequest& request_;
  double best_;
};

}  // namespace skmd::domain::test

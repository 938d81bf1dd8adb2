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

#include "partitioner/plan/partition.h"
#include "partitioner/plan/phases.h"
#include "partitioner/plan/prediction.h"

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

/// Seconds of the best plan, where slices cost the same wherever they lie and nothing moves before or after the launch:
/// bisection over the moment of the end.
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
  return std::min(whole, high + request.split_seconds);
}

/// Where every phase of a slice is a line over its groups, and there are so many groups that parts of one count for
/// nothing: the least sum of phases by three golden sections, one in the other. Of devices whose transfers take some
/// time however few the groups are, those with the longest are left out one after the other.
class BestPhases {
 public:
  explicit BestPhases(const PartitionRequest& request)
      : groups_(static_cast<double>(request.groups)),
        merge_(request.split_seconds),
        best_(best_whole_seconds(request)) {
    PhaseCosts costs(request);
    const std::uint64_t many = request.groups - 1;
    for (std::uint32_t d = 0; d < request.devices.size(); ++d)
      devices_.push_back({costs.of(d, {0, 1}), costs.of(d, {0, many}), static_cast<double>(many)});
  }
  double seconds() {
    std::sort(devices_.begin(), devices_.end(),
              [](const Device& a, const Device& b) { return a.moving_fixed() < b.moving_fixed(); });
    while (devices_.size() > 1) {
      best_ = std::min(best_, merge_ + over_before());
      // As many as matter: the last tenth of them, at least one.
      devices_.erase(devices_.end() - static_cast<std::ptrdiff_t>((devices_.size() + 9) / 10), devices_.end());
    }
    return best_;
  }

 private:
  struct Line {
    double fixed = 0, each = 0;
    Line(double one, double many, double groups) : each((many - one) / (groups - 1)) {
      fixed = std::max(0.0, one - each);
    }
    [[nodiscard]] double groups(double seconds) const {
      if (each <= 0) return seconds >= fixed ? std::numeric_limits<double>::infinity() : 0.0;
      return std::max(0.0, (seconds - fixed) / each);
    }
  };
  struct Device {
    Device(const Phases& one, const Phases& all, double many)
        : before(one.before, all.before, many),
          running(one.running, all.running, many),
          after(one.after, all.after, many),
          copying(one.copying, all.copying, many) {}
    [[nodiscard]] double moving_fixed() const { return before.fixed + after.fixed; }
    Line before, running, after, copying;
  };
  /// The least value of a function with one valley.
  template <class F>
  static double least(double low, double high, F f) {
    constexpr double kGolden = 0.6180339887498949;
    constexpr int kSteps = 18;
    double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
    double at_left = f(left), at_right = f(right);
    for (int i = 0; i < kSteps; ++i) {
      const bool up = at_left < at_right;
      (up ? high : low) = up ? right : left;
      (up ? right : left) = up ? left : right;
      (up ? at_right : at_left) = up ? at_left : at_right;
      (up ? left : right) = up ? high - kGolden * (high - low) : low + kGolden * (high - low);
      (up ? at_left : at_right) = f(up ? left : right);
    }
    return std::min(at_left, at_right);
  }
  double over_before() {
    double low = 0.0;
    for (const Device& d : devices_) low = std::max(low, d.before.fixed);
    return least(low, std::max(low, best_), [&](double before) { return over_after(before); });
  }
  double over_after(double before) {
    return least(0.0, best_, [&](double after) {
      return least(0.0, best_, [&](double running) { return end(before, running, after); });
    });
  }
  double end(double before, double running, double after) {
    double left = groups_;
    for (const double copies : {0.0, 1.0})
      for (const Device& d : devices_) {
        if ((d.copying.each > 0) != (copies > 0)) continue;
        const double done = std::min({left, d.before.groups(before), d.running.groups(running), d.after.groups(after)});
        left -= done;
        before += done * d.copying.each;
      }
    constexpr double kMissing = 10.0;  // a slope back to where all is done
    return before + running + after + kMissing * best_ * left / groups_;
  }

  double groups_, merge_, best_;
  std::vector<Device> devices_;
};

/// Where slices cost more that begin or end within a row, or are few: every plan is tried. For a handful of devices and
/// groups. Precondition: all devices are eligible.
class EveryPlan {
 public:
  explicit EveryPlan(const PartitionRequest& request)
      : request_(request), costs_(request), best_(best_whole_seconds(request)) {}
  double seconds() {
    std::vector<std::uint32_t> order(request_.devices.size());
    std::iota(order.begin(), order.end(), 0u);
    do place(order, 0, 0, {}, 0);
    while (std::next_permutation(order.begin(), order.end()));
    return best_;
  }

 private:
  void place(const std::vector<std::uint32_t>& order, std::size_t k, std::uint64_t at, SlowestPhases slowest,
             int slices) {
    if (at == request_.groups) {
      best_ = std::min(best_, slowest.seconds() + (slices > 1 ? request_.split_seconds : 0.0));
      return;
    }
    if (k == order.size() || slowest.seconds() >= best_) return;
    for (std::uint64_t end = at; end <= request_.groups; ++end) {
      SlowestPhases with = slowest;
      with.add(costs_.of(order[k], {at, end}));
      place(order, k + 1, end, with, slices + (end > at ? 1 : 0));
    }
  }
  const PartitionRequest& request_;
  PhaseCosts costs_;
  double best_;
};

}  // namespace skmd::domain::test

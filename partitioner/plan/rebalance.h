// SPDX-License-Identifier: Apache-2.0
// Whether a launch that is running is to be stopped because one of its slices takes much longer than was planned, while
// another device has nothing to do: what is left is then divided anew over all of them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace skmd::domain {

/// One device, and its part in a launch that is running.
struct RunningPart {
  // Of its slice; zeros of a device that has none, or of which it has ended:
  std::uint64_t left = 0;          // groups that are not known to have run
  std::uint64_t timed = 0;         // groups whose time is known
  double timed_seconds = 0.0;      // that these took
  std::uint64_t groups = 0;        // of the slice
  double seconds = 0.0;            // since it was submitted
  double predicted_seconds = 0.0;  // of the slice when the launch was planned; 0: nothing was predicted
  bool stoppable = false;          // it can be stopped
  double stop_seconds = 0.0;       // from the request until the device is free
  // Of a device without groups that are left:
  bool took_part = false;          // it had a slice
  double groups_per_second = 0.0;  // expected of it; 0: not known, it gets nothing
  // For groups that are left on another device:
  double fixed_seconds = 0.0;  // until it can begin, since bytes have to move
};

struct RebalanceRule {
  unsigned before = 0;        // how often the launch was rebalanced
  double seconds = 0.0;       // that the launch has taken so far
  double cost_seconds = 0.0;  // that dividing it anew takes, beside stops and moves
  bool may_split = true;      // what is left may be divided; otherwise one device gets all of it
};

/// What rebalancing would be worth, in seconds from now on.
struct Rebalanced {
  double as_it_is = 0.0;  // until the launch ends without it
  double anew = 0.0;      // and with it, costs included
  double cost = 0.0;      // of these: what stops, moves and the new division take
};

/// Groups per second that the device is expected to run of what is left to it: as it ran those whose time is known, or
/// as predicted, or slower if it has taken longer than that; 0: nothing can be said.
double expected_rate(const RunningPart& part);

/// Seconds until the device is expected to have run what is left to it; 0: it has; nothing: nothing can be said.
std::optional<double> expected_seconds(const RunningPart& part);

/// Set if the launch is to be stopped: some device has nothing to do, the slice that ends last is slow
/// (tuning::kSlowSlice), and the gain is worth the cost. Does not allocate.
std::optional<Rebalanced> rebalance(std::span<const RunningPart> parts, const RebalanceRule& rule);

}  // namespace skmd::domain

// SPDX-License-Identifier: Apache-2.0
// Compares the times of launches with those predicted for the best single device: sets the budget for exploration, and
// bars splits that lose.
#pragma once

#include <cstdint>

#include "partitioner/plan/partition.h"

namespace skmd::domain {

/// A hash of a plan's slices: fold over them, starting with 0. Different plans may, rarely, collide.
std::uint64_t plan_id(std::uint64_t before, const Slice& slice);

/// A launch that ended well.
struct LaunchOutcome {
  std::uint64_t kernel = 0;  // as in samples
  NdRange range;
  double alone_seconds = 0.0;  // Plan::alone_seconds
  double seconds = 0.0;        // measured: split, from decision to results; whole, on its device or more; 0: not known
  bool split = false;
  bool exploring = false;        // Plan::exploring
  std::uint64_t first_uses = 0;  // bit d: device d may have compiled
  double round_seconds = 0.0;    // Plan::alone_round_seconds; 0: no more than alone_seconds
  std::uint64_t plan = 0;        // tells plans apart (plan_id()); 0: not known
  std::uint64_t devices = 0;     // bit d: device d was eligible
};

/// Of the launches of one kernel in one size class. Not thread-safe.
class LaunchLedger {
 public:
  void add(const LaunchOutcome& outcome);
  /// To be called when a device has become faster or slower: lifts the bar on splits, and counts the change. add()
  /// lifts it, too, when a device has become eligible: the splits that lost were without it.
  void devices_changed();
  [[nodiscard]] Experience experience() const;

 private:
  void lift_bar();

  std::uint64_t launches_ = 0;
  std::uint64_t devices_ = 0;  // that were ever eligible
  double seconds_ = 0.0;
  double lost_seconds_ = 0.0;
  std::uint64_t last_plan_ = 0;
  std::uint32_t arrivals_ = 0;      // launches in a row of which each had another plan
  std::uint32_t lost_ = 0;          // splits in a row that took longer than one device would have
  double saved_seconds_ = 0.0;      // by the last splits over one device, older ones counting less; below 0: lost
  std::uint64_t barred_until_ = 0;  // launch
  std::uint64_t next_bar_ = 0;      // launches
  unsigned changes_ = 0;
  bool on_trial_ = false;  // splits were taken back, and one is tried again
};

/// Seconds by which the launch took longer than predicted for one device, capped so that a pause of the machine does
/// not count in full; 0 if it was not split, did not take longer, or if the prediction is not known.
double lost_seconds(const LaunchOutcome& outcome);

}  // namespace skmd::domain

// SPDX-License-Identifier: Apache-2.0
// What launches took against what the best single device would have taken: pays for finding out, and takes back splits
// that lose.
#pragma once

#include <cstdint>

#include "partitioner/partition.h"

namespace skmd::domain {

/// Differs, but for once in a long while, where slices do: fold over them, from 0.
std::uint64_t plan_id(std::uint64_t before, const Slice& slice);

/// A launch that ended well.
struct Outcome {
  std::uint64_t kernel = 0;  // as in samples
  NdRange range;
  double alone_seconds = 0.0;  // Plan::alone_seconds
  double seconds = 0.0;        // measured from decision to results; only of split launches
  bool split = false;
  bool exploring = false;        // Plan::exploring
  std::uint64_t first_uses = 0;  // bit d: device d may have compiled
  double round_seconds = 0.0;    // Plan::alone_round_seconds; 0: no more than alone_seconds
  std::uint64_t plan = 0;        // tells plans apart (plan_id()); 0: not known
};

/// Of one kernel and about one size.
class LaunchLedger {
 public:
  void add(const Outcome& outcome);
  /// Splits lost because a device is slower than it was, or would no longer: what was found out about them is void.
  void devices_changed();
  [[nodiscard]] Experience experience() const;

 private:
  std::uint64_t launches_ = 0;
  double seconds_ = 0.0;
  double lost_seconds_ = 0.0;
  std::uint64_t last_plan_ = 0;
  std::uint32_t arrivals_ = 0;      // launches in a row of which each had another plan
  std::uint32_t lost_ = 0;          // splits in a row that took longer than one device would have
  std::uint64_t barred_until_ = 0;  // launch
  std::uint64_t next_bar_ = 0;      // launches
  unsigned changes_ = 0;
  bool on_trial_ = false;  // splits were taken back, and one is tried again
};

/// Seconds by which the launch took longer than predicted for one device, made harmless where the machine stood still;
/// 0 if it did not or nobody knows.
double lost_seconds(const Outcome& outcome);

}  // namespace skmd::domain

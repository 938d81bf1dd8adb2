// SPDX-License-Identifier: Apache-2.0
// What launches took against what the best single device would have taken: pays for finding out, and takes back splits
// that lose.
#pragma once

#include <cstdint>

#include "partitioner/partition.h"

namespace skmd::domain {

/// A launch that ended well.
struct Outcome {
  std::uint64_t kernel = 0;  // as in samples
  NdRange range;
  double alone_seconds = 0.0;  // Plan::alone_seconds
  double seconds = 0.0;        // measured from decision to results; only of split launches
  bool split = false;
  bool exploring = false;        // Plan::exploring
  std::uint64_t first_uses = 0;  // bit d: device d may have compiled
};

/// Of one kernel and about one size.
class LaunchLedger {
 public:
  void add(const Outcome& outcome);
  [[nodiscard]] Experience experience() const;

 private:
  std::uint64_t launches_ = 0;
  double seconds_ = 0.0;
  double lost_seconds_ = 0.0;
  std::uint32_t lost_ = 0;          // splits in a row that took longer than one device would have
  std::uint64_t barred_until_ = 0;  // launch
  std::uint64_t next_bar_ = 0;      // launches
  bool on_trial_ = false;           // splits were taken back, and one is tried again
};

/// Seconds by which the launch took longer than predicted for one device, made harmless where the machine stood still;
/// 0 if it did not or nobody knows.
double lost_seconds(const Outcome& outcome);

}  // namespace skmd::domain

// SPDX-License-Identifier: Apache-2.0
// Finding out what devices can do with a kernel, at a cost that is bounded in time.
#pragma once

#include "partitioner/finish_lines.h"
#include "partitioner/prediction.h"

namespace skmd::domain {

inline constexpr double kLeastGain = 0.05;   // of the launch's time: less is not worth finding out
inline constexpr double kLeastError = 0.01;  // a split must win by so much, however well devices are known
inline constexpr double kAtStake = 0.5;      // of what launches would have gained so far, for finding out

struct Exploration {
  struct Probe {
    std::uint32_t device = 0;
    std::uint64_t groups = 0;
  };
  std::vector<Probe> probes;           // slices to learn from, in the next launch
  std::vector<std::uint32_t> unknown;  // devices whose rates say too little yet for a split, in that order
  bool wanted = false;                 // there is something to find out, now or when it can be afforded
};

/// What joining the results of a split costs, asked for at most once.
class Joining {
 public:
  explicit Joining(const PartitionRequest& request) : request_(request) {}
  double seconds() {
    if (!known_) known_ = request_.joining_seconds ? request_.joining_seconds() : 0.0;
    return *known_;
  }

 private:
  const PartitionRequest& request_;
  std::optional<double> known_;
};

/// What is known of the device comes from former processes or other machines, and may be far from the truth.
bool is_doubted(const PartitionRequest& request, const DeviceModel& model);

/// `lines`: of all measured devices.
///
/// The first slice of a device is so short that one a thousand times slower ends with the launch. The next ones are as
/// long as pays if longer slices are no slower per group, and at most so many times as long as the last one: a
/// measurement of a short span has overheads in it, so that its rate is a lower bound. Where that no longer asks for
/// longer slices, the device is known. None is explored unless it could shorten the launch clearly even if it were
/// several times as fast as it looks, and unless what that may cost is small beside what the kernel's launches took so
/// far. A device of which only former processes or other machines tell, with a large error, is looked into likewise
/// where plans leave it out and it may be better than they know.
Exploration explore(const PartitionRequest& request, const Alone& alone, FinishLines lines, Joining& joining);

}  // namespace skmd::domain

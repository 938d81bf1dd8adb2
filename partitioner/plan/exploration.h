// SPDX-License-Identifier: Apache-2.0
// Exploration: measuring devices on which a kernel's rate is not known, at a bounded cost.
#pragma once

#include "partitioner/plan/completion_curves.h"
#include "partitioner/plan/prediction.h"

namespace skmd::domain {

struct Exploration {
  struct Probe {
    std::uint32_t device = 0;
    std::uint64_t groups = 0;
  };
  std::vector<Probe> probes;           // exploring slices of the next launch
  std::vector<std::uint32_t> unknown;  // not known well enough for a split, in the order of exploring
  bool wanted = false;                 // exploration remains, now or when it can be afforded
};

/// PartitionRequest::joining_seconds, called at most once. Not thread-safe.
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

/// True if the model comes from former processes or other machines and has a large relative error.
bool is_doubted(const PartitionRequest& request, const DeviceModel& model);

/// `lines`: of all measured devices.
///
/// The first slice of a device is so short that a device a thousand times slower than the best still ends with the
/// launch. The next slices are as long as pays if longer ones are no slower per group, with limited growth: the rate of
/// a short span contains overheads and is a lower bound. When no longer slice is needed, the device is known. A device
/// is explored only if it could shorten the launch clearly when it is several times as fast as it seems, and if the
/// cost is small compared with the time of the kernel's launches so far. A device with a doubted model (is_doubted())
/// is explored likewise where plans leave it out and it may be faster than predicted.
Exploration explore(const PartitionRequest& request, const Alone& alone, CompletionCurves lines, Joining& joining);

}  // namespace skmd::domain

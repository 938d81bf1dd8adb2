// SPDX-License-Identifier: Apache-2.0
// What rounds of an application took in former processes, with one kind of launch whole on one device. They wait in the
// profile database among the samples, as samples of the form kRoundsForm.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "partitioner/base/nd_range.h"
#include "partitioner/model/stored_model.h"

namespace skmd::domain {

struct FormerRounds {
  double seconds = 0.0;       // of a round, the median
  double total = 0.0;         // rounds that were measured
  double of_one = 0.0;        // rounds of a process, in the mean
  bool by_themselves = true;  // they held no other launch
};

/// Whether a process that has measured so many rounds of a launch on a device keeps what they take: at the first few,
/// and whenever there are twice as many.
bool keeps_rounds(std::uint64_t rounds);

/// From samples of kRoundsForm, of which the newest count: those of launches of `range` that were measured on this
/// machine on a device with this key. Empty where there are none. Pure.
std::optional<FormerRounds> former_rounds(std::span<const StoredSample> samples, const DeviceKey& device,
                                          const NdRange& range);

}  // namespace skmd::domain

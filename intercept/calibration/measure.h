// SPDX-License-Identifier: Apache-2.0
// One device or one link, measured in a given time.
#pragma once

#include <functional>
#include <string>

#include "intercept/backend/vendor/link_probe.h"
#include "intercept/calibration/probe.h"
#include "partitioner/model/calibration.h"

namespace skmd::icd::calibration {

/// Time and memory that a measurement may take. It may take longer: each value is measured at least once.
struct Effort {
  Clock clock;
  double seconds = 1.0;
  std::uint64_t most_bytes = 0;        // of a read or a transfer
  std::uint64_t step = 2;              // from one size to the next
  std::function<void()> tick = [] {};  // called every now and then
};

/// All but the key, `host_cores`, commit and date. The probe is prepared here.
domain::Result<domain::DeviceCalibration> measure_device(DeviceProbe& probe, const Effort& effort);

/// `direct`, `pinned` and `staged`, where the probe has them. The probe is prepared for `effort.most_bytes`.
domain::Result<domain::LinkCalibration> measure_link(LinkProbe& probe, domain::Direction direction,
                                                     const Effort& effort);

/// The way that moves large transfers fastest.
ProbedTransfer best_way(const domain::LinkCalibration& link, std::uint64_t bytes);

/// Work that two threads do at the same time; returns the bytes it moved.
using Contender = std::function<domain::Result<double>()>;
struct Together {
  double first_per_second = 0.0, second_per_second = 0.0;  // bytes
};
/// Each again and again for `seconds`; `second` on a thread of its own.
domain::Result<Together> measure_together(const Contender& first, const Contender& second, const Clock& clock,
                                          double seconds);

}  // namespace skmd::icd::calibration

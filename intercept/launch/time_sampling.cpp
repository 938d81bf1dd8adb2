// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/time_sampling.h"

#include <algorithm>

#include "intercept/launch/decision_constants.h"

namespace skmd::icd {

using namespace tuning;

bool TimeSampling::due(double seconds) {
  const std::uint32_t before = launches_.fetch_add(1, std::memory_order_relaxed);
  if (before < kFirstTimed) return true;
  if (std::uint32_t wanted = wanted_.load(std::memory_order_relaxed); wanted != 0) {
    wanted_.compare_exchange_strong(wanted, wanted - 1, std::memory_order_relaxed);
    return true;
  }
  const double each = seconds > 0
                          ? std::clamp(kTimingSeconds / (kTimingPart * seconds), kOftenestTimed, kSeldomestTimed)
                          : kOftenestTimed;
  return before % static_cast<std::uint32_t>(each) == 0;
}

bool TimeSampling::may_wait() {
  return waits_.load(std::memory_order_relaxed) < kMaxWaits &&
         waits_.fetch_add(1, std::memory_order_relaxed) < kMaxWaits;
}

}  // namespace skmd::icd

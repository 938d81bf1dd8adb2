// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/time_sampling.h"

#include <algorithm>

namespace skmd::icd {

bool TimeSampling::due(double seconds) {
  constexpr std::uint32_t kFirst = 8;
  constexpr double kFewest = 32;
  constexpr double kMax = 1024;
  constexpr double kTiming = 20e-6;  // a batch on a queue with profiling, and the way there and back
  constexpr double kPart = 0.02;     // of what the launches take
  const std::uint32_t before = launches_.fetch_add(1, std::memory_order_relaxed);
  if (before < kFirst) return true;
  if (std::uint32_t wanted = wanted_.load(std::memory_order_relaxed); wanted != 0) {
    wanted_.compare_exchange_strong(wanted, wanted - 1, std::memory_order_relaxed);
    return true;
  }
  const double each = seconds > 0 ? std::clamp(kTiming / (kPart * seconds), kFewest, kMax) : kFewest;
  return before % static_cast<std::uint32_t>(each) == 0;
}

bool TimeSampling::may_wait() {
  constexpr std::uint32_t kMax = 16;
  return waits_.load(std::memory_order_relaxed) < kMax && waits_.fetch_add(1, std::memory_order_relaxed) < kMax;
}

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// What a shape's launches may spend on finding out: looking at plans, exploring, and asking drivers for times.
#include "intercept/launch/launch_shape.h"

#include <algorithm>

namespace skmd::icd {

bool LaunchShape::may_look(double seconds, double look) {
  const MutexGuard lock(mutex_);
  budget_.launched(seconds);
  ++launches_followed_;
  if (!budget_.affords(look)) return false;
  budget_.spend(look);
  return true;
}

std::uint64_t LaunchShape::launches_followed() {
  const MutexGuard lock(mutex_);
  return launches_followed_;
}

bool LaunchShape::affords(double seconds) {
  const MutexGuard lock(mutex_);
  return budget_.affords(seconds);
}

bool LaunchShape::affords_first(double seconds, double launch) {
  const MutexGuard lock(mutex_);
  return budget_.affords_first(seconds, launch);
}

void LaunchShape::spend(double seconds) {
  const MutexGuard lock(mutex_);
  budget_.spend(seconds);
}

bool LaunchShape::due_for_times(double seconds) {
  constexpr std::uint32_t kFirst = 8;
  constexpr double kFewest = 32;
  constexpr double kMax = 1024;
  constexpr double kTiming = 20e-6;  // a batch on a queue with profiling, and the way there and back
  constexpr double kPart = 0.02;     // of what the launches take
  const std::uint32_t before = launches_.fetch_add(1, std::memory_order_relaxed);
  if (before < kFirst) return true;
  if (std::uint32_t wanted = rounds_wanted_.load(std::memory_order_relaxed); wanted != 0) {
    rounds_wanted_.compare_exchange_strong(wanted, wanted - 1, std::memory_order_relaxed);
    return true;
  }
  const double each = seconds > 0 ? std::clamp(kTiming / (kPart * seconds), kFewest, kMax) : kFewest;
  return before % static_cast<std::uint32_t>(each) == 0;
}

bool LaunchShape::may_wait_for_times() {
  constexpr std::uint32_t kMax = 16;
  return waits_.load(std::memory_order_relaxed) < kMax && waits_.fetch_add(1, std::memory_order_relaxed) < kMax;
}

}  // namespace skmd::icd

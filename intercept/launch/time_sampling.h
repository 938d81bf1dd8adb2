// SPDX-License-Identifier: Apache-2.0
// Which launches of one shape are timed. A driver may need several microseconds for the times of a batch.
#pragma once

#include <atomic>
#include <cstdint>

namespace skmd::icd {

/// Thread-safe.
class TimeSampling {
 public:
  /// Called once for each launch, which is predicted to take `seconds` (0: not known): whether its times are worth
  /// having for the model. True for the first few, then now and then, the more rarely the shorter the launch.
  bool due(double seconds);
  /// Whether one more launch may wait for the times of those before it: a few may, since some devices tell no times.
  bool may_wait();
  /// The next `launches` are to be timed.
  void want(std::uint32_t launches) { wanted_.store(launches, std::memory_order_relaxed); }

  /// Goes on counting where `before` is. Precondition: no other thread has this one yet.
  void inherit(const TimeSampling& before) { launches_ = before.launches_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint32_t> launches_{0};
  std::atomic<std::uint32_t> waits_{0};
  std::atomic<std::uint32_t> wanted_{0};  // launches, by want()
};

}  // namespace skmd::icd

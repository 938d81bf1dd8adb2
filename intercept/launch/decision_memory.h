// SPDX-License-Identifier: Apache-2.0
// What was decided of the launches of one shape.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>

#include "intercept/launch/decision.h"
#include "partitioner/base/mutex.h"
#include "partitioner/model/round_times.h"

namespace skmd::icd {

/// Thread-safe.
class DecisionMemory {
 public:
  /// The last decision, if there was one; `basis`, if given, is set to what it rested on.
  [[nodiscard]] std::shared_ptr<const Decision> last(DecisionBasis* basis) const;
  void remember(std::shared_ptr<const Decision> decision, const DecisionBasis& basis);
  /// A launch follows the last decision, or will be decided anew.
  void count_launch() { launches_.fetch_add(1, std::memory_order_relaxed); }
  /// Calls of count_launch() since the last remember().
  [[nodiscard]] std::uint64_t launches() const { return launches_.load(std::memory_order_relaxed); }

  /// Whether this launch may ask which devices it misses: some of the shape's first ones, but not the very first.
  bool asks_for_devices();

  /// The last decision for these devices, except those that explore; null: there was none.
  [[nodiscard]] std::shared_ptr<const Decision> followed(domain::RoundTimes::Devices devices) const;

  /// True at the first call for these devices.
  bool is_first(domain::RoundTimes::Devices devices);
  /// The next call of begun() returns `split` (postponed_split.h).
  void postpone(std::shared_ptr<const Decision> split);
  /// The split that begins with this launch, once for each that was postponed; null: there is none.
  [[nodiscard]] std::shared_ptr<const Decision> begun();

  /// The decision for all launches of the shape, which lives as long as this: null until there is one. The first that
  /// is kept stays, and is returned.
  [[nodiscard]] std::shared_ptr<const Decision> standing() const;
  std::shared_ptr<const Decision> keep_standing(std::shared_ptr<const Decision> decision);

  /// Takes over followed() and is_first() of `before`. Precondition: no other thread has this one yet.
  void inherit(const DecisionMemory& before) SKMD_NOT_ANALYSED;  // no other thread has this one yet

 private:
  mutable Mutex mutex_{LockRank::decision_memory};
  std::shared_ptr<const Decision> decision_ SKMD_GUARDED_BY(mutex_);
  DecisionBasis basis_ SKMD_GUARDED_BY(mutex_);
  // The last one of each plan.
  std::map<domain::RoundTimes::Devices, std::shared_ptr<const Decision>> followed_ SKMD_GUARDED_BY(mutex_);
  std::set<domain::RoundTimes::Devices> split_before_ SKMD_GUARDED_BY(mutex_);
  std::shared_ptr<const Decision> begins_ SKMD_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> launches_{0};
  std::atomic<std::uint32_t> asked_{0};             // calls of asks_for_devices() so far, up to the last that counts
  std::atomic<const Decision*> standing_{nullptr};  // decision_, once it is to stay
};

}  // namespace skmd::icd

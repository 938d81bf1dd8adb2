// SPDX-License-Identifier: Apache-2.0
// Which launches of the process make up rounds (SharedRounds), for launches of all queues.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <vector>

#include "partitioner/base/mutex.h"
#include "partitioner/model/shared_rounds.h"

namespace skmd::icd {

/// Thread-safe. Where launches of several queues mix, rounds hold what was launched meanwhile.
class RoundRoles {
 public:
  using Role = domain::SharedRounds::Role;
  /// A launch's part in its round.
  struct Part {
    Role role = Role::none;
    std::vector<domain::RoundTimes::Candidate> candidates = {};  // of a leader
    std::optional<domain::SharedRounds::Devices> bound = {};     // of a follower
  };

  /// As SharedRounds::launched(). One atomic load in a process without such rounds.
  Part launched(std::uint64_t shape, bool begins, std::span<const domain::AloneBounds> alone_bounds) {
    if (!begins && !has_leader_.load(std::memory_order_relaxed)) return {};
    const MutexGuard lock(mutex_);
    Part part;
    part.role = rounds_.launched(shape, begins, alone_bounds);
    has_leader_.store(rounds_.has_leader(), std::memory_order_relaxed);
    if (part.role == Role::leader) part.candidates = rounds_.candidates();
    if (part.role == Role::follower) part.bound = rounds_.bound();
    return part;
  }
  /// As SharedRounds::led().
  void led(domain::SharedRounds::Devices plan, bool told) {
    const MutexGuard lock(mutex_);
    rounds_.led(plan, told);
  }
  /// As SharedRounds::release().
  void release() {
    const MutexGuard lock(mutex_);
    rounds_.release();
  }

 private:
  std::atomic<bool> has_leader_{false};
  Mutex mutex_{LockRank::round_roles};
  domain::SharedRounds rounds_ SKMD_GUARDED_BY(mutex_);
};

}  // namespace skmd::icd

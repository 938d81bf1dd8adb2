// SPDX-License-Identifier: Apache-2.0
// Work-groups of one slice that were stopped inside, or have ended before groups in front of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "partitioner/base/mutex.h"

namespace skmd::icd {

/// Shared by the batches of a slice, on whichever device they run. Thread-safe.
class SavedGroups {
 public:
  /// What a group goes on from (compiler/yield/schema.h); without words: it has ended.
  struct State {
    std::uint64_t schema = 0;  // of the code that it was kept by
    std::vector<std::uint32_t> words;
    std::vector<std::byte> local;
  };

  /// Takes out what there is of the launch's group.
  std::optional<State> take(std::uint64_t group) {
    const MutexGuard lock(mutex_);
    const auto found = groups_.find(group);
    if (found == groups_.end()) return std::nullopt;
    State state = std::move(found->second);
    groups_.erase(found);
    if (!state.words.empty()) --stopped_, ++resumed_;
    return state;
  }
  void put(std::uint64_t group, State state) {
    const MutexGuard lock(mutex_);
    const bool stopped = !state.words.empty();
    const std::uint64_t bytes = state.words.size() * 4 + state.local.size();
    groups_.insert_or_assign(group, std::move(state));
    if (stopped) ++stopped_, ++saved_;
    state_bytes_ = std::max(state_bytes_, bytes);
  }
  /// All there are, ascending, with copies of their states.
  [[nodiscard]] std::map<std::uint64_t, State> all() const {
    const MutexGuard lock(mutex_);
    return groups_;
  }
  /// Groups that were stopped inside, and have not gone on.
  [[nodiscard]] std::uint64_t stopped() const {
    const MutexGuard lock(mutex_);
    return stopped_;
  }
  struct Counts {
    std::uint64_t saved = 0, resumed = 0;  // groups that were stopped inside, and that went on; each time counts
    std::uint64_t state_bytes = 0;         // of the largest state of a group
  };
  [[nodiscard]] Counts counts() const {
    const MutexGuard lock(mutex_);
    return {saved_, resumed_, state_bytes_};
  }
  /// Whether code of `schema` can go on with all of them.
  [[nodiscard]] bool fit(std::uint64_t schema) const {
    const MutexGuard lock(mutex_);
    for (const auto& [group, state] : groups_)
      if (!state.words.empty() && state.schema != schema) return false;
    return true;
  }

 private:
  mutable Mutex mutex_;
  std::map<std::uint64_t, State> groups_ SKMD_GUARDED_BY(mutex_);
  std::uint64_t stopped_ SKMD_GUARDED_BY(mutex_) = 0, saved_ SKMD_GUARDED_BY(mutex_) = 0,
                         resumed_ SKMD_GUARDED_BY(mutex_) = 0, state_bytes_ SKMD_GUARDED_BY(mutex_) = 0;
};

}  // namespace skmd::icd

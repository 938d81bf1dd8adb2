// SPDX-License-Identifier: Apache-2.0
// Work-groups of one slice that were stopped inside, or have ended before groups in front of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "partitioner/base/mutex.h"

namespace skmd::icd {

/// What several states were made of at once, by the backend that keeps them (SavedGroups::put_later).
class SavedTogether {
 public:
  SavedTogether() = default;
  SavedTogether(const SavedTogether&) = delete;
  SavedTogether& operator=(const SavedTogether&) = delete;
  virtual ~SavedTogether() = default;
};

/// Shared by the batches of a slice, on whichever device they run. Thread-safe.
class SavedGroups {
 public:
  /// What a group goes on from (compiler/yield/schema.h); without words: it has ended.
  struct State {
    std::uint64_t schema = 0;  // of the code that it was kept by
    std::vector<std::uint32_t> words;
    std::vector<std::byte> local;
  };

  /// Whether there is anything of the launch's groups from `first` to in front of `last`.
  [[nodiscard]] bool holds(std::uint64_t first, std::uint64_t last) const {
    const MutexGuard lock(mutex_);
    return groups_.lower_bound(first) != groups_.lower_bound(last) || any_ended(first, last);
  }
  /// Takes out what there is of the launch's group. Throws std::bad_alloc; then the group may be gone.
  std::optional<State> take(std::uint64_t group) {
    Kept kept;
    {
      const MutexGuard lock(mutex_);
      const auto found = groups_.find(group);
      if (found == groups_.end()) return any_ended(group, group + 1) ? std::optional(State{}) : std::nullopt;
      kept = std::move(found->second);
      groups_.erase(found);
      if (kept.stopped()) --stopped_, ++resumed_;
    }
    return kept.make ? kept.make() : std::move(kept.state);
  }
  /// Work-items of groups that were put there left their device because they trap.
  void add_left_items(std::uint64_t items) {
    const MutexGuard lock(mutex_);
    left_items_ += items;
  }
  [[nodiscard]] std::uint64_t left_items() const {
    const MutexGuard lock(mutex_);
    return left_items_;
  }
  void put(std::uint64_t group, State state) {
    const std::uint64_t bytes = state.words.size() * 4 + state.local.size();
    keep(group, {std::move(state), {}}, bytes);
  }
  /// The same of a state of `bytes` bytes that is made only when it is read: `make` is called on the thread that reads,
  /// and gives the state each time. `together`: what take_together() finds it by. Precondition: the state has words.
  void put_later(std::uint64_t group, std::uint64_t schema, std::uint64_t bytes, std::function<State()> make,
                 std::shared_ptr<const SavedTogether> together = nullptr) {
    keep(group, {{schema, {}, {}}, std::move(make), std::move(together)}, bytes);
  }
  /// What the launch's group was put with; null: nothing, or there is none.
  [[nodiscard]] std::shared_ptr<const SavedTogether> together(std::uint64_t group) const {
    const MutexGuard lock(mutex_);
    const auto found = groups_.find(group);
    return found == groups_.end() ? nullptr : found->second.together;
  }
  /// Whether the launch's group was stopped inside, and has not gone on.
  [[nodiscard]] bool is_stopped(std::uint64_t group) const {
    const MutexGuard lock(mutex_);
    const auto found = groups_.find(group);
    return found != groups_.end() && found->second.stopped();
  }
  /// Takes out all there is of the groups from `first` to in front of `last`, without their states, if the groups in
  /// there that were stopped inside are `count` and were all put with `together`, and end_others() named none of them.
  /// False, and nothing happens, if not.
  bool take_together(const SavedTogether& together, std::uint64_t first, std::uint64_t last, std::uint64_t count) {
    const MutexGuard lock(mutex_);
    const auto begin = groups_.lower_bound(first), end = groups_.lower_bound(last);
    std::uint64_t found = 0;
    for (auto at = begin; at != end; ++at) {
      if (!at->second.stopped()) continue;
      if (at->second.together.get() != &together) return false;
      ++found;
    }
    if (found != count || any_ended(first, last)) return false;
    stopped_ -= count, resumed_ += count;
    groups_.erase(begin, end);
    return true;
  }
  /// The groups from `first` to in front of `last` of which nothing is kept have ended. all() leaves them out.
  void end_others(std::uint64_t first, std::uint64_t last) {
    const MutexGuard lock(mutex_);
    ended_.emplace_back(first, last);
  }
  /// All there are, ascending, with copies of their states.
  [[nodiscard]] std::map<std::uint64_t, State> all() const {
    std::map<std::uint64_t, State> states;
    const MutexGuard lock(mutex_);
    for (const auto& [group, kept] : groups_) states.emplace(group, kept.make ? kept.make() : kept.state);
    return states;
  }
  /// Those that were stopped inside, and have not gone on: their numbers, ascending.
  [[nodiscard]] std::vector<std::uint64_t> stopped_groups() const {
    const MutexGuard lock(mutex_);
    std::vector<std::uint64_t> numbers;
    for (const auto& [group, kept] : groups_)
      if (kept.stopped()) numbers.push_back(group);
    return numbers;
  }
  /// By which code the first one of them was kept; nothing if there is none.
  [[nodiscard]] std::optional<std::uint64_t> schema() const {
    const MutexGuard lock(mutex_);
    for (const auto& [group, kept] : groups_)
      if (kept.stopped()) return kept.state.schema;
    return std::nullopt;
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
    for (const auto& [group, kept] : groups_)
      if (kept.stopped() && kept.state.schema != schema) return false;
    return true;
  }

 private:
  struct Kept {
    State state;                  // with `make`, only the schema
    std::function<State()> make;  // empty: `state` is whole
    std::shared_ptr<const SavedTogether> together = {};
    [[nodiscard]] bool stopped() const { return make || !state.words.empty(); }
  };

  void keep(std::uint64_t group, Kept kept, std::uint64_t bytes) {
    const bool stopped = kept.stopped();
    const MutexGuard lock(mutex_);
    groups_.insert_or_assign(group, std::move(kept));
    if (stopped) ++stopped_, ++saved_;
    state_bytes_ = std::max(state_bytes_, bytes);
  }

  /// Whether end_others() named one of the groups from `first` to in front of `last`.
  [[nodiscard]] bool any_ended(std::uint64_t first, std::uint64_t last) const SKMD_REQUIRES(mutex_) {
    return std::any_of(ended_.begin(), ended_.end(),
                       [=](const auto& span) { return span.first < last && first < span.second; });
  }

  mutable Mutex mutex_{LockRank::saved_groups};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ended_ SKMD_GUARDED_BY(mutex_);
  std::map<std::uint64_t, Kept> groups_ SKMD_GUARDED_BY(mutex_);
  std::uint64_t stopped_ SKMD_GUARDED_BY(mutex_) = 0, saved_ SKMD_GUARDED_BY(mutex_) = 0,
                         resumed_ SKMD_GUARDED_BY(mutex_) = 0, state_bytes_ SKMD_GUARDED_BY(mutex_) = 0,
                         left_items_ SKMD_GUARDED_BY(mutex_) = 0;
};

}  // namespace skmd::icd

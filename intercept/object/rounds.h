// SPDX-License-Identifier: Apache-2.0
// Whether an application fills a buffer anew before each launch that uses it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace skmd::icd {

/// Of one root. Thread-safe; where commands run beside each other the answer may be that of either order.
class Rounds {
 public:
  void wrote(std::uint64_t bytes) {
    const std::uint32_t launches = launches_.exchange(0, std::memory_order_relaxed);
    if (launches > kMostLaunches)
      rounds_.store(0, std::memory_order_relaxed);
    else if (launches != 0)
      rounds_.store(std::min(rounds_.load(std::memory_order_relaxed) + 1, kRounds), std::memory_order_relaxed);
    written_.fetch_add(bytes, std::memory_order_relaxed);
  }
  /// `bytes`: of the whole root. A launch of a root of which less than half was written ends the row of rounds. False:
  /// it is a later launch of a round, for which nothing is written.
  bool launched(std::uint64_t bytes) {
    if (launches_.fetch_add(1, std::memory_order_relaxed) != 0) return !steady();
    if (!most_of(bytes)) rounds_.store(0, std::memory_order_relaxed);
    written_.store(0, std::memory_order_relaxed);
    return true;
  }
  /// There were enough rounds for another one to be expected.
  [[nodiscard]] bool steady() const { return rounds_.load(std::memory_order_relaxed) >= kRounds; }
  [[nodiscard]] bool recurs(std::uint64_t bytes) const {
    return launches_.load(std::memory_order_relaxed) == 0 && steady() && most_of(bytes);
  }

 private:
  static constexpr std::uint32_t kRounds = 2;        // so many in a row, and the next one is expected to follow
  static constexpr std::uint32_t kMostLaunches = 8;  // of a round; after more, what is written is kept for long
  [[nodiscard]] bool most_of(std::uint64_t bytes) const {
    return written_.load(std::memory_order_relaxed) >= bytes - bytes / 2;
  }
  std::atomic<std::uint64_t> written_{0};   // since the last launch
  std::atomic<std::uint32_t> launches_{0};  // since the last write
  std::atomic<std::uint32_t> rounds_{0};
};

}  // namespace skmd::icd

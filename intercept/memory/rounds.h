// SPDX-License-Identifier: Apache-2.0
// Whether an application fills a buffer anew before each launch that uses it, and how often it reads it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "intercept/memory/memory_constants.h"

namespace skmd::icd {

/// Of one root. Thread-safe; where commands run beside each other the answer may be that of either order.
class Rounds {
 public:
  void wrote(std::uint64_t bytes) {
    const std::uint32_t launches = launches_.exchange(0, std::memory_order_relaxed);
    if (launches != 0) per_round_.store(launches, std::memory_order_relaxed);
    if (launches > tuning::kMaxLaunchesOfARound)
      rounds_.store(0, std::memory_order_relaxed);
    else if (launches != 0)
      rounds_.store(std::min(rounds_.load(std::memory_order_relaxed) + 1, tuning::kSteadyRounds),
                    std::memory_order_relaxed);
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
  [[nodiscard]] bool steady() const { return rounds_.load(std::memory_order_relaxed) >= tuning::kSteadyRounds; }
  [[nodiscard]] bool recurs(std::uint64_t bytes) const {
    return launches_.load(std::memory_order_relaxed) == 0 && steady() && most_of(bytes);
  }

  /// Launches of the last round that ended; at least 1.
  [[nodiscard]] std::uint32_t launches_per_round() const { return per_round_.load(std::memory_order_relaxed); }

 private:
  [[nodiscard]] bool most_of(std::uint64_t bytes) const {
    return written_.load(std::memory_order_relaxed) >= bytes - bytes / 2;
  }
  std::atomic<std::uint64_t> written_{0};   // since the last launch
  std::atomic<std::uint32_t> launches_{0};  // since the last write
  std::atomic<std::uint32_t> rounds_{0};
  std::atomic<std::uint32_t> per_round_{1};
};

/// How often the application reads what launches leave in a buffer. Of one root. Thread-safe, like Rounds.
class ReadBacks {
 public:
  void launched() { since_.fetch_add(1, std::memory_order_relaxed); }
  /// A command read `bytes` of a root of `all`. Reads of less than half of it, as of a flag or a sum, do not count.
  /// `copied`: into memory of the application's, as opposed to a mapping.
  void read(std::uint64_t bytes, std::uint64_t all, bool copied) {
    const std::uint32_t launches = since_.load(std::memory_order_relaxed);
    if (launches == 0) return;
    if (bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes < all - all / 2) return;
    bytes_.store(0, std::memory_order_relaxed);
    since_.store(0, std::memory_order_relaxed);
    interval_.store(launches, std::memory_order_relaxed);
    copied_.store(copied, std::memory_order_relaxed);
  }
  /// Of how many launches one is followed by a read, the next launch included; at least 1. Before the first read, that
  /// there is one behind the next launch.
  [[nodiscard]] std::uint32_t launches_per_read() const {
    return std::max(interval_.load(std::memory_order_relaxed), since_.load(std::memory_order_relaxed) + 1);
  }
  /// The last read copied the bytes.
  [[nodiscard]] bool copied() const { return copied_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> bytes_{0};  // read since the last launch that counted
  std::atomic<std::uint32_t> since_{0};  // launches since the last read
  std::atomic<std::uint32_t> interval_{1};
  std::atomic<bool> copied_{false};
};

}  // namespace skmd::icd

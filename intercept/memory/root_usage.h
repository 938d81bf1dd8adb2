// SPDX-License-Identifier: Apache-2.0
// How an application and its launches have used a root so far, and what follows for where its bytes will be wanted.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "intercept/machine/last_user.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/rounds.h"
#include "partitioner/base/byte_ranges.h"
#include "partitioner/base/mutex.h"
#include "partitioner/residency/residency.h"

namespace skmd::icd {

/// Guesses: a wrong one costs time and no byte. Thread-safe.
class RootUsage {
 public:
  /// Of a root of `bytes` bytes. Keeps a reference to `machine`.
  RootUsage(Machine& machine, std::uint64_t bytes) : machine_(machine), bytes_(bytes) {}

  /// Notes where a launch used this root as a whole: a device with memory of its own, or none (host memory, or several
  /// devices).
  void used_on(std::optional<std::uint32_t> device);
  /// The device that is likely to use what is written next: the last one that used_on() named for this root or, if this
  /// root was never used, for any root.
  [[nodiscard]] std::optional<std::uint32_t> likely_user() const;

  /// The last launch that used this root.
  struct LastLaunch {
    std::uint64_t tick = 0;  // DeviceMemory::tick(); 0: none
    std::uint32_t device = 0;
  };
  /// Notes the device of a launch that used this root, or of most of its groups.
  void launched_on(std::uint32_t device, std::uint64_t tick) {
    last_launch_.store(tick * domain::kMaxSpaces + device, std::memory_order_relaxed);
  }
  /// The launch that a next one would follow; none: the application has written or read this root since.
  [[nodiscard]] LastLaunch last_launch() const {
    const std::uint64_t last = last_launch_.load(std::memory_order_relaxed);
    return {last / domain::kMaxSpaces, static_cast<std::uint32_t>(last % domain::kMaxSpaces)};
  }

  /// A write command of the application's wrote `bytes` of this root.
  void rewritten(std::uint64_t bytes) {
    last_launch_.store(0, std::memory_order_relaxed);
    rounds_.wrote(bytes);
  }
  /// A launch that uses this root was submitted. False: it is a later launch of its round, so that what is written next
  /// is not for launches like it.
  bool launched() {
    read_backs_.launched();
    return rounds_.launched(bytes_);
  }
  /// The application has written most of it since the last launch, as it does in every round: where its bytes are now
  /// follows from the last plan, and the next one will have them sent where it wants them.
  [[nodiscard]] bool recurs() const { return rounds_.recurs(bytes_); }
  /// It was so in the last rounds, whether or not this one's launch has been.
  [[nodiscard]] bool steady() const { return rounds_.steady(); }
  /// Launches between two such writes.
  [[nodiscard]] std::uint32_t launches_per_round() const { return rounds_.launches_per_round(); }
  /// A read command or a map of the application's asked for `bytes` of this root. `copied`: into its own memory.
  void read_back(std::uint64_t bytes, bool copied) {
    last_launch_.store(0, std::memory_order_relaxed);
    read_backs_.read(bytes, bytes_, copied);
  }
  [[nodiscard]] const ReadBacks& read_backs() const { return read_backs_; }

  /// What a device needs of this root for its slice of a launch.
  struct Share {
    std::uint32_t device = 0;
    domain::RangeSet ranges;
    bool operator==(const Share&) const = default;
  };
  /// Notes the shares of a split launch; empty: what is written next is not to be sent by shares.
  void shared_by(std::vector<Share> shares);
  /// Notes a launch that ran whole in host memory: likely_shares() is empty from now on.
  void used_in_host_memory();
  /// The shares of the last split launch, if the one before had the same, or if the root is written for every launch;
  /// else empty. Disabled devices are left out.
  [[nodiscard]] std::vector<Share> likely_shares() const;

 private:
  Machine& machine_;
  const std::uint64_t bytes_;
  LastUser user_;
  std::atomic<std::uint64_t> last_launch_{0};  // tick and device
  Rounds rounds_;
  ReadBacks read_backs_;
  mutable Mutex mutex_{LockRank::root_usage};
  std::vector<Share> shares_ SKMD_GUARDED_BY(mutex_);
  bool same_shares_ SKMD_GUARDED_BY(mutex_) = false;  // as those of the launch before
  std::atomic<bool> has_shares_{false};
};

}  // namespace skmd::icd

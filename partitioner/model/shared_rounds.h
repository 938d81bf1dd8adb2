// SPDX-License-Identifier: Apache-2.0
// Launches of several kernels that make up one round of an application are tried on a device, and judged, together: a
// single one that moves takes its bytes away from the others.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "partitioner/model/round_times.h"
#include "partitioner/plan/prediction.h"

namespace skmd::domain {

/// Finds rounds in the row of an application's launches. A round begins with a launch whose inputs the application has
/// written anew (its leader) and ends before the leader's next launch. Pure; not thread-safe.
class SharedRounds {
 public:
  using Devices = RoundTimes::Devices;
  enum class Role : std::uint8_t {
    none,     // of no round that is known
    leader,   // its rounds are measured and judged
    follower  // of the leader's round
  };

  /// To be called once for each launch, before its plan is chosen. `shape`: equal for launches that are alike; not 0.
  /// `begins`: the application has written the launch's inputs anew, as it does in each round. `alone_bounds`: of the
  /// launch.
  Role launched(std::uint64_t shape, bool begins, std::span<const AloneBounds> alone_bounds);
  /// Called behind launched() for a leader: the last round on each device on which all of its launches can run whole.
  /// Followers count without transfers: their inputs are results of the leader's, or of each other. Empty until two
  /// rounds in a row had the same launches, and where rounds of several launches mix.
  [[nodiscard]] std::vector<RoundTimes::Candidate> candidates() const;
  /// The leader of this round follows `plan`. `told`: because of rounds, and not because its launch alone is expected
  /// to be shorter so. On a device to which it was ever told to go its followers run, too: by themselves, short ones
  /// would go back to a device that is faster for them, and take their bytes over the link.
  void led(Devices plan, bool told);
  /// The followers of this round are free after all.
  void release() { bound_.reset(); }
  [[nodiscard]] std::optional<Devices> bound() const { return bound_; }
  /// False: launched() has no role for a launch that does not begin a round.
  [[nodiscard]] bool has_leader() const { return leader_ != 0; }

 private:
  /// The launches of a round. Their memory stays, so that a launch allocates nothing.
  struct Round {
    std::vector<std::vector<AloneBounds>> launches;
    std::uint64_t shapes = 0;  // a hash of them, in their order
    bool mixed = false;        // another launch than the leader began a round
    std::size_t count = 0;
  };

  std::uint64_t leader_ = 0;      // 0: none is known
  Round round_;                   // so far
  Round last_;                    // the one before
  bool alike_ = false;            // it and the one before had the same launches
  std::size_t strange_ = 0;       // launches since the leader's last one
  std::optional<Devices> bound_;  // where the followers of this round run
  Devices told_ = 0;              // single devices to which the leader was told to go
};

}  // namespace skmd::domain

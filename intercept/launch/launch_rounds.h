// SPDX-License-Identifier: Apache-2.0
// How long the application's rounds took under the decisions for one shape.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "intercept/launch/decision.h"
#include "intercept/launch/time_sampling.h"
#include "partitioner/base/mutex.h"
#include "partitioner/model/round_times.h"

namespace skmd::icd {

/// Thread-safe.
class LaunchRounds {
 public:
  using Devices = domain::RoundTimes::Devices;
  /// Keeps a reference to `sampling`, which is asked for times after a change of plan.
  explicit LaunchRounds(TimeSampling& sampling) : sampling_(sampling) {}

  /// Another plan that is to be followed instead of `decision` (RoundTimes::instead_of). `judged_alone`: rounds are
  /// compared for this launch, and not for all launches of its round.
  [[nodiscard]] std::optional<Devices> instead_of(const Decision& decision,
                                                  std::span<const domain::RoundTimes::Candidate> candidates = {},
                                                  const domain::RoundTimes::ChangeOfPlan& change = {},
                                                  bool judged_alone = true);
  /// `changes`: how many times a device was found to have become faster or slower. When it has changed, the times of
  /// earlier rounds are dropped, except where running is a small part of what `last`, the last decision, predicts.
  void devices_changed(unsigned changes, const Decision* last);
  /// Rounds of former processes, as RoundTimes::remember(). The first call counts.
  void remember(std::span<const domain::RoundTimes::Former> former);
  /// remember() was called.
  [[nodiscard]] bool remembers() const { return remembers_.load(std::memory_order_relaxed); }

  /// What a profile database keeps of rounds with the launch whole on one device.
  struct Measured {
    std::uint32_t device = 0;
    double seconds = 0.0;  // the median
    std::uint64_t rounds = 0;
    bool by_themselves = false;  // as of FormerRounds
  };
  /// A launch under `decision` ended at `ns`, nanoseconds of the host's clock; 0: its end is not known. Returns what is
  /// to be kept of its rounds now, if all launches in them ran whole on the same device.
  std::optional<Measured> ended(const Decision& decision, std::uint64_t ns);
  /// A launch followed its decision in part: its round and the next one are not counted.
  void interrupted();

  /// Takes over the rounds of `before`. Precondition: no other thread has this one yet.
  void inherit(const LaunchRounds& before) SKMD_NOT_ANALYSED;  // no other thread has this one yet

 private:
  /// A round under a plan of `devices` was measured. `alike`: all launches in it had that plan. `hopeless`: it ended
  /// the plan's trial.
  std::optional<Measured> count(Devices devices, bool alike, bool hopeless) SKMD_REQUIRES(mutex_);

  TimeSampling& sampling_;
  std::atomic<bool> remembers_{false};
  std::atomic<unsigned> changes_{0};  // of devices, before rounds_ began
  mutable Mutex mutex_{LockRank::launch_rounds};
  domain::RoundTimes rounds_ SKMD_GUARDED_BY(mutex_);
  // Which of all launches that ended was the last one of the shape.
  std::uint64_t last_launch_ SKMD_GUARDED_BY(mutex_) = 0;
  Devices last_devices_ SKMD_GUARDED_BY(mutex_) = 0;
  std::map<Devices, std::uint64_t> counts_ SKMD_GUARDED_BY(mutex_);  // rounds that are kept or will be
};

}  // namespace skmd::icd

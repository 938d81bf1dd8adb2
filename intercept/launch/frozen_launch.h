// SPDX-License-Identifier: Apache-2.0
// A launch with what was worked out for it. Applications enqueue the same launch again and again: its commands share
// one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/range_lock.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

/// Immutable, but for what is made when it is first asked for. Thread-safe.
class FrozenLaunch : public Launch {
 public:
  FrozenLaunch(Machine& machine, Launch launch);

  [[nodiscard]] const LaunchView& view() const { return view_; }
  /// For RangeLock.
  [[nodiscard]] const std::vector<Claim>& claims() const { return claims_; }
  /// True if no device was disabled, stopped or started since, and no build has ended: these change what is eligible.
  [[nodiscard]] bool fits(const Machine& machine) const {
    return losses_ == machine.losses.load(std::memory_order_acquire) &&
           stopped_ == machine.stopped.load(std::memory_order_relaxed) && builds_ended_ == kernel->builds().ended();
  }

  /// A build has ended since on a device that only waited for it: the view's eligibility is out of date.
  [[nodiscard]] bool may_gain_a_device() const {
    return !view_.shape().eligible().pending.empty() && builds_ended_ != kernel->builds().ended();
  }

  /// The ops that run all of it on a device are the same every time.
  [[nodiscard]] bool has_fixed_runs() const { return fixed_runs_; }
  /// These ops, made again where no command has them any more: they own the roots' native objects, which the device may
  /// have to give up for others (DeviceMemory). Preconditions: has_fixed_runs(); the caller holds the roots' ranges as
  /// long as it keeps the ops.
  using FixedRuns = std::shared_ptr<const std::vector<Op>>;
  Result<FixedRuns> fixed_runs(std::uint32_t device) const;

 private:
  struct Runs {
    std::uint32_t device = 0;
    std::weak_ptr<const std::vector<Op>> ops;
  };
  Machine& machine_;
  const std::uint32_t losses_;        // before the view was made
  const std::uint64_t stopped_;       // likewise
  const std::uint32_t builds_ended_;  // likewise
  const LaunchView view_;
  const std::vector<Claim> claims_;
  const bool fixed_runs_;
  mutable Mutex mutex_{LockRank::frozen_launch};
  mutable std::vector<Runs> runs_ SKMD_GUARDED_BY(mutex_);  // one per device that was asked for
};

/// A FrozenLaunch of `launch` whose eligibility is settled: blocks while a build has to end before the launch may start
/// (eligibility.h, wait_for_home() and awaited()), and runs that build on this thread if it has not begun. Where no
/// device is eligible afterwards, the view's eligibility has the reasons. Any thread; no lock may be held.
std::shared_ptr<const FrozenLaunch> freeze_when_built(Machine& machine, Launch launch);

}  // namespace skmd::icd

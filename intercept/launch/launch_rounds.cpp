// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/launch_rounds.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "intercept/launch/decision_constants.h"
#include "partitioner/model/former_rounds.h"

namespace skmd::icd {
namespace {

using namespace tuning;

/// Of all shapes, in the process: launches that ended, the plan of the last one, and which of them was the last to have
/// another plan than the one before it.
std::atomic<std::uint64_t> launches_ended{0};
std::atomic<LaunchRounds::Devices> last_plan{0};
std::atomic<std::uint64_t> last_change{0};

/// The number of the launch that has ended, under a plan of `devices`.
std::uint64_t count_end(LaunchRounds::Devices devices) {
  const std::uint64_t launch = launches_ended.fetch_add(1, std::memory_order_relaxed);
  if (last_plan.exchange(devices, std::memory_order_relaxed) != devices)
    last_change.store(launch, std::memory_order_relaxed);
  return launch;
}

/// Running the slices is a notable part of what the launch and its transfers are predicted to take, or may be. If not,
/// a kernel that has become slower changes no round.
bool kernel_matters(const Decision& decision) {
  double running = 0.0;
  for (const SliceWork& slice : decision.slices) running = std::max(running, slice.predicted_seconds);
  return !(running > 0) || running >= kNotableRunning * decision.predicted_seconds;
}

}  // namespace

std::optional<LaunchRounds::Devices> LaunchRounds::instead_of(const Decision& decision,
                                                              std::span<const domain::RoundTimes::Candidate> candidates,
                                                              const domain::RoundTimes::ChangeOfPlan& change,
                                                              bool judged_alone) {
  const MutexGuard lock(mutex_);
  if (decision.exploring) return rounds_.instead_of_exploring(change);
  double seconds = decision.predicted_seconds;
  for (const SliceWork& slice : decision.slices) seconds = std::max(seconds, slice.predicted_seconds);
  return rounds_.instead_of(devices_of(decision), candidates, change, judged_alone ? seconds : 0.0);
}

void LaunchRounds::devices_changed(unsigned changes, const Decision* last) {
  if (changes_.load(std::memory_order_relaxed) == changes) return;
  const MutexGuard lock(mutex_);
  if (changes_.exchange(changes, std::memory_order_relaxed) == changes) return;
  if (last == nullptr || kernel_matters(*last)) rounds_ = domain::RoundTimes();
}

void LaunchRounds::remember(std::span<const domain::RoundTimes::Former> former) {
  const MutexGuard lock(mutex_);
  if (remembers_.exchange(true, std::memory_order_relaxed)) return;
  rounds_.remember(former);
}

std::optional<LaunchRounds::Measured> LaunchRounds::count(Devices devices, bool alike, bool hopeless) {
  if (!(alike || hopeless) || !std::has_single_bit(devices)) return std::nullopt;
  const std::uint64_t rounds = ++counts_[devices];
  if (!hopeless && !domain::keeps_rounds(rounds)) return std::nullopt;
  const auto median = rounds_.median(devices, 1);
  if (!median) return std::nullopt;
  return Measured{static_cast<std::uint32_t>(std::countr_zero(devices)), *median, rounds,
                  rounds_.by_themselves(devices)};
}

std::optional<LaunchRounds::Measured> LaunchRounds::ended(const Decision& decision, std::uint64_t ns) {
  if (decision.exploring) {
    interrupted();
    return std::nullopt;
  }
  const MutexGuard lock(mutex_);
  const Devices devices = devices_of(decision);
  if (devices != last_devices_) sampling_.want(kRoundsTimed);
  last_devices_ = devices;
  const std::uint64_t launch = count_end(devices);
  const std::uint64_t before = std::exchange(last_launch_, launch);
  const auto seconds = ns == 0 ? std::nullopt : std::optional(static_cast<double>(ns) * 1e-9);
  using Told = domain::RoundTimes::Told;
  const Told told = rounds_.ended(devices, seconds, launch == before + 1);
  if (told == Told::nothing) return std::nullopt;
  return count(devices, last_change.load(std::memory_order_relaxed) <= before, told == Told::hopeless);
}

void LaunchRounds::interrupted() {
  const MutexGuard lock(mutex_);
  last_launch_ = count_end(0);
  rounds_.interrupted();
}

void LaunchRounds::inherit(const LaunchRounds& before) {
  const MutexGuard lock(before.mutex_);
  rounds_ = before.rounds_;
  rounds_.interrupted();  // a build ended within this round
  last_devices_ = before.last_devices_;
  last_launch_ = before.last_launch_;
  counts_ = before.counts_;
  remembers_ = before.remembers_.load(std::memory_order_relaxed);
  changes_ = before.changes_.load(std::memory_order_relaxed);
}

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/launch_rounds.h"

#include <algorithm>
#include <utility>

#include "intercept/launch/decision_constants.h"

namespace skmd::icd {
namespace {

using namespace tuning;

/// Of all shapes, in the process.
std::atomic<std::uint64_t> launches_ended{0};

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
                                                              const domain::RoundTimes::FirstRound& dear,
                                                              bool judged_alone) {
  const MutexGuard lock(mutex_);
  if (decision.exploring) return rounds_.instead_of_exploring();
  double seconds = decision.predicted_seconds;
  for (const SliceWork& slice : decision.slices) seconds = std::max(seconds, slice.predicted_seconds);
  return rounds_.instead_of(devices_of(decision), candidates, dear, judged_alone ? seconds : 0.0);
}

void LaunchRounds::devices_changed(unsigned changes, const Decision* last) {
  if (changes_.load(std::memory_order_relaxed) == changes) return;
  const MutexGuard lock(mutex_);
  if (changes_.exchange(changes, std::memory_order_relaxed) == changes) return;
  if (last == nullptr || kernel_matters(*last)) rounds_ = domain::RoundTimes();
}

void LaunchRounds::ended(const Decision& decision, std::uint64_t ns) {
  if (decision.exploring) return interrupted();
  const MutexGuard lock(mutex_);
  const Devices devices = devices_of(decision);
  if (devices != last_devices_) sampling_.want(kRoundsTimed);
  last_devices_ = devices;
  const std::uint64_t launch = launches_ended.fetch_add(1, std::memory_order_relaxed);
  const bool by_itself = launch == std::exchange(last_launch_, launch) + 1;
  rounds_.ended(devices, ns == 0 ? std::nullopt : std::optional(static_cast<double>(ns) * 1e-9), by_itself);
}

void LaunchRounds::interrupted() {
  const MutexGuard lock(mutex_);
  last_launch_ = launches_ended.fetch_add(1, std::memory_order_relaxed);
  rounds_.interrupted();
}

void LaunchRounds::inherit(const LaunchRounds& before) {
  const MutexGuard lock(before.mutex_);
  rounds_ = before.rounds_;
  rounds_.interrupted();  // a build ended within this round
  last_devices_ = before.last_devices_;
  last_launch_ = before.last_launch_;
  changes_ = before.changes_.load(std::memory_order_relaxed);
}

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// What became of the decisions for a shape: the last one of each plan, and how long the application's rounds took.
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_shape.h"

#include <algorithm>
#include <utility>

namespace skmd::icd {
namespace {

/// Of all shapes, in the process.
std::atomic<std::uint64_t> launches_ended{0};

domain::RoundTimes::Devices devices_of(const Decision& decision) {
  domain::RoundTimes::Devices devices = 0;
  for (const SliceWork& slice : decision.slices) devices |= domain::RoundTimes::Devices{1} << slice.device;
  return devices;
}

/// Running the slices is a notable part of what the launch and its transfers are predicted to take, or may be. If not,
/// a kernel that has become slower changes no round.
bool kernel_matters(const Decision& decision) {
  constexpr double kPart = 0.2;
  double running = 0.0;
  for (const SliceWork& slice : decision.slices) running = std::max(running, slice.predicted_seconds);
  return !(running > 0) || running >= kPart * decision.predicted_seconds;
}

}  // namespace

std::optional<domain::RoundTimes::Devices> LaunchShape::instead_of(
    const Decision& decision, std::span<const domain::RoundTimes::Candidate> candidates) {
  const MutexGuard lock(mutex_);
  if (decision.exploring) return rounds_.instead_of_exploring();
  return rounds_.instead_of(devices_of(decision), candidates);
}

std::shared_ptr<const Decision> LaunchShape::followed(domain::RoundTimes::Devices devices) {
  const MutexGuard lock(mutex_);
  const auto found = followed_.find(devices);
  return found == followed_.end() ? nullptr : found->second;
}

void LaunchShape::devices_changed(unsigned changes) {
  if (changes_.load(std::memory_order_relaxed) == changes) return;
  const MutexGuard lock(mutex_);
  if (changes_.exchange(changes, std::memory_order_relaxed) == changes) return;
  if (decision_ == nullptr || kernel_matters(*decision_)) rounds_ = domain::RoundTimes();
}

void LaunchShape::round_ended(const Decision& decision, std::uint64_t ns) {
  constexpr std::uint32_t kRounds = 6;  // that tell what a plan is worth, and one to begin with
  const MutexGuard lock(mutex_);
  if (decision.exploring) {
    last_launch_ = launches_ended.fetch_add(1, std::memory_order_relaxed);
    return rounds_.interrupted();
  }
  const domain::RoundTimes::Devices devices = devices_of(decision);
  if (devices != last_devices_) rounds_wanted_.store(kRounds, std::memory_order_relaxed);
  last_devices_ = devices;
  const std::uint64_t launch = launches_ended.fetch_add(1, std::memory_order_relaxed);
  const bool by_itself = launch == std::exchange(last_launch_, launch) + 1;
  rounds_.ended(devices, ns == 0 ? std::nullopt : std::optional(static_cast<double>(ns) * 1e-9), by_itself);
}

void LaunchShape::inherit(LaunchShape& before) {
  const MutexGuard lock(before.mutex_);
  rounds_ = before.rounds_;
  followed_ = before.followed_;
  last_devices_ = before.last_devices_;
  last_launch_ = before.last_launch_;
  changes_ = before.changes_.load(std::memory_order_relaxed);
  budget_ = before.budget_;
  launches_ = before.launches_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < used_.size(); ++i) used_[i] = before.used_[i].load(std::memory_order_relaxed);
}

void LaunchShape::remember(std::shared_ptr<const Decision> decision, const DecisionBasis& basis) {
  const MutexGuard lock(mutex_);
  if (!decision->exploring) followed_[devices_of(*decision)] = decision;
  decision_ = std::move(decision);
  basis_ = basis;
  launches_followed_ = 0;
}

}  // namespace skmd::icd

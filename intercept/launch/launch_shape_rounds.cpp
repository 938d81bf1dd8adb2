// SPDX-License-Identifier: Apache-2.0
// What became of the decisions for a shape: the last one of each plan, and how long the application's rounds took.
#include "intercept/launch/launch_shape.h"

#include <algorithm>
#include <utility>

namespace skmd::icd {
namespace {

/// The sum of the signatures of all launches that ended, in the process: what was added between two launches of a shape
/// says which others ended there.
std::atomic<std::uint64_t> plans_ended{0};
std::atomic<std::uint64_t> shapes_made{0};

/// Of a launch of the shape with this number, on these devices; 0: one to learn from.
std::uint64_t signature(std::uint64_t shape, domain::RoundTimes::Devices devices) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15u;  // 2^64 over the golden ratio: sums of few rarely meet
  return (shape * kOdd ^ devices) * kOdd;
}

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

std::optional<domain::RoundTimes::Devices> LaunchShape::instead_of(const Decision& decision) {
  if (decision.exploring) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return rounds_.instead_of(devices_of(decision), decision.candidates);
}

std::shared_ptr<const Decision> LaunchShape::followed(domain::RoundTimes::Devices devices) {
  const std::lock_guard lock(mutex_);
  const auto found = followed_.find(devices);
  return found == followed_.end() ? nullptr : found->second;
}

void LaunchShape::devices_changed(unsigned changes) {
  if (changes_.load(std::memory_order_relaxed) == changes) return;
  const std::lock_guard lock(mutex_);
  if (changes_.exchange(changes, std::memory_order_relaxed) == changes) return;
  if (decision_ == nullptr || kernel_matters(*decision_)) rounds_ = domain::RoundTimes();
}

void LaunchShape::round_ended(const Decision& decision, std::uint64_t ns) {
  constexpr std::uint32_t kRounds = 6;  // that tell what a plan is worth, and one to begin with
  const std::lock_guard lock(mutex_);
  if (number_ == 0) number_ = shapes_made.fetch_add(1, std::memory_order_relaxed) + 1;
  const domain::RoundTimes::Devices devices = decision.exploring ? 0 : devices_of(decision);
  const std::uint64_t own = signature(number_, devices);
  const std::uint64_t others = plans_ended.fetch_add(own, std::memory_order_relaxed) - plans_before_;
  plans_before_ += others + own;
  if (decision.exploring) return rounds_.interrupted();
  if (devices != last_devices_) rounds_wanted_.store(kRounds, std::memory_order_relaxed);
  last_devices_ = devices;
  rounds_.ended(devices, ns == 0 ? std::nullopt : std::optional(static_cast<double>(ns) * 1e-9), others);
}

void LaunchShape::inherit(LaunchShape& before) {
  const std::lock_guard lock(before.mutex_);
  rounds_ = before.rounds_;
  followed_ = before.followed_;
  last_devices_ = before.last_devices_;
  number_ = before.number_;
  plans_before_ = before.plans_before_;
  changes_ = before.changes_.load(std::memory_order_relaxed);
  budget_ = before.budget_;
  launches_ = before.launches_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < used_.size(); ++i) used_[i] = before.used_[i].load(std::memory_order_relaxed);
}

void LaunchShape::remember(std::shared_ptr<const Decision> decision, const DecisionBasis& basis) {
  const std::lock_guard lock(mutex_);
  if (!decision->exploring) followed_[devices_of(*decision)] = decision;
  decision_ = std::move(decision);
  basis_ = basis;
  launches_followed_ = 0;
}

}  // namespace skmd::icd

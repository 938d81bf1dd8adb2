// SPDX-License-Identifier: Apache-2.0
// What became of the decisions for a shape: the last one of each plan, and how long the application's rounds took.
#include "intercept/launch/launch_shape.h"

namespace skmd::icd {
namespace {

domain::RoundTimes::Devices devices_of(const Decision& decision) {
  domain::RoundTimes::Devices devices = 0;
  for (const SliceWork& slice : decision.slices) devices |= domain::RoundTimes::Devices{1} << slice.device;
  return devices;
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

void LaunchShape::round_ended(const Decision& decision, std::uint64_t ns) {
  constexpr std::uint32_t kRounds = 6;  // that tell what a plan is worth, and one to begin with
  const std::lock_guard lock(mutex_);
  if (decision.exploring) return rounds_.interrupted();
  const domain::RoundTimes::Devices devices = devices_of(decision);
  if (devices != last_devices_) rounds_wanted_.store(kRounds, std::memory_order_relaxed);
  last_devices_ = devices;
  rounds_.ended(devices, ns == 0 ? std::nullopt : std::optional(static_cast<double>(ns) * 1e-9));
}

void LaunchShape::remember(std::shared_ptr<const Decision> decision, const DecisionBasis& basis) {
  const std::lock_guard lock(mutex_);
  if (!decision->exploring) followed_[devices_of(*decision)] = decision;
  decision_ = std::move(decision);
  basis_ = basis;
}

}  // namespace skmd::icd

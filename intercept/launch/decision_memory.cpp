// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/decision_memory.h"

#include <utility>

#include "intercept/launch/decision_constants.h"

namespace skmd::icd {

std::shared_ptr<const Decision> DecisionMemory::last(DecisionBasis* basis) const {
  const MutexGuard lock(mutex_);
  if (basis != nullptr) *basis = basis_;
  return decision_;
}

void DecisionMemory::remember(std::shared_ptr<const Decision> decision, const DecisionBasis& basis) {
  const MutexGuard lock(mutex_);
  if (!decision->exploring) followed_[devices_of(*decision)] = decision;
  decision_ = std::move(decision);
  basis_ = basis;
  launches_.store(0, std::memory_order_relaxed);
}

bool DecisionMemory::asks_for_devices() {
  if (asked_.load(std::memory_order_relaxed) > tuning::kAskForDevices) return false;
  const std::uint32_t before = asked_.fetch_add(1, std::memory_order_relaxed);
  return before > 0 && before <= tuning::kAskForDevices;
}

std::shared_ptr<const Decision> DecisionMemory::followed(domain::RoundTimes::Devices devices) const {
  const MutexGuard lock(mutex_);
  const auto found = followed_.find(devices);
  return found == followed_.end() ? nullptr : found->second;
}

bool DecisionMemory::is_first(domain::RoundTimes::Devices devices) {
  const MutexGuard lock(mutex_);
  return split_before_.insert(devices).second;
}

void DecisionMemory::postpone(std::shared_ptr<const Decision> split) {
  const MutexGuard lock(mutex_);
  begins_ = std::move(split);
}

std::shared_ptr<const Decision> DecisionMemory::begun() {
  const MutexGuard lock(mutex_);
  return std::exchange(begins_, nullptr);
}

std::shared_ptr<const Decision> DecisionMemory::standing() const {
  // No owner is counted: the caller holds the shape, which owns the decision.
  return {std::shared_ptr<const void>(), standing_.load(std::memory_order_acquire)};
}

std::shared_ptr<const Decision> DecisionMemory::keep_standing(std::shared_ptr<const Decision> decision) {
  {
    const MutexGuard lock(mutex_);
    if (standing_.load(std::memory_order_relaxed) == nullptr) {
      decision_ = std::move(decision);
      standing_.store(decision_.get(), std::memory_order_release);
    }
  }
  return standing();
}

void DecisionMemory::inherit(const DecisionMemory& before) {
  const MutexGuard lock(before.mutex_);
  followed_ = before.followed_;
  split_before_ = before.split_before_;
}

}  // namespace skmd::icd

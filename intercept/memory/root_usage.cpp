// SPDX-License-Identifier: Apache-2.0
#include "intercept/memory/root_usage.h"

#include <utility>

namespace skmd::icd {

void RootUsage::used_on(std::optional<std::uint32_t> device) {
  user_.used_on(device);
  machine_.last_user.used_on(device);
}

std::optional<std::uint32_t> RootUsage::likely_user() const {
  return user_.is_unused() ? machine_.last_user.device() : user_.device();
}

void RootUsage::shared_by(std::vector<Share> shares) {
  const MutexGuard lock(mutex_);
  same_shares_ = !shares.empty() && shares == shares_;
  shares_ = std::move(shares);
  has_shares_.store(!shares_.empty(), std::memory_order_relaxed);
}

void RootUsage::used_in_host_memory() {
  if (!has_shares_.exchange(false, std::memory_order_relaxed)) return;
  const MutexGuard lock(mutex_);
  shares_.clear();
  same_shares_ = false;
}

std::vector<RootUsage::Share> RootUsage::likely_shares() const {
  std::vector<Share> shares;
  {
    const MutexGuard lock(mutex_);
    if (same_shares_ || rounds_.steady()) shares = shares_;
  }
  std::erase_if(shares, [this](const Share& share) { return !takes_work(machine_, share.device); });
  return shares;
}

}  // namespace skmd::icd

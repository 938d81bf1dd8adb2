// SPDX-License-Identifier: Apache-2.0
#include "intercept/machine/host_pages.h"

#include <sys/mman.h>

#include "intercept/backend/port/host_code.h"

namespace skmd::icd {

HostPages::HostPages(HostPagesMap& map, const std::vector<std::shared_ptr<Device>>& devices, std::byte* host,
                     std::uint64_t bytes)
    : map_(map), devices_(devices), host_(host), bytes_(bytes), locks_(devices.size()) {}

std::shared_ptr<HostPages> HostPages::create(HostPagesMap& map, const std::vector<std::shared_ptr<Device>>& devices,
                                             std::uint64_t bytes) {
  std::byte* const host = map_host(bytes);
  if (host == nullptr) return nullptr;
  std::shared_ptr<HostPages> pages;
  try {
    pages.reset(new HostPages(map, devices, host, bytes));
  } catch (...) {
    if (!pages) munmap(host, bytes);
    throw;
  }
  map.add(pages);
  return pages;
}

HostPages::~HostPages() {
  map_.remove(*this);
  {
    const MutexGuard lock(mutex_);
    locks_.clear();
  }
  munmap(host_, bytes_);
}

bool HostPages::lock_for(std::uint32_t device) {
  const MutexGuard lock(mutex_);
  Lock& one = locks_[device];
  if (!one.tried) {
    one.made = devices_[device]->page_lock(host_, bytes_);
    one.tried = true;
  }
  return one.made != nullptr;
}

void HostPagesMap::add(const std::shared_ptr<HostPages>& pages) {
  const MutexGuard lock(mutex_);
  pages_[pages->host()] = pages;
  count_.store(pages_.size(), std::memory_order_relaxed);
}

void HostPagesMap::remove(const HostPages& pages) {
  const MutexGuard lock(mutex_);
  pages_.erase(pages.host());
  count_.store(pages_.size(), std::memory_order_relaxed);
}

std::shared_ptr<const void> HostPagesMap::locked(std::uint32_t device, const std::byte* host, std::uint64_t bytes) {
  if (count_.load(std::memory_order_relaxed) == 0) return nullptr;
  std::shared_ptr<HostPages> found;
  {
    const MutexGuard lock(mutex_);
    auto after = pages_.upper_bound(host);
    if (after == pages_.begin()) return nullptr;
    found = (--after)->second.lock();
  }
  // Outside of the mutex: it may be the last owner, whose destructor takes the mutex.
  if (found == nullptr || bytes > found->bytes()) return nullptr;
  if (static_cast<std::uint64_t>(host - found->host()) > found->bytes() - bytes) return nullptr;
  if (!found->lock_for(device)) return nullptr;
  return found;
}

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
#include "intercept/machine/host_pages.h"

#include <sys/mman.h>
#include <sys/utsname.h>

#include <cstdio>

#include "intercept/backend/port/host_code.h"
#include "intercept/machine/machine_constants.h"

namespace skmd::icd {

using namespace tuning;

HostPages::HostPages(HostPagesMap& map, const std::vector<std::shared_ptr<Device>>& devices, std::byte* host,
                     std::uint64_t bytes)
    : map_(map), devices_(devices), host_(host), bytes_(bytes), locks_(devices.size()), states_(devices.size()) {
  if (!pinned_pages_survive_forks())
    for (auto& state : states_) state.store(State::refused, std::memory_order_relaxed);
}

std::shared_ptr<HostPages> HostPages::create(HostPagesMap& map, const std::vector<std::shared_ptr<Device>>& devices,
                                             std::uint64_t bytes) {
  std::byte* const host = map_host(bytes);
  if (host == nullptr) return nullptr;
  std::unique_ptr<HostPages> made;
  try {
    made.reset(new HostPages(map, devices, host, bytes));
  } catch (...) {
    munmap(host, bytes);
    throw;
  }
  std::shared_ptr<HostPages> pages = std::move(made);  // where that fails, `made` unmaps
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

bool pinned_pages_survive_forks() {
  static const bool survive = [] {
    utsname system{};
    unsigned major = 0, minor = 0;
    if (::uname(&system) != 0 || std::sscanf(system.release, "%u.%u", &major, &minor) != 2) return false;
    return major > 5 || (major == 5 && minor >= 9);
  }();
  return survive;
}

bool HostPages::lock_for(std::uint32_t device, std::uint64_t transferred) {
  const MutexGuard lock(mutex_);
  Lock& one = locks_[device];
  if (!is(device, State::open)) return is(device, State::locked);
  one.transferred += transferred;
  if (one.transferred < bytes_ / kLockedAfterPart) return false;
  one.made = devices_[device]->page_lock(host_, bytes_);
  states_[device].store(one.made != nullptr ? State::locked : State::refused, std::memory_order_release);
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

std::shared_ptr<HostPages> HostPagesMap::find(const std::byte* host, std::uint64_t bytes) {
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
  return found;
}

std::shared_ptr<const void> HostPagesMap::locked(std::uint32_t device, const std::byte* host, std::uint64_t bytes,
                                                 std::uint64_t transferred) {
  auto found = find(host, bytes);
  return found != nullptr && found->lock_for(device, transferred) ? found : nullptr;
}

std::shared_ptr<const void> HostPagesMap::locked_already(std::uint32_t device, const std::byte* host,
                                                         std::uint64_t bytes) {
  auto found = find(host, bytes);
  return found != nullptr && found->locked_for(device) ? found : nullptr;
}

bool HostPagesMap::lockable(std::uint32_t device, const std::byte* host, std::uint64_t bytes) {
  const auto found = find(host, bytes);
  return found != nullptr && found->lockable_for(device);
}

}  // namespace skmd::icd

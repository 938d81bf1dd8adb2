// SPDX-License-Identifier: Apache-2.0
// Host memory of buffers that the application wants page-locked (CL_MEM_ALLOC_HOST_PTR): transfers between it and a
// device take no copy by the host once its pages are locked for that device.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "intercept/backend/port/port.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

class HostPagesMap;

/// One piece of mapped host memory, whose pages are locked for each device once it has transferred a notable part of
/// them: making the memory costs nothing, and a device that gets few of the bytes locks none. Thread-safe.
class HostPages {
 public:
  /// Maps `bytes` zeroed bytes and enters them into `map`, which must outlive the result. Null where the system
  /// refuses.
  static std::shared_ptr<HostPages> create(HostPagesMap& map, const std::vector<std::shared_ptr<Device>>& devices,
                                           std::uint64_t bytes);
  ~HostPages();
  HostPages(const HostPages&) = delete;
  HostPages& operator=(const HostPages&) = delete;

  [[nodiscard]] std::byte* host() const { return host_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Locks the pages for a device that is to transfer so many more bytes, once they are an eighth of them in sum.
  /// Blocks for as long as that takes. False: they are not locked, or locking gains nothing there (Device::page_lock).
  bool lock_for(std::uint32_t device, std::uint64_t transferred);
  /// Whether lock_for() has locked them. False also while another thread locks, which is not waited for.
  bool locked_for(std::uint32_t device) { return is(device, State::locked); }
  /// Whether lock_for() may lock them yet.
  bool lockable_for(std::uint32_t device) { return is(device, State::open); }

 private:
  HostPages(HostPagesMap& map, const std::vector<std::shared_ptr<Device>>& devices, std::byte* host,
            std::uint64_t bytes);

  enum class State : std::uint8_t { open, locked, refused };
  struct Lock {
    std::uint64_t transferred = 0;  // bytes, while open
    std::shared_ptr<void> made;
  };
  [[nodiscard]] bool is(std::uint32_t device, State state) const {
    return states_[device].load(std::memory_order_acquire) == state;
  }
  HostPagesMap& map_;
  const std::vector<std::shared_ptr<Device>>& devices_;
  std::byte* const host_;
  const std::uint64_t bytes_;
  Mutex mutex_{LockRank::host_pages};  // held while pages are locked
  std::vector<Lock> locks_ SKMD_GUARDED_BY(mutex_);
  std::vector<std::atomic<State>> states_;  // per device
};

/// Pinned pages of this kernel stay the parent's when the process forks: Linux does so from 5.9 on. Elsewhere a device
/// would go on using pages that the process has left.
bool pinned_pages_survive_forks();

/// The living HostPages by address. Thread-safe.
class HostPagesMap {
 public:
  /// The pages that hold all of [host, host + bytes), for a transfer of `transferred` of these bytes, locked for the
  /// device; null if there are none. Keep the result for as long as the device transfers. Blocks where lock_for() does.
  /// One atomic load in a process without such memory.
  std::shared_ptr<const void> locked(std::uint32_t device, const std::byte* host, std::uint64_t bytes,
                                     std::uint64_t transferred);
  /// The same where the pages are locked already. Does not wait.
  std::shared_ptr<const void> locked_already(std::uint32_t device, const std::byte* host, std::uint64_t bytes);
  /// Whether locked() may lock pages that are not locked yet.
  bool lockable(std::uint32_t device, const std::byte* host, std::uint64_t bytes);

 private:
  friend class HostPages;
  void add(const std::shared_ptr<HostPages>& pages);
  void remove(const HostPages& pages);
  std::shared_ptr<HostPages> find(const std::byte* host, std::uint64_t bytes);

  std::atomic<std::size_t> count_{0};
  Mutex mutex_{LockRank::host_pages_map};
  std::map<const std::byte*, std::weak_ptr<HostPages>> pages_ SKMD_GUARDED_BY(mutex_);  // by their first byte
};

}  // namespace skmd::icd

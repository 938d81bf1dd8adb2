// SPDX-License-Identifier: Apache-2.0
// What devices with memory of their own hold of root objects (replicas): how much of it there may be, and what goes
// when there is no room for more. Devices that use host memory in place hold nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "intercept/backend/port/port.h"
#include "partitioner/base/byte_ranges.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

struct Machine;
class Storage;

/// One per machine. Thread-safe. Locks: its mutex is taken inside a root's, and nothing is taken inside it.
class DeviceMemory {
 public:
  static constexpr std::uint64_t kNoLimit = UINT64_MAX;

  explicit DeviceMemory(Machine& machine) : machine_(machine) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Bytes that all replicas on machine.devices[device] may take; kNoLimit where the device does not say how much
  /// memory it has, or uses host memory in place.
  [[nodiscard]] std::uint64_t limit(std::uint32_t device) const;
  /// What `make` gives, counted as `bytes` of the device until its last owner lets go of it.
  /// CL_MEM_OBJECT_ALLOCATION_FAILURE beyond the limit, where `make` is not called. Frees nothing.
  Result<std::shared_ptr<NativeMemory>> counted(std::uint32_t device, std::uint64_t bytes,
                                                const std::function<Result<std::shared_ptr<NativeMemory>>()>& make);
  /// The next number of an ascending count, for Storage::used(). Thread-safe.
  [[nodiscard]] std::uint64_t tick() const { return clock_.fetch_add(1, std::memory_order_relaxed) + 1; }

  /// From now on hold() may drop the root's replicas; while it does, it owns `root`. A second call for the same root
  /// replaces the pointer, for one that owns more.
  void add(const std::shared_ptr<Storage>& root);
  void remove(const Storage& root) noexcept;

  enum class Held : std::uint8_t {
    all,
    busy,  // what would have to be dropped is in use now
    full,  // nothing can be dropped, and they do not fit
  };
  /// Makes replicas of all `roots` on a device. Precondition: the caller holds the ranges that it will use (RangeLock),
  /// which keeps these replicas. Drops the least recently used replicas of other roots, those in use excepted: bytes
  /// that only they hold go to host memory first. Blocks, with no lock held but ranges. `wait`: blocks until what is in
  /// use has ended. Precondition then: the caller holds turn(), since two launches that waited for each other's roots
  /// would never end.
  Held hold(std::uint32_t device, std::span<Storage* const> roots, bool wait);
  Held hold(std::uint32_t device, Storage& root) {
    Storage* const roots[] = {&root};
    return hold(device, roots, false);
  }
  /// Drops replicas of roots other than `roots`, the least recently used first, until `bytes` are free that were not,
  /// or nothing is left to be dropped now. Blocks, as hold(). False: nothing was dropped.
  bool drop(std::uint32_t device, std::uint64_t bytes, std::span<Storage* const> roots);

  /// What evacuate() did.
  struct Evacuated {
    std::uint64_t roots = 0;       // native objects that were released
    std::uint64_t sole_bytes = 0;  // that no other memory had
    std::uint64_t kept = 0;        // native objects that others than commands still own
  };
  /// Brings to host memory what only this device has, and releases its native objects of all roots. Blocks until the
  /// commands have ended that use these roots, also on other devices. Precondition: the device gets no new work
  /// (takes_work()). `asked`: called when this waits in the order of commands for them, or is about to; maybe more than
  /// once, as commands may make native objects meanwhile. `ahead`: does not wait behind commands that wait themselves,
  /// for when these wait for the caller. Error: bytes could not be fetched, which stay where they are.
  Result<Evacuated> evacuate(std::uint32_t device, bool ahead, const std::function<void()>& asked);
  /// Bytes of native objects on a device with memory of its own, and those among them that no other memory has.
  struct Usage {
    std::uint64_t bytes = 0, sole_bytes = 0;
  };
  [[nodiscard]] Usage usage(std::uint32_t device) const;

  /// A launch waits in hold(): until that has ended, launches take turn() before they use roots.
  [[nodiscard]] bool wanted() const { return waiting_.load(std::memory_order_acquire) != 0; }
  /// A root without a meaning of its own, to be locked for writing (RangeLock) together with what a command touches.
  std::shared_ptr<Storage> turn();
  /// Another one, which launches read where they wait while all are suspended, and the thread that suspends them
  /// writes.
  std::shared_ptr<Storage> gate();

 private:
  /// Of one device.
  struct Account {
    std::shared_ptr<std::atomic<std::uint64_t>> used;
    std::uint64_t limit = kNoLimit;
  };
  struct Candidate {
    std::uint64_t last_use = 0;
    std::shared_ptr<Storage> root;
  };
  enum class Drop : std::uint8_t { dropped, busy, none };
  [[nodiscard]] Account account(std::uint32_t device) const;
  /// So many bytes more are refused here, not by the driver.
  [[nodiscard]] bool is_beyond_limit(std::uint32_t device, std::uint64_t bytes) const;
  /// Roots with a replica that may be dropped, the least recently used first. `strays` is set to whether memory is in
  /// use that no root has any more.
  [[nodiscard]] std::vector<Candidate> candidates(std::uint32_t device, std::span<Storage* const> kept,
                                                  bool& strays) const;
  /// Of the oldest that can go; `bytes` is increased by its size.
  Drop drop_oldest(std::uint32_t device, std::span<Storage* const> kept, std::uint64_t& bytes);
  Drop drop_replica(std::uint32_t device, const std::shared_ptr<Storage>& root);
  /// Bytes `only_there` go to host memory, and the native object goes. The caller holds all of the root's ranges.
  Status fetch_sole(std::uint32_t device, Storage& root, const domain::RangeSet& only_there, const char* what);
  std::shared_ptr<NativeMemory> take_replica(std::uint32_t device, Storage& root, const domain::RangeSet& only_there);
  /// All roots that have, or may have, a native object on the device.
  [[nodiscard]] std::vector<std::shared_ptr<Storage>> roots_on(std::uint32_t device) const;
  Status evacuate_root(std::uint32_t device, Storage& root, Evacuated& done);
  /// `which` of this object, made at the first call.
  std::shared_ptr<Storage> made_once(std::shared_ptr<Storage> DeviceMemory::*which);
  /// Blocks until the device has ended what was submitted so far, and for a moment more.
  void pause(std::uint32_t device);

  Machine& machine_;
  mutable std::atomic<std::uint64_t> clock_{0};
  std::atomic<std::uint32_t> waiting_{0};
  mutable Mutex mutex_{LockRank::device_memory};
  mutable std::vector<Account> accounts_ SKMD_GUARDED_BY(mutex_);  // empty until it is first asked for
  std::map<const Storage*, std::weak_ptr<Storage>> roots_ SKMD_GUARDED_BY(mutex_);
  std::shared_ptr<Storage> turn_ SKMD_GUARDED_BY(mutex_);
  std::shared_ptr<Storage> gate_ SKMD_GUARDED_BY(mutex_);
};

}  // namespace skmd::icd

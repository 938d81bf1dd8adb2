// SPDX-License-Identifier: Apache-2.0
// The bytes of one root memory object across memory spaces: host shadow, native objects, residency, and the locks that
// serialise concurrent commands by byte range. Commands and launches both move bytes through here.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "intercept/machine/machine.h"
#include "intercept/memory/exchange_blocks.h"
#include "intercept/memory/rect_region.h"
#include "intercept/memory/root_usage.h"
#include "partitioner/base/byte_ranges.h"
#include "partitioner/base/mutex.h"
#include "partitioner/residency/residency.h"
#include "partitioner/residency/transfer.h"

namespace skmd::icd {

class RangeLock;

/// One root buffer or image. Shared by handles, sub-buffers, mappings and every command in flight.
class Storage {
 public:
  /// `bytes` > 0. `host` non-null (CL_MEM_USE_HOST_PTR): the shadow is the application's memory, whose contents are
  /// valid from now on. `initial` non-null (CL_MEM_COPY_HOST_PTR): `bytes` bytes, copied during the call;
  /// CL_OUT_OF_HOST_MEMORY. `lockable` (CL_MEM_ALLOC_HOST_PTR): the shadow's pages are locked for devices that transfer
  /// from or to it.
  static Result<std::shared_ptr<Storage>> create(Machine& machine, std::uint64_t bytes, std::byte* host,
                                                 const std::byte* initial, bool lockable = false)
      SKMD_NOT_ANALYSED;  // no other thread has it yet
  /// Shared virtual memory: the shadow is made now and is the application's memory as well, aligned to a page and never
  /// directly before another's. CL_OUT_OF_HOST_MEMORY.
  static Result<std::shared_ptr<Storage>> create_shared(Machine& machine,
                                                        std::uint64_t bytes) SKMD_NOT_ANALYSED;  // likewise
  /// An image of `shape`, whose host copy is tightly packed and takes `bytes`. Commands other than launches claim it as
  /// a whole. Otherwise as create().
  static Result<std::shared_ptr<Storage>> create_image(Machine& machine, const ImageShape& shape, std::uint64_t bytes,
                                                       std::byte* host, const std::byte* initial);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] Machine& machine() const { return machine_; }
  [[nodiscard]] bool is_image() const { return shape_.has_value(); }
  [[nodiscard]] const std::optional<ImageShape>& shape() const { return shape_; }
  /// The address of root byte 0 in host memory, the same for the object's whole life, since maps return it; allocated
  /// at the first call. Bytes are valid only where residency says so. CL_OUT_OF_HOST_MEMORY. Thread-safe.
  Result<std::byte*> host();

  // The functions below need the ranges locked (RangeLock) by the caller, for reading or writing.

  /// Makes the host copy of `ranges` valid: gathers from devices what is missing (zeros where undefined). `what` names
  /// the purpose in the observer's reports. Blocks.
  Status gather(const domain::RangeSet& ranges, const char* what);
  /// The host copy of `ranges` was just written: they are valid there and nowhere else.
  void host_written(const domain::RangeSet& ranges);
  /// The same of bytes that were valid there, or undefined, and were written there again. Where memory is short, host
  /// memory may become the only place of bytes beside them, too, that are valid there.
  void host_rewritten(const domain::RangeSet& ranges) noexcept;
  /// Contents given up (CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, map with INVALIDATE).
  void forget(const domain::RangeSet& ranges);

  /// The native object on machine.devices[device], made at the first call; devices in host memory get it in place over
  /// the shadow. CL_MEM_OBJECT_ALLOCATION_FAILURE beyond what the device may hold: DeviceMemory::hold() makes room.
  /// Other owners than the root keep it only while they hold ranges of the root (RangeLock).
  Result<std::shared_ptr<NativeMemory>> native(std::uint32_t device);
  /// There is a native object on the device, also if that uses host memory in place. Thread-safe.
  [[nodiscard]] bool has_native(std::uint32_t device) {
    const MutexGuard lock(mutex_);
    return natives_[device] != nullptr;
  }
  /// When the native object on a device with memory of its own was last used (DeviceMemory::tick()); 0: there is none.
  /// Thread-safe.
  [[nodiscard]] std::uint64_t last_use(std::uint32_t device) const {
    return last_uses_[device].load(std::memory_order_relaxed);
  }
  /// Sets last_use() to `tick`, if there is a native object. Thread-safe.
  void used(std::uint32_t device, std::uint64_t tick);
  /// Takes the native object away from the root. Precondition: its bytes are valid elsewhere, and residency says so.
  /// Null: it has other owners and stays, or there is none.
  std::shared_ptr<NativeMemory> let_go(std::uint32_t device) SKMD_REQUIRES(mutex_);

  /// Whether half of the host copy or more was filled before, so that its pages are there. Thread-safe, like the next
  /// two.
  [[nodiscard]] bool host_was_touched() const { return borrows_host_ || host_touched_.load(std::memory_order_relaxed); }
  /// Notes that `ranges` of the host copy were filled. Rows far apart count with what is between them.
  void note_touched(const domain::RangeSet& ranges);
  /// Bytes of the host copy whose pages have to be made when it is filled.
  [[nodiscard]] std::uint64_t untouched_bytes() const { return host_was_touched() ? 0 : bytes_; }

  /// True if [begin, begin + bytes) shares a byte with the shadow as it is now.
  [[nodiscard]] bool is_host(const std::byte* begin, std::uint64_t bytes);
  /// The shadow is the application's own memory.
  [[nodiscard]] bool borrows_host() const { return borrows_host_; }
  /// It is shared virtual memory: views may begin anywhere in it.
  [[nodiscard]] bool is_shared() const { return shared_; }
  /// What is guessed of its next uses.
  RootUsage& usage() { return usage_; }
  [[nodiscard]] const RootUsage& usage() const { return usage_; }

  /// Ranges that the application has mapped for writing, from the completion of the map to that of the unmap: what a
  /// launch writes there meanwhile is not committed. Thread-safe.
  void mapped_for_writing(const domain::RangeSet& ranges);
  /// Precondition: `ranges` were given to mapped_for_writing(), which made room for this.
  void unmapped(const domain::RangeSet& ranges) noexcept;
  [[nodiscard]] domain::RangeSet write_mapped();
  /// The same with the mutex held.
  [[nodiscard]] const domain::RangeSet& write_mapped_locked() const SKMD_REQUIRES(mutex_) { return write_mapped_; }
  /// Called when a map for writing is enqueued. False, and nothing is reserved, if another enqueued map for writing of
  /// this root overlaps. Thread-safe.
  bool reserve_write_map(const domain::RangeSet& ranges);
  void release_write_map(const domain::RangeSet& ranges) noexcept;

  /// Residency, for planning and committing; hold the mutex while touching it.
  Mutex& mutex() SKMD_RETURNS_LOCK(mutex_) { return mutex_; }
  domain::ResidencyMap& residency() SKMD_REQUIRES(mutex_) { return residency_; }
  /// Takes the copies of disabled devices out of residency, except of bytes that have no other copy: fetching those
  /// fails.
  void leave_lost_copies() SKMD_REQUIRES(mutex_);
  /// Every byte of `ranges` is valid in `space`, now. Thread-safe.
  [[nodiscard]] bool holds(domain::SpaceId space, const domain::RangeSet& ranges);
  /// The bytes at `from` are the contents of `range` already, so that writing them changes nothing. False where the
  /// application may have changed the shadow itself (CL_MEM_USE_HOST_PTR, a write map): a write of equal bytes then
  /// tells the devices. The range is locked by the caller. Thread-safe.
  [[nodiscard]] bool has_already(const domain::ByteRange& range, const std::byte* from);
  /// Page-locked memory for bytes of `ranges` that go from `device` to others, past the host copy, which stays as it
  /// is: where they have gone so several times, and the device gains by it (ExchangeBlocks). Its first byte is that of
  /// ranges.hull(). Precondition: the ranges are held for reading, by one exchange of them at a time (move_mutex()).
  std::shared_ptr<HostPages> exchange_block(std::uint32_t device, const domain::RangeSet& ranges);
  /// Held while bytes of this root move between spaces, so that two readers do not fetch the same bytes twice. Taken
  /// before mutex(); several roots in address order.
  Mutex& move_mutex() SKMD_RETURNS_LOCK(move_mutex_) { return move_mutex_; }

 private:
  friend class RangeLock;
  friend struct LockTable;
  struct HoldGroup;
  Storage(Machine& machine, std::uint64_t bytes);
  [[nodiscard]] bool is_host_locked(const std::byte* begin, std::uint64_t bytes) const SKMD_REQUIRES(mutex_);
  Machine& machine_;
  std::uint64_t bytes_;
  std::optional<ImageShape> shape_;
  Mutex mutex_{LockRank::storage};
  domain::ResidencyMap residency_ SKMD_GUARDED_BY(mutex_);
  Mutex move_mutex_{LockRank::move};
  std::byte* host_ SKMD_GUARDED_BY(mutex_) = nullptr;
  bool owns_host_ = false;
  bool lockable_ = false;
  std::shared_ptr<HostPages> pages_;  // the shadow, if it is lockable
  ExchangeBlocks exchanges_ SKMD_GUARDED_BY(mutex_);
  bool borrows_host_ = false;
  std::atomic<bool> host_touched_{false};
  bool shared_ = false;
  RootUsage usage_;
  domain::RangeSet write_mapped_ SKMD_GUARDED_BY(mutex_);
  std::size_t open_map_ranges_ SKMD_GUARDED_BY(mutex_) = 0;  // of all that unmapped() will be called with
  domain::RangeSet write_maps_reserved_ SKMD_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<NativeMemory>> natives_ SKMD_GUARDED_BY(mutex_);
  std::vector<std::atomic<std::uint64_t>> last_uses_;  // of `natives_`
  std::vector<HoldGroup> hold_groups_;                 // of running commands; guarded by the lock table's mutex
};

}  // namespace skmd::icd

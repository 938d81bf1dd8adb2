// SPDX-License-Identifier: Apache-2.0
// The bytes of one root memory object across memory spaces: host shadow, native objects, residency, and the locks that
// serialise concurrent commands by byte range. Commands and launches both move bytes through here.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "intercept/object/machine.h"
#include "intercept/object/region.h"
#include "intercept/object/rounds.h"
#include "partitioner/byte_ranges.h"
#include "partitioner/mutex.h"
#include "partitioner/residency.h"
#include "partitioner/transfer.h"

namespace skmd::icd {

/// One root buffer or image. Shared by handles, sub-buffers, mappings and every command in flight.
class Storage {
 public:
  /// `host` non-null (CL_MEM_USE_HOST_PTR): the shadow is the application's memory, contents count from now on. `bytes`
  /// > 0. `initial` non-null (CL_MEM_COPY_HOST_PTR): copied once, during the call.
  static Result<std::shared_ptr<Storage>> create(Machine& machine, std::uint64_t bytes, std::byte* host,
                                                 const std::byte* initial)
      SKMD_NOT_ANALYSED;  // no other thread has it yet
  /// Shared virtual memory: the shadow is made now and is the application's memory as well, aligned to a page and never
  /// directly before another's. CL_OUT_OF_HOST_MEMORY.
  static Result<std::shared_ptr<Storage>> create_shared(Machine& machine,
                                                        std::uint64_t bytes) SKMD_NOT_ANALYSED;  // likewise
  /// An image whose host form is tightly packed; moves as a whole.
  static Result<std::shared_ptr<Storage>> create_image(Machine& machine, const ImageShape& shape, std::uint64_t bytes,
                                                       std::byte* host, const std::byte* initial);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] Machine& machine() const { return machine_; }
  [[nodiscard]] bool is_image() const { return shape_.has_value(); }
  [[nodiscard]] const std::optional<ImageShape>& shape() const { return shape_; }
  /// Stable address of root byte 0 in host memory, the same for the whole life (maps!); allocated at the first call.
  /// Contents count only where residency says so.
  Result<std::byte*> host();

  // The functions below need the ranges locked (RangeLock) by the caller, for reading or writing.

  /// Makes the host copy of `ranges` valid: gathers from devices what is missing (zeros where undefined). Blocks.
  Status gather(const domain::RangeSet& ranges, const char* what);
  /// The host copy of `ranges` was just written: valid there and nowhere else.
  void host_written(const domain::RangeSet& ranges);
  /// Contents given up (CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, map with INVALIDATE).
  void forget(const domain::RangeSet& ranges);

  /// The native object on machine.devices[device], made at the first call; devices in host memory get it in place over
  /// the shadow. CL_MEM_OBJECT_ALLOCATION_FAILURE beyond what the device may hold: DeviceMemory::hold() makes room.
  /// Other owners than the root keep it only while they hold ranges of the root (RangeLock).
  Result<std::shared_ptr<NativeMemory>> native(std::uint32_t device);
  /// When the native object on a device with memory of its own was last used (DeviceMemory::tick()); 0: there is none.
  /// Thread-safe.
  [[nodiscard]] std::uint64_t last_use(std::uint32_t device) const {
    return last_uses_[device].load(std::memory_order_relaxed);
  }
  void used(std::uint32_t device, std::uint64_t tick);
  /// Takes that native object away from the root, with mutex() held. Its bytes are valid elsewhere, and residency says
  /// so. Null: it has other owners, and stays.
  std::shared_ptr<NativeMemory> let_go(std::uint32_t device) SKMD_REQUIRES(mutex_);

  /// Whether a write command filled the host copy before, so that its pages are there. Marks that one did.
  bool host_was_touched() { return host_touched_.exchange(true, std::memory_order_relaxed); }

  /// True if [begin, begin + bytes) shares a byte with the shadow as it is now.
  [[nodiscard]] bool is_host(const std::byte* begin, std::uint64_t bytes);
  /// The shadow is the application's own memory.
  [[nodiscard]] bool borrows_host() const { return borrows_host_; }
  /// It is shared virtual memory: views may begin anywhere in it.
  [[nodiscard]] bool is_shared() const { return shared_; }
  /// Where a launch has used this root as a whole: a device with memory of its own, or none (host memory, or several).
  void used_on(std::optional<std::uint32_t> device);
  /// The device that is likely to use what is written next.
  [[nodiscard]] std::optional<std::uint32_t> likely_user() const;
  /// A write command of the application's wrote `bytes` of this root. Thread-safe.
  void rewritten(std::uint64_t bytes) { rounds_.wrote(bytes); }
  /// A launch that uses this root was submitted. False: what is written next is not for launches like it. Thread-safe.
  bool launched() {
    read_backs_.launched();
    return rounds_.launched(bytes_);
  }
  /// The application has written most of it since the last launch, as it does in every round: where its bytes are now
  /// follows from the last plan, and the next one will have them sent where it wants them. Thread-safe.
  [[nodiscard]] bool recurs() const { return rounds_.recurs(bytes_); }
  /// Launches between two such writes. Thread-safe, like what follows.
  [[nodiscard]] std::uint32_t launches_per_round() const { return rounds_.launches_per_round(); }
  /// A read command or a map of the application's asked for `bytes` of this root. `copied`: into its own memory.
  void read_back(std::uint64_t bytes, bool copied) { read_backs_.read(bytes, bytes_, copied); }
  [[nodiscard]] const ReadBacks& read_backs() const { return read_backs_; }
  /// What a device needs of this root for its slice of a launch.
  struct Share {
    std::uint32_t device = 0;
    domain::RangeSet ranges;
    bool operator==(const Share&) const = default;
  };
  /// Of a launch that was split; empty: of one that was not.
  void shared_by(std::vector<Share> shares);
  /// Of a launch that ran whole in host memory: no device is likely to use what is written next.
  void used_in_host_memory();
  /// The shares that the last two launches had in common, or the last one where the root is written for each; empty if
  /// they had others. Devices set aside have none.
  [[nodiscard]] std::vector<Share> likely_shares();

  /// Ranges that the application has mapped for writing: what a launch writes there meanwhile is not committed.
  /// Thread-safe.
  /// Counted from the map's completion to the unmap's; which maps may be made at all is decided when they are enqueued
  /// (reserve_write_map: false if another enqueued write map of this root overlaps, then nothing is reserved).
  void mapped_for_writing(const domain::RangeSet& ranges);
  void unmapped(const domain::RangeSet& ranges);
  [[nodiscard]] domain::RangeSet write_mapped();
  /// The same with the mutex held.
  [[nodiscard]] const domain::RangeSet& write_mapped_locked() const SKMD_REQUIRES(mutex_) { return write_mapped_; }
  bool reserve_write_map(const domain::RangeSet& ranges);
  void release_write_map(const domain::RangeSet& ranges) noexcept;

  /// Residency, for planning and committing; hold the mutex while touching it.
  Mutex& mutex() SKMD_RETURNS_LOCK(mutex_) { return mutex_; }
  domain::ResidencyMap& residency() SKMD_REQUIRES(mutex_) { return residency_; }
  /// Takes devices that were set aside out of residency, but for bytes that nobody else has: fetching those fails. With
  /// the mutex held.
  void leave_lost_copies() SKMD_REQUIRES(mutex_);
  /// Every byte of `ranges` is valid in `space`, now. Thread-safe.
  [[nodiscard]] bool holds(domain::SpaceId space, const domain::RangeSet& ranges);
  /// The bytes at `from` are the contents of `range`, and only we can have changed the shadow: where the application
  /// may have, a write of equal bytes is how it tells the devices. The range is locked by the caller. Thread-safe.
  [[nodiscard]] bool has_already(const domain::ByteRange& range, const std::byte* from);
  /// Held while bytes of this root move between spaces, so that two readers do not fetch the same bytes twice. Taken
  /// before mutex(); several roots in address order.
  Mutex& move_mutex() SKMD_RETURNS_LOCK(move_mutex_) { return move_mutex_; }

 private:
  friend class RangeLock;
  friend struct LockTable;
  struct HoldGroup;
  Storage(Machine& machine, std::uint64_t bytes);
  [[nodiscard]] bool is_host_locked(const std::byte* begin, std::uint64_t bytes) const SKMD_REQUIRES(mutex_);
  static constexpr std::int32_t kUnused = -2;
  Machine& machine_;
  std::uint64_t bytes_;
  std::optional<ImageShape> shape_;
  Mutex mutex_;
  domain::ResidencyMap residency_ SKMD_GUARDED_BY(mutex_);
  Mutex move_mutex_;
  std::byte* host_ SKMD_GUARDED_BY(mutex_) = nullptr;
  bool owns_host_ = false;
  bool borrows_host_ = false;
  std::atomic<bool> host_touched_{false};
  bool shared_ = false;
  std::atomic<std::int32_t> user_{kUnused};
  std::vector<Share> shares_ SKMD_GUARDED_BY(mutex_);
  bool same_shares_ SKMD_GUARDED_BY(mutex_) = false;  // as those of the launch before
  std::atomic<bool> has_shares_{false};
  Rounds rounds_;
  ReadBacks read_backs_;
  domain::RangeSet write_mapped_ SKMD_GUARDED_BY(mutex_);
  domain::RangeSet write_maps_reserved_ SKMD_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<NativeMemory>> natives_ SKMD_GUARDED_BY(mutex_);
  std::vector<std::atomic<std::uint64_t>> last_uses_;  // of `natives_`
  std::vector<HoldGroup> hold_groups_;                 // of running commands; guarded by the lock table's mutex
};

/// Copies bytes between roots (or inside one, like memmove) where they are: pieces valid on a device are copied there.
/// Ranges locked by the caller. Blocks.
Status copy_bytes(Storage& from, std::uint64_t from_offset, Storage& to, std::uint64_t to_offset, std::uint64_t bytes);

/// Copies the rows of `source` to those of `target`, of equal extents, on a device that has all of them; the two share
/// no byte. False: no such device, it refused, or host memory is the better place; then nothing has changed. Ranges
/// locked by the caller. Blocks.
bool copy_rows_on_device(Storage& from, const Region& source, Storage& to, const Region& target);

/// Fills a range of a buffer, a whole number of patterns, where its bytes are: each piece on the devices that have it,
/// bytes that nobody has on every device with a memory of its own. Ranges locked by the caller. Blocks.
Status fill_bytes(Storage& to, const domain::ByteRange& range, const std::vector<std::byte>& pattern);

/// Copies bytes of a buffer to memory of the application's from wherever they are: what only a device has does not
/// pass through the shadow. Ranges locked by the caller. Blocks.
Status read_bytes(Storage& from, std::uint64_t offset, std::byte* to, std::uint64_t bytes);

/// The device to which a write of the application's may go past the shadow: the one that is likely to use the bytes.
std::optional<std::uint32_t> direct_target(Storage& to, const std::byte* from, std::uint64_t bytes);

/// Writes bytes of the application's to a buffer: of more than a megabyte, each to the devices that are likely to use
/// it next; all others to the shadow, unless they are what is there already. Ranges locked by the caller. Blocks only
/// above a megabyte.
Status write_bytes(Storage& to, std::uint64_t offset, const std::byte* from, std::uint64_t bytes);

/// `bytes` at `target` become repetitions of `pattern`.
void repeat_pattern(std::byte* target, std::uint64_t bytes, const std::vector<std::byte>& pattern);

/// What a command is about to touch.
struct Claim {
  std::shared_ptr<Storage> storage;
  std::shared_ptr<const domain::RangeSet> ranges;  // there may be thousands: launches of a shape share them
  bool write = false;
};

inline Claim claim_on(std::shared_ptr<Storage> storage, domain::RangeSet ranges, bool write) {
  return {std::move(storage), std::make_shared<const domain::RangeSet>(std::move(ranges)), write};
}

/// Holds byte ranges of root buffers for one command: overlapping claims, one of them writing, exclude each other. All
/// claims are taken at once, when the command is ready - never in enqueue order, which would deadlock on user events.
class RangeLock {
 public:
  /// Blocks until request() is granted. Never on a progress thread or in start().
  static RangeLock take(std::vector<Claim> claims);
  /// Does not block: calls `granted` when no running command conflicts and none that has waited longer, on this thread
  /// or on the one that released the last range in the way; it must not block.
  static void request(std::vector<Claim> claims, std::function<void(RangeLock)> granted);
  /// Does not block: empty if somebody waits for a conflicting range or holds one, except holders that were submitted
  /// on the in-order queue of `chain` (non-null) and will end there before us.
  static std::optional<RangeLock> try_take(std::vector<Claim> claims, Device* chain);
  /// Like try_take(), but granted also ahead of claims that wait. Precondition: the caller changes no bytes. Empty if a
  /// conflicting range is held.
  static std::optional<RangeLock> try_take_ahead(std::vector<Claim> claims);
  /// As try_take(), with claims that stay where they are for longer than the lock.
  static std::optional<RangeLock> try_take_kept(std::span<const Claim> claims, Device* chain);

  /// The command left the queue of its chain: from now on its ranges are in the way of others on that queue, too.
  void unchain();
  /// Of a command on a chain: a command before it left the chain and still holds ranges that this one touches.
  [[nodiscard]] bool overtook() const;

  RangeLock();
  RangeLock(RangeLock&& other) noexcept;
  RangeLock& operator=(RangeLock&& other) noexcept;
  ~RangeLock();
  void release();

 private:
  friend class Storage;
  friend struct LockTable;
  struct Entry;
  static std::optional<RangeLock> try_take(std::unique_ptr<Entry> entry, bool ahead = false);
  std::unique_ptr<Entry> entry_;
};

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
#include "intercept/memory/storage.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>
#include <string>

#include "intercept/backend/port/host_code.h"
#include "intercept/memory/lock_table.h"
#include "intercept/memory/memory_constants.h"
#include "intercept/memory/mover.h"
#include "intercept/memory/range_lock.h"

namespace skmd::icd {

namespace {

/// Behind shared virtual memory: an address at its end is no address of the next.
constexpr std::uint64_t kGap = 1;

/// Where there is no memory for what is left, range by range: that takes longer, and needs none if each was added as a
/// whole.
void take_out(domain::RangeSet& from, const domain::RangeSet& ranges) noexcept {
  const auto taken = [&from](const auto& part) {
    try {
      from.remove(part);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  };
  if (taken(ranges)) return;
  for (const domain::ByteRange& range : ranges.ranges()) taken(range);
}

domain::Error out_of_host_memory(std::uint64_t bytes) {
  return {CL_OUT_OF_HOST_MEMORY, "no host memory for a shadow of " + std::to_string(bytes) + " bytes"};
}

}  // namespace

Storage::Storage(Machine& machine, std::uint64_t bytes)
    : machine_(machine),
      bytes_(bytes),
      residency_(bytes),
      usage_(machine, bytes),
      natives_(machine.devices.size()),
      last_uses_(machine.devices.size()) {}

Storage::~Storage() {
  machine_.memory.remove(*this);
  natives_.clear();  // before the memory that in-place buffers use
  if (owns_host_) munmap(host_, bytes_ + (shared_ ? kGap : 0));
}

Result<std::shared_ptr<Storage>> Storage::create(Machine& machine, std::uint64_t bytes, std::byte* host,
                                                 const std::byte* initial, bool lockable) {
  std::shared_ptr<Storage> storage(new Storage(machine, bytes));
  storage->lockable_ = lockable;
  storage->host_ = host;
  storage->borrows_host_ = host != nullptr;
  if (host != nullptr) storage->residency_.written(domain::kHostSpace, domain::ByteRange{0, bytes});
  if (initial != nullptr) {
    auto shadow = storage->host();
    if (!shadow) return shadow.error();
    copy_host(*shadow, initial, bytes);
    storage->residency_.written(domain::kHostSpace, domain::ByteRange{0, bytes});
    storage->note_touched(domain::ByteRange{0, bytes});
  }
  machine.memory.add(storage);
  return storage;
}

Result<std::shared_ptr<Storage>> Storage::create_shared(Machine& machine, std::uint64_t bytes) {
  std::shared_ptr<Storage> storage(new Storage(machine, bytes));
  storage->host_ = map_host(bytes + kGap);
  if (storage->host_ == nullptr) return out_of_host_memory(bytes);
  storage->owns_host_ = storage->borrows_host_ = storage->shared_ = true;
  machine.memory.add(storage);
  return storage;
}

Result<std::shared_ptr<Storage>> Storage::create_image(Machine& machine, const ImageShape& shape, std::uint64_t bytes,
                                                       std::byte* host, const std::byte* initial) {
  auto storage = create(machine, bytes, host, initial);
  if (storage) (*storage)->shape_ = shape;
  return storage;
}

void Storage::note_touched(const domain::RangeSet& ranges) {
  if (ranges.empty()) return;
  const std::uint64_t reach = ranges.ranges().back().end - ranges.ranges().front().begin;
  if (reach * 2 >= bytes_) host_touched_.store(true, std::memory_order_relaxed);
}

Result<std::byte*> Storage::host() {
  const MutexGuard lock(mutex_);
  if (host_ != nullptr) return host_;
  if (lockable_) {
    pages_ = HostPages::create(machine_.pages, machine_.devices, bytes_);
    host_ = pages_ ? pages_->host() : nullptr;
  } else {
    host_ = map_host(bytes_);
    owns_host_ = host_ != nullptr;
  }
  if (host_ == nullptr) return out_of_host_memory(bytes_);
  return host_;
}

Result<std::shared_ptr<NativeMemory>> Storage::native(std::uint32_t device) {
  Device& port = *machine_.devices[device];
  std::byte* in_place = nullptr;
  if (port.description().space == domain::kHostSpace) {
    auto shadow = host();
    if (!shadow) return shadow.error();
    in_place = *shadow;
  }
  const MutexGuard lock(mutex_);
  const bool apart = port.description().space != domain::kHostSpace;
  if (!natives_[device]) {
    const auto make = [&] { return shape_ ? port.allocate_image(*shape_, nullptr) : port.allocate(bytes_, in_place); };
    auto made = apart ? machine_.memory.counted(device, bytes_, make) : make();
    if (!made) return made.error();
    natives_[device] = std::move(*made);
  }
  if (apart) last_uses_[device].store(machine_.memory.tick(), std::memory_order_relaxed);
  return natives_[device];
}

void Storage::used(std::uint32_t device, std::uint64_t tick) {
  if (last_use(device) != 0) last_uses_[device].store(tick, std::memory_order_relaxed);
}

std::shared_ptr<NativeMemory> Storage::let_go(std::uint32_t device) {
  if (natives_[device] == nullptr) {
    last_uses_[device].store(0, std::memory_order_relaxed);
    return nullptr;
  }
  if (natives_[device].use_count() != 1) return nullptr;
  last_uses_[device].store(0, std::memory_order_relaxed);
  return std::move(natives_[device]);
}

bool Storage::is_host_locked(const std::byte* begin, std::uint64_t bytes) const {
  const std::less<const std::byte*> before;
  return host_ != nullptr && before(begin, host_ + bytes_) && before(host_, begin + bytes);
}

bool Storage::is_host(const std::byte* begin, std::uint64_t bytes) {
  const MutexGuard lock(mutex_);
  return is_host_locked(begin, bytes);
}

Status Storage::gather(const domain::RangeSet& ranges, const char* what) {
  {
    // The caller holds the ranges, so what is here stays here. Small commands come by this way on threads that complete
    // batches, and the thread that holds the move mutex may wait for such a batch.
    const MutexGuard lock(mutex_);
    if (residency_.missing(domain::kHostSpace, ranges).empty()) return {};
  }
  const MoveGuard guard({this});
  auto plan = MovePlan::gathered(
      machine_,
      [&] {
        return MoveNeeds{{this, MoveNeed::kHost, ranges}};
      },
      what);
  if (!plan) return plan.error();
  note_touched(ranges);
  return {};
}

void Storage::leave_lost_copies() {
  if (machine_.losses.load(std::memory_order_acquire) == 0) return;
  for (const auto& device : machine_.devices)
    if (const auto space = device->description().space; device->health()->aside() && space != domain::kHostSpace)
      residency_.withdrawn(space, domain::ByteRange{0, bytes_});
}

bool Storage::holds(domain::SpaceId space, const domain::RangeSet& ranges) {
  if (ranges.empty()) return true;
  const MutexGuard lock(mutex_);
  leave_lost_copies();
  return residency_.all_valid(space, ranges);
}

bool Storage::has_already(const domain::ByteRange& range, const std::byte* from) {
  const MutexGuard lock(mutex_);
  if (host_ == nullptr || borrows_host_ || is_host_locked(from, range.size())) return false;
  if (!residency_.all_valid(domain::kHostSpace, range) || write_mapped_.intersects(range)) return false;
  return std::memcmp(host_ + range.begin, from, range.size()) == 0;
}

namespace {

/// A block, whose bytes count while it lives.
struct CountedBlock {
  explicit CountedBlock(std::uint64_t size)
      : bytes(size), all(total.fetch_add(size, std::memory_order_relaxed) + size) {}
  ~CountedBlock() { total.fetch_sub(bytes, std::memory_order_relaxed); }
  CountedBlock(const CountedBlock&) = delete;
  CountedBlock& operator=(const CountedBlock&) = delete;

  static inline std::atomic<std::uint64_t> total{0};  // of the process
  const std::uint64_t bytes;
  const std::uint64_t all;  // the total with this one
  std::shared_ptr<HostPages> pages;
};

/// Null where the process would have too many bytes of them, or the system refuses.
std::shared_ptr<HostPages> counted_block(Machine& machine, std::uint64_t bytes) {
  const auto block = std::make_shared<CountedBlock>(bytes);
  if (block->all > tuning::kMaxAllExchanged) return nullptr;
  block->pages = HostPages::create(machine.pages, machine.devices, bytes);
  return block->pages != nullptr ? std::shared_ptr<HostPages>(block, block->pages.get()) : nullptr;
}

}  // namespace

std::shared_ptr<HostPages> Storage::exchange_block(std::uint32_t device, const domain::RangeSet& ranges) {
  if (is_image() || !machine_.devices[device]->description().discrete) return nullptr;
  std::shared_ptr<HostPages> block;
  {
    const MutexGuard lock(mutex_);
    block = exchanges_.of(ranges, [this](std::uint64_t bytes) { return counted_block(machine_, bytes); });
  }
  return block != nullptr && block->lock_for(device, ranges.bytes()) ? block : nullptr;
}

void Storage::host_written(const domain::RangeSet& ranges) {
  note_touched(ranges);
  const MutexGuard lock(mutex_);
  residency_.written(domain::kHostSpace, ranges);
}

void Storage::host_rewritten(const domain::RangeSet& ranges) noexcept {
  const MutexGuard lock(mutex_);
  residency_.rewritten(domain::kHostSpace, ranges);
}

void Storage::forget(const domain::RangeSet& ranges) {
  const MutexGuard lock(mutex_);
  // Undefined bytes are zero in the shadow, always: so every space can be given the same pre-image.
  if (host_ != nullptr)
    for (const domain::ByteRange& range : ranges.ranges()) std::memset(host_ + range.begin, 0, range.size());
  residency_.forgotten(ranges);
}

void Storage::mapped_for_writing(const domain::RangeSet& ranges) {
  const MutexGuard lock(mutex_);
  const std::size_t count = ranges.ranges().size();
  // Each range that is taken out again may split one.
  write_mapped_.reserve(write_mapped_.ranges().size() + count + open_map_ranges_ + count);
  write_mapped_.add(ranges);
  open_map_ranges_ += count;
}

void Storage::unmapped(const domain::RangeSet& ranges) noexcept {
  const MutexGuard lock(mutex_);
  take_out(write_mapped_, ranges);
  open_map_ranges_ -= std::min(open_map_ranges_, ranges.ranges().size());
}

bool Storage::reserve_write_map(const domain::RangeSet& ranges) {
  const MutexGuard lock(mutex_);
  if (write_maps_reserved_.intersects(ranges)) return false;
  write_maps_reserved_.add(ranges);
  return true;
}

void Storage::release_write_map(const domain::RangeSet& ranges) noexcept {
  const MutexGuard lock(mutex_);
  take_out(write_maps_reserved_, ranges);
}

domain::RangeSet Storage::write_mapped() {
  const MutexGuard lock(mutex_);
  return write_mapped_;
}

}  // namespace skmd::icd

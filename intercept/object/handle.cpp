// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/handle.h"

#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <new>

#include "intercept/object/object_constants.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {
namespace {

using namespace tuning;

/// One cache line: neighbours' reference counts do not share it.
struct alignas(64) Cell {
  Slot slot;
  Cell* next = nullptr;  // in the list of dead cells
};
static_assert(sizeof(Cell) == 64);
static_assert(offsetof(Slot, dispatch) == 0 && offsetof(Slot, loader_word) == sizeof(void*));

constexpr std::size_t kFirstSlab = std::size_t{1} << 16;  // cells; every further slab is twice the one before
constexpr std::size_t kMaxSlabs = 16;                     // so that handles are bounded

struct Slab {
  std::atomic<std::byte*> begin{nullptr};
  std::size_t bytes = 0;
};

/// Constant-initialised and trivially destroyed: handles are looked up after the process' static destructors ran.
struct Table {
  std::array<Slab, kMaxSlabs> slabs;
  std::atomic<std::uint32_t> slab_count{0};
  std::atomic<const cl_icd_dispatch*> dispatch{nullptr};
  Mutex mutex{LockRank::handles};                 // guards what follows
  std::size_t used SKMD_GUARDED_BY(mutex) = 0;    // cells handed out of the newest slab
  Cell* oldest SKMD_GUARDED_BY(mutex) = nullptr;  // dead cells, first in first out
  Cell* newest SKMD_GUARDED_BY(mutex) = nullptr;
  std::size_t dead SKMD_GUARDED_BY(mutex) = 0;
};
constinit Table table;

bool grow() SKMD_REQUIRES(table.mutex) {
  const std::uint32_t index = table.slab_count.load(std::memory_order_relaxed);
  if (index == kMaxSlabs) return false;
  const std::size_t bytes = (kFirstSlab << index) * sizeof(Cell);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  table.slabs[index].bytes = bytes;
  table.slabs[index].begin.store(static_cast<std::byte*>(memory), std::memory_order_relaxed);
  table.slab_count.store(index + 1, std::memory_order_release);
  table.used = 0;
  return true;
}

Cell* take_dead() SKMD_REQUIRES(table.mutex) {
  Cell* cell = table.oldest;
  if (cell == nullptr) return nullptr;
  table.oldest = cell->next;
  if (table.oldest == nullptr) table.newest = nullptr;
  --table.dead;
  return cell;
}

Cell* take_cell() {
  const MutexGuard lock(table.mutex);
  if (table.dead > kQuarantine) return take_dead();
  const std::uint32_t count = table.slab_count.load(std::memory_order_relaxed);
  if (count == 0 || table.used * sizeof(Cell) == table.slabs[count - 1].bytes) {
    if (!grow()) return take_dead();
  }
  Slab& slab = table.slabs[table.slab_count.load(std::memory_order_relaxed) - 1];
  return new (slab.begin.load(std::memory_order_relaxed) + sizeof(Cell) * table.used++) Cell;
}

void give_back(Slot* slot) {
  Cell* cell = reinterpret_cast<Cell*>(slot);  // the slot is the cell's first member
  const MutexGuard lock(table.mutex);
  cell->next = nullptr;
  (table.newest != nullptr ? table.newest->next : table.oldest) = cell;
  table.newest = cell;
  ++table.dead;
}

bool is_slot(const void* handle) {
  const auto address = reinterpret_cast<std::uintptr_t>(handle);
  const std::uint32_t count = table.slab_count.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto begin = reinterpret_cast<std::uintptr_t>(table.slabs[i].begin.load(std::memory_order_relaxed));
    const std::uintptr_t offset = address - begin;
    if (offset < table.slabs[i].bytes) return offset % sizeof(Cell) == 0;
  }
  return false;
}

/// The specification keeps these alive while objects of the application are attached to them, and those objects'
/// queries hand the handle out: it stays good for as long as the object lives, even while the application's count is 0.
bool outlives_count(Kind kind) {
  return kind == Kind::context || kind == Kind::program || kind == Kind::memory || kind == Kind::device;
}

}  // namespace

Object::~Object() {
  if (slot_ == nullptr) return;
  slot_->object.store(nullptr, std::memory_order_release);
  slot_->references.store(0, std::memory_order_relaxed);
  give_back(slot_);
}

Slot* publish(Object& object) {
  Cell* cell = take_cell();
  if (cell == nullptr) return nullptr;
  Slot& slot = cell->slot;
  slot.dispatch = table.dispatch.load(std::memory_order_relaxed);
  slot.loader_word = nullptr;
  slot.kind.store(object.kind(), std::memory_order_relaxed);
  slot.references.store(1, std::memory_order_relaxed);
  object.hold();
  object.slot_ = &slot;
  slot.object.store(&object, std::memory_order_release);
  return &slot;
}

Object* look_up(const void* handle, Kind kind) {
  if (!is_slot(handle)) return nullptr;
  const Slot& slot = *static_cast<const Slot*>(handle);
  if (slot.kind.load(std::memory_order_relaxed) != kind) return nullptr;
  return slot.object.load(std::memory_order_acquire);
}

bool retain(Slot& slot) {
  std::uint32_t count = slot.references.load(std::memory_order_relaxed);
  for (;;) {
    if (count == 0) break;
    if (slot.references.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) return true;
  }
  Object* object = slot.object.load(std::memory_order_acquire);
  if (object == nullptr || !outlives_count(slot.kind.load(std::memory_order_relaxed))) return false;
  object->hold();
  // Another thread's 0 -> 1 already brought the application's reference: ours goes again.
  if (slot.references.fetch_add(1, std::memory_order_relaxed) != 0) object->drop();
  return true;
}

std::uint32_t release(Slot& slot) {
  std::uint32_t count = slot.references.load(std::memory_order_relaxed);
  do {
    if (count == 0) return 0;
  } while (!slot.references.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel));
  if (count > 1) return count - 1;
  const bool keep = outlives_count(slot.kind.load(std::memory_order_relaxed));
  Object* object =
      keep ? slot.object.load(std::memory_order_acquire) : slot.object.exchange(nullptr, std::memory_order_acq_rel);
  if (object != nullptr) object->drop();
  return 0;
}

void set_dispatch(const cl_icd_dispatch* new_table) { table.dispatch.store(new_table, std::memory_order_relaxed); }

}  // namespace skmd::icd

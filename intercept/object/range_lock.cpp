// SPDX-License-Identifier: Apache-2.0
// All claims of a command are taken at once under one mutex: no order among commands, so nothing can deadlock; a
// command that holds ranges waits for devices only, never for other ranges.
#include "intercept/object/range_lock.h"

#include <algorithm>

namespace skmd::icd {

struct LockTable {
  std::mutex mutex;
  std::condition_variable released;
  std::size_t waiting = 0;

  /// Never destroyed: commands may still end while the process exits.
  static LockTable& get() {
    static auto* table = new LockTable;
    return *table;
  }

  static bool conflicts(const RangeLock::Entry& wanted) {
    for (const Claim& claim : wanted.claims)
      for (const Storage::Hold& hold : claim.storage->holds_) {
        if (!claim.write && !hold.claim->write) continue;
        if (wanted.chain != nullptr && hold.entry->chain == wanted.chain) continue;
        if (hold.claim->ranges.intersects(claim.ranges)) return true;
      }
    return false;
  }

  static void hold(const RangeLock::Entry& entry) {
    for (const Claim& claim : entry.claims) claim.storage->holds_.push_back({&entry, &claim});
  }

  static void drop(const RangeLock::Entry& entry) {
    for (const Claim& claim : entry.claims)
      std::erase_if(claim.storage->holds_, [&](const Storage::Hold& h) { return h.entry == &entry; });
  }
};

RangeLock::RangeLock(RangeLock&& other) noexcept = default;

RangeLock& RangeLock::operator=(RangeLock&& other) noexcept {
  release();
  entry_ = std::move(other.entry_);
  return *this;
}

RangeLock::RangeLock() = default;

RangeLock::~RangeLock() { release(); }

RangeLock RangeLock::take(std::vector<Claim> claims) {
  RangeLock lock;
  lock.entry_ = std::make_unique<Entry>();
  lock.entry_->claims = std::move(claims);
  LockTable& table = LockTable::get();
  std::unique_lock guard(table.mutex);
  ++table.waiting;
  table.released.wait(guard, [&] { return !LockTable::conflicts(*lock.entry_); });
  --table.waiting;
  LockTable::hold(*lock.entry_);
  return lock;
}

std::optional<RangeLock> RangeLock::try_take(std::vector<Claim> claims, Device* chain) {
  RangeLock lock;
  lock.entry_ = std::make_unique<Entry>();
  lock.entry_->claims = std::move(claims);
  lock.entry_->chain = chain;
  LockTable& table = LockTable::get();
  const std::lock_guard guard(table.mutex);
  if (LockTable::conflicts(*lock.entry_)) {
    lock.entry_.reset();
    return std::nullopt;
  }
  LockTable::hold(*lock.entry_);
  return lock;
}

void RangeLock::release() {
  if (!entry_) return;
  LockTable& table = LockTable::get();
  {
    const std::lock_guard guard(table.mutex);
    LockTable::drop(*entry_);
    if (table.waiting != 0) table.released.notify_all();
  }
  entry_.reset();  // after the mutex: it may be the last owner of a root
}

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// All claims of a command are taken at once under one mutex: no order among commands, so nothing can deadlock; a
// command that holds ranges waits for devices only, never for other ranges.
#include "intercept/memory/range_lock.h"

#include <algorithm>
#include <future>
#include <list>
#include <new>
#include <utility>

#include "intercept/memory/lock_table.h"
#include "partitioner/base/look_again.h"

namespace skmd::icd {

struct LockTable {
  struct Waiter {
    RangeLock lock;
    std::function<void(RangeLock)> granted;
  };

  Mutex mutex{LockRank::lock_table};
  std::list<Waiter> waiters SKMD_GUARDED_BY(mutex);

  /// Never destroyed: commands may still end while the process exits.
  static LockTable& get() {
    static auto* table = new LockTable;
    return *table;
  }

  static bool meet(const RangeLock::Entry& a, const RangeLock::Entry& b) {
    for (const Claim& one : a.claims)
      for (const Claim& other : b.claims)
        if (one.storage == other.storage && (one.write || other.write) && one.ranges->intersects(*other.ranges))
          return true;
    return false;
  }

  /// Whether an earlier request that still waits conflicts with this one: if it were overtaken, a thread that launches
  /// in a row could keep it waiting for ever.
  static bool overtakes(const RangeLock::Entry& wanted, const std::list<Waiter>& earlier) {
    return std::any_of(earlier.begin(), earlier.end(),
                       [&](const Waiter& waiter) { return meet(wanted, *waiter.lock.entry_); });
  }

  static bool conflicts(const RangeLock::Entry& wanted) {
    for (const Claim& claim : wanted.claims)
      for (const Storage::HoldGroup& group : claim.storage->hold_groups_) {
        if (wanted.chain != nullptr && group.chain == wanted.chain) continue;
        for (const auto& hold : group.holds) {
          const Claim& held = hold.entry->claims[hold.claim];
          if ((claim.write || held.write) && held.ranges->intersects(*claim.ranges)) return true;
        }
      }
    return false;
  }

  static Storage::HoldGroup& group_of(const Claim& claim, Device* chain) {
    auto& groups = claim.storage->hold_groups_;
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.chain == chain; });
    return found != groups.end() ? *found : groups.emplace_back(Storage::HoldGroup{chain});
  }

  /// Room for all of the entry's claims in the groups of `chain`.
  static void reserve(const RangeLock::Entry& entry, Device* chain) {
    const std::size_t count = entry.claims.size();
    for (const Claim& claim : entry.claims) {
      auto& holds = group_of(claim, chain).holds;
      if (holds.capacity() - holds.size() < count) holds.reserve(2 * holds.size() + count);
    }
  }

  /// Without memory nothing is held, and `places` is empty.
  static void hold(RangeLock::Entry& entry) {
    reserve(entry, entry.chain);
    entry.places.reserve(entry.claims.size());
    place(entry);
  }

  /// There is room.
  static void place(RangeLock::Entry& entry) noexcept {
    for (std::size_t i = 0; i < entry.claims.size(); ++i) {
      auto& holds = group_of(entry.claims[i], entry.chain).holds;
      entry.places.push_back(holds.size());
      holds.push_back({&entry, i});
    }
  }

  static void drop(const RangeLock::Entry& entry) {
    for (std::size_t i = 0; i < entry.claims.size(); ++i) {
      auto& holds = group_of(entry.claims[i], entry.chain).holds;
      const std::size_t place = entry.places[i];
      holds[place] = holds.back();
      holds[place].entry->places[holds[place].claim] = place;
      holds.pop_back();
    }
  }

  /// Takes the claims of all waiters, oldest first, that are free now.
  std::list<Waiter> serve() noexcept SKMD_REQUIRES(mutex) {
    std::list<Waiter> served;
    std::list<Waiter> left;
    while (!waiters.empty()) {
      RangeLock::Entry& entry = *waiters.front().lock.entry_;
      // Memory may be there the second time. NOLINTNEXTLINE(misc-redundant-expression)
      const bool takes = !overtakes(entry, left) && !conflicts(entry) && (try_hold(entry) || try_hold(entry));
      auto& list = takes ? served : left;
      list.splice(list.end(), waiters, waiters.begin());
    }
    waiters.swap(left);
    return served;
  }

  /// The only element of the result asks for `claims`.
  static std::list<Waiter> waiter(std::vector<Claim> claims, std::function<void(RangeLock)> granted) {
    std::list<Waiter> waiter;
    waiter.push_back({RangeLock(), std::move(granted)});
    std::unique_ptr<RangeLock::Entry>& entry = waiter.front().lock.entry_;
    entry = std::make_unique<RangeLock::Entry>();
    entry->own = std::move(claims);
    entry->claims = entry->own;
    return waiter;
  }

  static bool try_hold(RangeLock::Entry& entry) noexcept {
    try {
      hold(entry);
      return true;
    } catch (const std::bad_alloc&) {
      return false;  // the next release() tries again
    }
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

void RangeLock::request(std::vector<Claim> claims, std::function<void(RangeLock)> granted) {
  std::list<LockTable::Waiter> waiter = LockTable::waiter(std::move(claims), std::move(granted));
  RangeLock& lock = waiter.front().lock;
  LockTable& table = LockTable::get();
  {
    const MutexGuard guard(table.mutex);
    if (LockTable::overtakes(*lock.entry_, table.waiters) || LockTable::conflicts(*lock.entry_)) {
      table.waiters.splice(table.waiters.end(), waiter);
      look_again();  // a launch that holds the ranges may be left (is_wanted)
      return;
    }
    LockTable::hold(*lock.entry_);
  }
  waiter.front().granted(std::move(lock));
}

struct PreparedRequest::Waiting {
  std::list<LockTable::Waiter> waiter;
};

PreparedRequest::PreparedRequest(std::vector<Claim> claims, std::function<void(RangeLock)> granted)
    : waiting_(new Waiting{LockTable::waiter(std::move(claims), std::move(granted))}) {}

PreparedRequest::~PreparedRequest() = default;

void PreparedRequest::submit() noexcept {
  std::list<LockTable::Waiter> waiter;
  LockTable& table = LockTable::get();
  {
    const MutexGuard guard(table.mutex);
    waiter.swap(waiting_->waiter);
    if (waiter.empty()) return;
    RangeLock::Entry& entry = *waiter.front().lock.entry_;
    if (LockTable::overtakes(entry, table.waiters) || LockTable::conflicts(entry) || !LockTable::try_hold(entry)) {
      table.waiters.splice(table.waiters.end(), waiter);
      look_again();  // a launch that holds the ranges may be left (is_wanted)
      return;
    }
  }
  waiter.front().granted(std::move(waiter.front().lock));
}

RangeLock RangeLock::take(std::vector<Claim> claims) {
  lock_order::expect_may_take(LockRank::ranges);
  std::promise<RangeLock> promise;
  request(std::move(claims), [&promise](RangeLock lock) { promise.set_value(std::move(lock)); });
  return promise.get_future().get();
}

std::optional<RangeLock> RangeLock::try_take(std::vector<Claim> claims, Device* chain) {
  auto entry = std::make_unique<Entry>();
  entry->own = std::move(claims);
  entry->claims = entry->own;
  entry->chain = chain;
  return try_take(std::move(entry));
}

std::optional<RangeLock> RangeLock::try_take_ahead(std::vector<Claim> claims) {
  auto entry = std::make_unique<Entry>();
  entry->own = std::move(claims);
  entry->claims = entry->own;
  return try_take(std::move(entry), true);
}

std::optional<RangeLock> RangeLock::try_take_kept(std::span<const Claim> claims, Device* chain) {
  auto entry = std::make_unique<Entry>();
  entry->claims = claims;
  entry->chain = chain;
  return try_take(std::move(entry));
}

std::optional<RangeLock> RangeLock::try_take(std::unique_ptr<Entry> entry, bool ahead) {
  RangeLock lock;
  lock.entry_ = std::move(entry);
  LockTable& table = LockTable::get();
  const MutexGuard guard(table.mutex);
  if ((!ahead && LockTable::overtakes(*lock.entry_, table.waiters)) || LockTable::conflicts(*lock.entry_)) {
    lock.entry_.reset();
    return std::nullopt;
  }
  LockTable::hold(*lock.entry_);
  return lock;
}

bool RangeLock::is_wanted(std::span<const Claim> claims) {
  Entry entry;
  entry.claims = claims;
  LockTable& table = LockTable::get();
  const MutexGuard guard(table.mutex);
  return LockTable::overtakes(entry, table.waiters);
}

void RangeLock::unchain() {
  const MutexGuard guard(LockTable::get().mutex);
  LockTable::reserve(*entry_, nullptr);
  LockTable::drop(*entry_);
  entry_->places.clear();
  entry_->chain = nullptr;
  LockTable::place(*entry_);
}

bool RangeLock::overtook() const {
  const MutexGuard guard(LockTable::get().mutex);
  return LockTable::conflicts(*entry_);
}

void RangeLock::release() {
  if (!entry_) return;
  LockTable& table = LockTable::get();
  std::list<LockTable::Waiter> served;
  {
    const MutexGuard guard(table.mutex);
    if (!entry_->places.empty()) LockTable::drop(*entry_);
    if (!table.waiters.empty()) served = table.serve();
  }
  entry_.reset();  // after the mutex: it may be the last owner of a root
  for (LockTable::Waiter& waiter : served) waiter.granted(std::move(waiter.lock));
}

}  // namespace skmd::icd

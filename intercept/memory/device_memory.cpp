// SPDX-License-Identifier: Apache-2.0
// A replica goes only while its root is locked as a whole: every command that uses a root holds its ranges from before
// it looks at residency until its results are committed, so that no command uses the replica, or is about to.
#include "intercept/machine/device_memory.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "intercept/machine/device_query.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/fetch.h"
#include "intercept/memory/memory_constants.h"
#include "intercept/memory/mover.h"
#include "intercept/memory/range_lock.h"
#include "intercept/memory/storage.h"

namespace skmd::icd {

namespace {

using namespace tuning;

/// Gives its bytes back when the last owner of the native object lets go.
struct Counted {
  Counted(std::shared_ptr<NativeMemory> memory, std::shared_ptr<std::atomic<std::uint64_t>> used, std::uint64_t bytes)
      : native(std::move(memory)), total(std::move(used)), size(bytes) {}
  ~Counted() {
    native.reset();
    total->fetch_sub(size);
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  std::shared_ptr<NativeMemory> native;
  std::shared_ptr<std::atomic<std::uint64_t>> total;
  std::uint64_t size;
};

/// Some drivers have no other code for want of memory.
bool may_be_short_of_memory(cl_int code) {
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES;
}

}  // namespace

DeviceMemory::~DeviceMemory() {
  turn_.reset();
  gate_.reset();
}

DeviceMemory::Account DeviceMemory::account(std::uint32_t device) const {
  const MutexGuard lock(mutex_);
  for (std::size_t i = accounts_.size(); i < machine_.devices.size(); ++i) {
    const Device& port = *machine_.devices[i];
    Account account{std::make_shared<std::atomic<std::uint64_t>>(0), kNoLimit};
    if (port.description().space != domain::kHostSpace) {
      if (const auto all = query<cl_ulong>(port, CL_DEVICE_GLOBAL_MEM_SIZE); all && *all != 0)
        account.limit = *all - *all / kDriversPart;
      if (machine_.settings.device_memory != 0)
        account.limit = std::min(account.limit, machine_.settings.device_memory);
    }
    accounts_.push_back(std::move(account));
  }
  return accounts_[device];
}

std::uint64_t DeviceMemory::limit(std::uint32_t device) const { return account(device).limit; }

Result<std::shared_ptr<NativeMemory>> DeviceMemory::counted(
    std::uint32_t device, std::uint64_t bytes, const std::function<Result<std::shared_ptr<NativeMemory>>()>& make) {
  const Account account = this->account(device);
  auto counted = std::make_shared<Counted>(nullptr, account.used, bytes);
  const std::uint64_t before = account.used->fetch_add(bytes);
  if (before > account.limit || bytes > account.limit - before)
    return domain::Error{CL_MEM_OBJECT_ALLOCATION_FAILURE, "no room for " + std::to_string(bytes) + " bytes on " +
                                                               machine_.devices[device]->description().name + ": " +
                                                               std::to_string(before) + " of " +
                                                               std::to_string(account.limit) + " are in use"};
  auto made = make();
  if (!made) return made.error();
  counted->native = std::move(*made);
  NativeMemory* const native = counted->native.get();
  return std::shared_ptr<NativeMemory>(std::move(counted), native);
}

void DeviceMemory::add(const std::shared_ptr<Storage>& root) {
  const MutexGuard lock(mutex_);
  roots_[root.get()] = root;
}

void DeviceMemory::remove(const Storage& root) noexcept {
  const MutexGuard lock(mutex_);
  roots_.erase(&root);
}

std::vector<DeviceMemory::Candidate> DeviceMemory::candidates(std::uint32_t device, std::span<Storage* const> kept,
                                                              bool& strays) const {
  const std::uint64_t used = account(device).used->load();
  std::uint64_t known = 0;
  std::vector<Candidate> found;
  std::vector<std::shared_ptr<Storage>> others;  // the last owner may be here, and lets go without the mutex
  {
    const MutexGuard lock(mutex_);
    found.reserve(roots_.size());
    others.reserve(roots_.size());
    for (const auto& [address, owner] : roots_) {
      std::shared_ptr<Storage> root = owner.lock();
      if (root == nullptr) continue;
      const std::uint64_t last_use = root->last_use(device);
      if (last_use != 0) known += root->bytes();
      if (last_use == 0 || std::find(kept.begin(), kept.end(), address) != kept.end())
        others.push_back(std::move(root));
      else
        found.push_back({last_use, std::move(root)});
    }
  }
  strays = used > known;
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.last_use < b.last_use; });
  return found;
}

Status DeviceMemory::fetch_sole(std::uint32_t device, Storage& root, const domain::RangeSet& only_there,
                                const char* what) {
  if (only_there.empty()) return {};
  auto host = root.host();
  if (!host) return host.error();
  return fetch(machine_, {{&root, device, *host, only_there}}, what);
}

std::shared_ptr<NativeMemory> DeviceMemory::take_replica(std::uint32_t device, Storage& root,
                                                         const domain::RangeSet& only_there) {
  const MutexGuard guard(root.mutex());
  root.residency().copied(domain::kHostSpace, only_there);
  root.residency().withdrawn(machine_.devices[device]->description().space, domain::ByteRange{0, root.bytes()});
  return root.let_go(device);
}

DeviceMemory::Drop DeviceMemory::drop_replica(std::uint32_t device, const std::shared_ptr<Storage>& root) {
  const domain::SpaceId space = machine_.devices[device]->description().space;
  const domain::RangeSet all(domain::ByteRange{0, root->bytes()});
  const auto lock = RangeLock::try_take_ahead({claim_on(root, all, true)});
  if (!lock) return Drop::busy;
  domain::RangeSet only_there;
  {
    const MutexGuard guard(root->mutex());
    only_there = root->residency().valid_only(space, all);
    if (only_there.intersects(root->write_mapped_locked())) return Drop::busy;
  }
  if (!fetch_sole(device, *root, only_there, "make room")) return Drop::none;
  if (take_replica(device, *root, only_there) == nullptr) return Drop::busy;  // another thread dropped it meanwhile
  machine_.observer->dropped({device, only_there.bytes()});
  return Drop::dropped;
}

DeviceMemory::Drop DeviceMemory::drop_oldest(std::uint32_t device, std::span<Storage* const> kept,
                                             std::uint64_t& bytes) {
  bool busy = false;
  for (const Candidate& candidate : candidates(device, kept, busy)) {
    const Drop drop = drop_replica(device, candidate.root);
    if (drop == Drop::dropped) {
      bytes += candidate.root->bytes();
      return drop;
    }
    busy = busy || drop == Drop::busy;
  }
  return busy ? Drop::busy : Drop::none;
}

bool DeviceMemory::is_beyond_limit(std::uint32_t device, std::uint64_t bytes) const {
  const Account account = this->account(device);
  const std::uint64_t used = account.used->load();
  return used > account.limit || bytes > account.limit - used;
}

void DeviceMemory::pause(std::uint32_t device) {
  BatchGroup group;
  group.submit(*machine_.devices[device], Batch{});
  (void)group.wait();
  std::this_thread::sleep_for(kRoomPause);
}

DeviceMemory::Held DeviceMemory::hold(std::uint32_t device, std::span<Storage* const> roots, bool wait) {
  if (machine_.devices[device]->description().space == domain::kHostSpace) return Held::all;
  std::uint64_t needed = 0;
  for (const Storage* root : roots) needed += root->bytes();
  if (needed > limit(device)) return Held::full;
  struct Waiting {
    explicit Waiting(std::atomic<std::uint32_t>& waiting) : count(waiting) { ++count; }
    ~Waiting() { --count; }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    std::atomic<std::uint32_t>& count;
  };
  std::optional<Waiting> waiting;
  for (Storage* root : roots) {
    for (std::uint32_t in_vain = 0;;) {
      const auto made = root->native(device);
      if (made) break;
      if (!may_be_short_of_memory(made.error().code)) return Held::full;
      std::uint64_t freed = 0;
      const Drop drop = drop_oldest(device, roots, freed);
      if (drop == Drop::dropped) continue;
      // By themselves the roots fit the limit: what is beyond it is in use, whether or not that was to be seen just
      // now.
      const bool beyond = is_beyond_limit(device, root->bytes());
      if (drop == Drop::none && in_vain++ > (beyond ? kMaxRoomPauses : 0)) return Held::full;
      if (drop == Drop::none && !beyond) continue;  // others may have let go of something meanwhile
      if (!wait) return Held::busy;
      if (!waiting) waiting.emplace(waiting_);
      pause(device);
    }
  }
  return Held::all;
}

bool DeviceMemory::drop(std::uint32_t device, std::uint64_t bytes, std::span<Storage* const> roots) {
  if (machine_.devices[device]->description().space == domain::kHostSpace) return false;
  std::uint64_t freed = 0;
  while (freed < bytes && drop_oldest(device, roots, freed) == Drop::dropped) {
  }
  return freed != 0;
}

}  // namespace skmd::icd

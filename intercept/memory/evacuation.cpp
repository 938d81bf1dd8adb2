// SPDX-License-Identifier: Apache-2.0
// A device that was stopped gives back what it holds; and the roots that stand for turns of launches.
#include <future>
#include <thread>
#include <utility>

#include "intercept/machine/device_memory.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/memory_constants.h"
#include "intercept/memory/range_lock.h"
#include "intercept/memory/storage.h"
#include "partitioner/base/lock_order.h"

namespace skmd::icd {

namespace {

using namespace tuning;

/// All ranges of `roots` at once.
RangeLock take_whole(const std::vector<std::shared_ptr<Storage>>& roots, bool ahead,
                     const std::function<void()>& asked) {
  lock_order::expect_may_take(LockRank::ranges);
  std::vector<Claim> claims;
  claims.reserve(roots.size());
  for (const auto& root : roots) claims.push_back(claim_on(root, domain::ByteRange{0, root->bytes()}, true));
  if (ahead) {
    asked();
    for (;;) {
      if (auto lock = RangeLock::try_take_ahead(claims)) return std::move(*lock);
      std::this_thread::sleep_for(kRoomPause);
    }
  }
  std::promise<RangeLock> promise;
  RangeLock::request(std::move(claims), [&promise](RangeLock lock) { promise.set_value(std::move(lock)); });
  asked();
  return promise.get_future().get();
}

}  // namespace

std::vector<std::shared_ptr<Storage>> DeviceMemory::roots_on(std::uint32_t device) const {
  const bool apart = machine_.devices[device]->description().space != domain::kHostSpace;
  std::vector<std::shared_ptr<Storage>> all;  // the last owner may be here, and lets go without the mutex
  {
    const MutexGuard lock(mutex_);
    all.reserve(roots_.size());
    for (const auto& [address, owner] : roots_)
      if (auto root = owner.lock()) all.push_back(std::move(root));
  }
  std::vector<std::shared_ptr<Storage>> found;
  for (const auto& root : all)
    if (apart ? root->last_use(device) != 0 : root->has_native(device)) found.push_back(root);
  return found;
}

Status DeviceMemory::evacuate_root(std::uint32_t device, Storage& root, Evacuated& done) {
  domain::RangeSet only_there;
  domain::RangeSet mapped;
  if (const auto space = machine_.devices[device]->description().space; space != domain::kHostSpace) {
    const MutexGuard guard(root.mutex());
    only_there = root.residency().valid_only(space, domain::ByteRange{0, root.bytes()});
    mapped = root.write_mapped_locked();
  }
  // What the application has mapped for writing counts as it is in host memory.
  if (Status status = fetch_sole(device, root, only_there.difference(mapped), "evacuate"); !status) return status;
  done.sole_bytes += only_there.bytes();
  std::shared_ptr<NativeMemory> native;
  if (machine_.devices[device]->description().space != domain::kHostSpace) {
    native = take_replica(device, root, only_there);
  } else {
    const MutexGuard guard(root.mutex());
    native = root.let_go(device);
  }
  if (native != nullptr)
    ++done.roots;
  else if (root.has_native(device))
    ++done.kept;
  return {};
}

Result<DeviceMemory::Evacuated> DeviceMemory::evacuate(std::uint32_t device, bool ahead,
                                                       const std::function<void()>& asked) {
  Evacuated done;
  for (std::uint64_t kept = 0;; kept = done.kept) {
    const std::vector<std::shared_ptr<Storage>> roots = roots_on(device);
    // Commands that had their ranges before the device was stopped may have made more meanwhile.
    if (roots.size() <= kept) return done;
    done.kept = 0;
    const RangeLock lock = take_whole(roots, ahead, asked);
    for (const auto& root : roots)
      if (Status status = evacuate_root(device, *root, done); !status) return status.error();
  }
}

DeviceMemory::Usage DeviceMemory::usage(std::uint32_t device) const {
  Usage usage;
  const domain::SpaceId space = machine_.devices[device]->description().space;
  if (space == domain::kHostSpace) return usage;
  for (const auto& root : roots_on(device)) {
    usage.bytes += root->bytes();
    const MutexGuard guard(root->mutex());
    usage.sole_bytes += root->residency().valid_only(space, domain::ByteRange{0, root->bytes()}).bytes();
  }
  return usage;
}

std::shared_ptr<Storage> DeviceMemory::made_once(std::shared_ptr<Storage> DeviceMemory::*which) {
  {
    const MutexGuard lock(mutex_);
    if (this->*which != nullptr) return this->*which;
  }
  const auto made = Storage::create(machine_, 1, nullptr, nullptr);  // adds itself
  const MutexGuard lock(mutex_);
  if (this->*which == nullptr) this->*which = *made;
  return this->*which;
}

std::shared_ptr<Storage> DeviceMemory::turn() { return made_once(&DeviceMemory::turn_); }

std::shared_ptr<Storage> DeviceMemory::gate() { return made_once(&DeviceMemory::gate_); }

}  // namespace skmd::icd

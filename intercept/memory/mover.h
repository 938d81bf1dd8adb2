// SPDX-License-Identifier: Apache-2.0
// Moving bytes between memory spaces: from a domain::TransferList to batches of native operations. Blocking parts run
// on executor threads; the caller holds the ranges (RangeLock) and the move mutexes of the roots.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "intercept/memory/storage.h"
#include "partitioner/base/condition.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

/// Collects the ends of several batches; wait() helps the devices. One use.
class BatchGroup {
 public:
  BatchGroup() : state_(std::make_shared<State>()) {}
  /// Waits: what was submitted reads and writes memory that the owner of the group frees next, also when it gives up
  /// half way.
  ~BatchGroup() { (void)wait(); }
  BatchGroup(const BatchGroup&) = delete;
  BatchGroup& operator=(const BatchGroup&) = delete;
  /// Submits on `device`; `done`, if any, runs in the batch's completion before the group counts it, and throws
  /// nothing. Thread-safe until wait() is called; afterwards only a `done` of the group's may submit.
  void submit(Device& device, Batch&& batch, std::function<void(const BatchResult&)> done = {});
  /// Blocks until all have ended; returns the first failure.
  Status wait();

 private:
  struct State {
    Mutex mutex{LockRank::batch_group};
    Condition ended;
    std::size_t running SKMD_GUARDED_BY(mutex) = 0;
    cl_int status SKMD_GUARDED_BY(mutex) = CL_SUCCESS;
    std::string reason SKMD_GUARDED_BY(mutex);
  };
  std::shared_ptr<State> state_;
  // Under the state's mutex.
  std::vector<std::pair<Device*, Ticket>> tickets_;
  std::size_t submitting_ = 0;
  bool waiting_ = false;
};

/// Bytes of one root that one device must hold (or host memory: `device` = kHost).
struct MoveNeed {
  static constexpr std::uint32_t kHost = 0xFFFFFFFFu;
  Storage* storage = nullptr;
  std::uint32_t device = kHost;
  domain::RangeSet ranges;
};

using MoveNeeds = domain::InlineVector<MoveNeed>;

/// The moves for a set of needs, computed against residency at the time of make().
class MovePlan {
 public:
  /// Reads residency under each root's mutex. Bytes that a disabled device shares with others come from the others.
  static MovePlan make(Machine& machine, const MoveNeeds& needs);

  [[nodiscard]] bool gathers() const { return !list_.gathers.empty(); }
  [[nodiscard]] bool uploads() const { return !list_.uploads.empty() || !list_.fills.empty(); }
  /// make() and gather(), repeated if a device was disabled meanwhile. `needs` makes the same list at every call.
  /// Blocks.
  static Result<MovePlan> gathered(Machine& machine, const std::function<MoveNeeds()>& needs, const char* what);
  /// Device → host, blocking; commits `copied(host)` to residency. Bytes that devices exchange again and again go past
  /// the host copy, and are valid there no sooner than before.
  Status gather(const char* what);
  /// The operations that bring `device` what it needs, to be put before its slices; nothing is committed.
  Result<std::vector<Op>> upload_ops(std::uint32_t device);
  /// Bytes that upload_ops(device) sends from host memory.
  [[nodiscard]] std::uint64_t upload_bytes(std::uint32_t device) const;
  /// Host ranges of `storage` that uploads to any device still read.
  [[nodiscard]] domain::RangeSet upload_sources(const Storage* storage) const;
  /// Commits residency after uploads and zero fills. Precondition: they have ended, or they are submitted to in-order
  /// queues and used only by commands behind them.
  void commit_uploads();
  /// The batch with the uploads to `device` has failed: what commit_uploads() promised may not be there. In the
  /// batch's `done`, so that those behind it on the device's queue see it when they end.
  void revoke_uploads(std::uint32_t device);

 private:
  explicit MovePlan(Machine& machine) : machine_(&machine) {}
  Machine* machine_;
  domain::InlineVector<Storage*, 2> roots_;
  domain::TransferList list_;
  domain::InlineVector<domain::RangeSet> host_needs_;  // per root
  /// Bytes that are on their way from a device to others, past the host copy.
  struct Exchange {
    std::uint32_t root = 0;
    domain::RangeSet ranges;
    std::byte* host = nullptr;  // where the root's byte 0 would be
    std::shared_ptr<HostPages> block;
  };
  std::vector<Exchange> exchanges_;
  /// Where a gather's bytes go.
  Result<std::byte*> target_of(const domain::Transfer& gather);
  [[nodiscard]] bool is_exchanged(const domain::Transfer& gather) const;
  Status append_uploads(std::uint32_t device, const domain::Transfer& upload, std::vector<Op>& ops);
};

/// Locks the move mutexes of several roots in address order, each once.
class MoveGuard {
 public:
  explicit MoveGuard(std::vector<Storage*> roots);
  MoveGuard(MoveGuard&& other) noexcept : roots_(std::move(other.roots_)) { other.roots_.clear(); }
  ~MoveGuard();
  MoveGuard(const MoveGuard&) = delete;
  MoveGuard& operator=(const MoveGuard&) = delete;

 private:
  std::vector<Storage*> roots_;
};

/// After a command that used bytes of `ranges` where they were on `device`, and ended well: false if they were put
/// there by a batch before it that has turned out to have failed.
bool still_valid(const Machine& machine, Storage& storage, std::uint32_t device, const domain::RangeSet& ranges);

/// The pages of `ranges` at `host` (the address of byte 0), if all of them are page-locked for the device or can be
/// (HostPagesMap::locked()).
std::shared_ptr<const void> locked_pages(Machine& machine, std::uint32_t device, const std::byte* host,
                                         const domain::RangeSet& ranges);

/// Operations that read `ranges` of `root` from its native object into `host`, or write them; of images the bytes of
/// their tight layout. `host` is the address of root byte 0. `locked`: locked_pages().
void append_reads(const Storage& root, const std::shared_ptr<NativeMemory>& native, std::byte* host,
                  const domain::RangeSet& ranges, std::vector<Op>& ops,
                  const std::shared_ptr<const void>& locked = nullptr);
void append_writes(const Storage& root, const std::shared_ptr<NativeMemory>& native, const std::byte* host,
                   const domain::RangeSet& ranges, std::vector<Op>& ops,
                   const std::shared_ptr<const void>& locked = nullptr);

/// Device index that owns memory space `space` (not the host space).
std::uint32_t device_of_space(const Machine& machine, domain::SpaceId space);

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// Which commands may run together: locks over byte ranges of roots.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "intercept/memory/storage.h"
#include "partitioner/base/byte_ranges.h"

namespace skmd::icd {

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
  /// Does not block: calls `granted` once no running command conflicts, nor one that has waited longer; on this thread,
  /// or on the one that released the last conflicting range, maybe in a destructor. `granted` must not block or throw.
  static void request(std::vector<Claim> claims, std::function<void(RangeLock)> granted);
  /// Does not block. Empty if a command waits for a conflicting range or holds one, except holders on the same `chain`
  /// (non-null): these were submitted to that device's in-order queue, and end there before this command.
  static std::optional<RangeLock> try_take(std::vector<Claim> claims, Device* chain);
  /// Like try_take(), but granted also ahead of claims that wait. Precondition: the caller changes no bytes. Empty if a
  /// conflicting range is held.
  static std::optional<RangeLock> try_take_ahead(std::vector<Claim> claims);
  /// As try_take(), with claims that outlive the lock and do not change.
  static std::optional<RangeLock> try_take_kept(std::span<const Claim> claims, Device* chain);

  /// Whether a command waits for a range that conflicts with `claims`.
  static bool is_wanted(std::span<const Claim> claims);

  /// The command left the queue of its chain: from now on its ranges conflict with those of other commands on that
  /// queue, too.
  void unchain();
  /// Of a command on a chain: a command before it left the chain and still holds ranges that this one touches.
  [[nodiscard]] bool overtook() const;

  RangeLock();
  RangeLock(RangeLock&& other) noexcept;
  RangeLock& operator=(RangeLock&& other) noexcept;
  ~RangeLock();
  /// Releases the ranges, if any are held. May call `granted` of waiting requests on this thread, and so start
  /// commands.
  void release();

 private:
  friend class Storage;
  friend class PreparedRequest;
  friend struct LockTable;
  struct Entry;
  static std::optional<RangeLock> try_take(std::unique_ptr<Entry> entry, bool ahead = false);
  std::unique_ptr<Entry> entry_;
};

/// A request that has all the memory that waiting takes, for effects that must come about although memory is short.
class PreparedRequest {
 public:
  /// As for RangeLock::request().
  PreparedRequest(std::vector<Claim> claims, std::function<void(RangeLock)> granted);
  PreparedRequest(const PreparedRequest&) = delete;
  PreparedRequest& operator=(const PreparedRequest&) = delete;
  ~PreparedRequest();
  /// As RangeLock::request(); only the first call has an effect. Where there is no memory to hold the ranges, `granted`
  /// is called in a later release().
  void submit() noexcept;

 private:
  struct Waiting;
  std::unique_ptr<Waiting> waiting_;
};

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// Commands that were submitted whole to one device and have to run again: their batch failed, or one before it that
// they relied on.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>

#include "intercept/machine/machine.h"
#include "intercept/memory/storage.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

/// Bytes that a command read and may have overwritten, with no other copy: their old values are lost, and a command
/// that reads them cannot run again.
using LostRanges = std::map<std::shared_ptr<Storage>, domain::RangeSet>;

/// What is to be done for one command. Both run on an executor thread, with the command's ranges still held.
struct Redo {
  std::function<void(LostRanges&)> take_back;  // residency as if it had never been submitted
  std::function<void(LostRanges&)> again;
};

/// One list for all: work is added in the order in which a device's batches end, which is the order in which they were
/// submitted. When everything else on a device has ended, all that is in the list for it is taken back, the newest
/// first: a command that relied on a failed one may have overwritten what that one reads. Then each runs again, the
/// oldest first. So a command that relied on a failed one is found (it is added when it ends) before that one runs
/// again. Bytes that one command lost may be restored when an earlier one is taken back, or written when that one runs
/// again. Thread-safe.
class Recovery {
 public:
  static Recovery& get();
  /// From a batch's `done`: does not block.
  void add(Machine& machine, Device& device, Redo redo);

 private:
  struct Job {
    Device* device = nullptr;
    Redo redo;
    bool taken_back = false;
  };
  void work();
  void take_back(Device& device);
  [[nodiscard]] std::ptrdiff_t jobs_of(const Device& device);
  /// Blocks until all commands that relied on those in the list are in it as well.
  void wait_for_followers(Device& device);
  Mutex mutex_{LockRank::recovery};
  std::deque<Job> jobs_ SKMD_GUARDED_BY(mutex_);
  std::map<const Device*, LostRanges> lost_ranges_;  // only work() uses it
  bool working_ SKMD_GUARDED_BY(mutex_) = false;
};

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// Commands that were submitted whole to one device and have to run again: their batch failed, or one before it on which
// they counted.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>

#include "intercept/object/machine.h"
#include "intercept/object/storage.h"
#include "partitioner/mutex.h"

namespace skmd::icd {

/// Bytes that a command read and may have overwritten, with no other copy: nobody may take them for what they were.
using Spoilt = std::map<std::shared_ptr<Storage>, domain::RangeSet>;

/// What is to be done for one command. Both run on an executor thread, with the command's ranges still held.
struct Redo {
  std::function<void(Spoilt&)> take_back;  // residency as if it had never been submitted
  std::function<void(Spoilt&)> again;
};

/// One list for all: work is added in the order in which a device's batches end, which is the order in which they were
/// submitted. When everything else on a device has ended, all that is in the list for it is taken back, the newest
/// first: a command that counted on a failed one may have overwritten what that one reads. Then each runs again, the
/// oldest first. So a command that counted on a failed one is found (it is added when it ends) before that runs again.
/// What a command spoilt may be restored with one before it, or written by that when it runs again.
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
  /// Until all commands that counted on those in the list are in it as well.
  void wait_for_followers(Device& device);
  Mutex mutex_;
  std::deque<Job> jobs_ SKMD_GUARDED_BY(mutex_);
  std::map<const Device*, Spoilt> spoilt_;  // only work() uses it
  bool working_ SKMD_GUARDED_BY(mutex_) = false;
};

}  // namespace skmd::icd

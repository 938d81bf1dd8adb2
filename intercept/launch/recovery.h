// SPDX-License-Identifier: Apache-2.0
// Launches that were submitted whole and have to run again: their batch failed, or one before it on which they counted.
#pragma once

#include <deque>
#include <functional>
#include <mutex>

#include "intercept/object/machine.h"

namespace skmd::icd {

/// One list for all: work is added in the order in which a device's batches end, which is the order in which they were
/// submitted, and done in that order, each after everything else on its device has ended. So a launch that counted on a
/// failed one is found (it is added when it ends) before the failed one runs again, and runs after it.
class Recovery {
 public:
  static Recovery& get();
  /// From a batch's `done`: does not block. `again` runs on an executor thread, with the launch's ranges still held.
  void add(Machine& machine, Device& device, std::function<void()> again);

 private:
  struct Job {
    Device* device = nullptr;
    std::function<void()> again;
  };
  void work();
  std::mutex mutex_;
  std::deque<Job> jobs_;
  bool working_ = false;
};

}  // namespace skmd::icd

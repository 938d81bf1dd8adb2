// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>

#include "partitioner/base/mutex.h"

namespace skmd::icd {

/// A value that is made at its first use and kept. Threads that ask at the same time get the same value; all but the
/// one that makes it wait. If making it throws, the exception leaves get(), nothing is kept, and the next use tries
/// again. std::call_once states the same, but where pthread_once() was built without exceptions, or is
/// ThreadSanitizer's, the next use waits for ever.
template <class Value>
class MadeOnce {
 public:
  template <class Make>
  const Value& get(const Make& make) {
    if (made_.load(std::memory_order_acquire)) return value_;
    const MutexGuard lock(mutex_);
    if (!made_.load(std::memory_order_relaxed)) {
      value_ = make();
      made_.store(true, std::memory_order_release);
    }
    return value_;
  }

 private:
  std::atomic<bool> made_{false};
  Mutex mutex_{LockRank::made_once};
  Value value_{};  // written under mutex_, and not changed once made_ is set
};

}  // namespace skmd::icd

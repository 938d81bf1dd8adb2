// SPDX-License-Identifier: Apache-2.0
// A condition that another thread brings about, for tests of mutexes.
#pragma once

#include <gtest/gtest.h>

#include <thread>

#include "partitioner/base/condition.h"
#include "partitioner/base/mutex.h"

namespace skmd {

/// Waits until another thread has had the mutex, with `wait`, which is given the condition, the lock, and whether that
/// thread has come to it: one of Condition's functions. Precondition: the calling thread does not hold the mutex.
template <class Wait>
void wait_for_another_thread(Mutex& mutex, const Wait& wait) {
  Condition changed;
  bool ready = false;
  MutexLock lock(mutex);
  std::thread other([&] {
    const MutexGuard guard(mutex);
    ready = true;
    changed.notify_one();
  });
  wait(changed, lock, ready);
  EXPECT_TRUE(ready);
  EXPECT_TRUE(lock.owns_lock());
  lock.unlock();
  other.join();
}

}  // namespace skmd

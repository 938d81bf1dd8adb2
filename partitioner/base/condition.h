// SPDX-License-Identifier: Apache-2.0
// std::condition_variable for a skmd::Mutex.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "partitioner/base/mutex.h"

namespace skmd {

#ifdef SKMD_LOCK_ORDER

/// The same functions, which note that the mutex is not held meanwhile, and assert that it may be locked again. `ready`
/// is called with the mutex held, which the analysis cannot know by the lock.
class Condition {
 public:
  void notify_one() noexcept { condition_.notify_one(); }
  void notify_all() noexcept { condition_.notify_all(); }

  void wait(UniqueLock& lock) {
    without(lock, [&](auto& native) { condition_.wait(native); });
  }
  template <class Ready>
  void wait(UniqueLock& lock, Ready ready) SKMD_NOT_ANALYSED {
    while (!ready()) wait(lock);
  }
  template <class Time>
  std::cv_status wait_until(UniqueLock& lock, const Time& time) {
    auto status = std::cv_status::no_timeout;
    without(lock, [&](auto& native) { status = condition_.wait_until(native, time); });
    return status;
  }
  template <class Time, class Ready>
  bool wait_until(UniqueLock& lock, const Time& time, Ready ready) SKMD_NOT_ANALYSED {
    while (!ready())
      if (wait_until(lock, time) == std::cv_status::timeout) return ready();
    return true;
  }
  template <class Time, class Ready>
  bool wait_for(UniqueLock& lock, const Time& time, Ready ready) {
    return wait_until(lock, std::chrono::steady_clock::now() + time, std::move(ready));
  }

 private:
  template <class Wait>
  static void without(UniqueLock& lock, const Wait& wait) {
    Mutex& mutex = *lock.mutex();
    mutex.held_.remove();
    mutex.held_.expect_may_wait();
    std::unique_lock<std::mutex> native(mutex.mutex_, std::adopt_lock);
    wait(native);
    native.release();
    mutex.held_.add();
  }

  std::condition_variable condition_;
};

#else
using Condition = std::condition_variable;
#endif

}  // namespace skmd

// SPDX-License-Identifier: Apache-2.0
// std::mutex and its locks, with annotations by which Clang checks at compile time that what a mutex guards is only
// touched under it (-Wthread-safety; cmake/warnings.cmake makes it an error). Other compilers see no annotation.
// Each names its place in the order of locks, which debug and sanitizer builds assert (lock_order.h). In other builds
// nothing is added to the locks: a Mutex is a std::mutex in size, construction, destruction and what it calls.
//
// Written so:
//   Mutex mutex_{LockRank::account};
//   int count_ SKMD_GUARDED_BY(mutex_) = 0;
//   void add() SKMD_REQUIRES(mutex_);  // "with mutex_ held"
// A lambda is a function of its own: [this]() SKMD_REQUIRES(mutex_) { return count_ > 0; }
//
// What the analysis cannot follow: a lock that is moved or passed on, or taken on a condition. Such a lock is a
// UniqueLock, which a MutexLock converts to and which the analysis does not see. A function that takes one by
// reference, and may release the mutex for a while, says SKMD_REQUIRES for its callers; what it does in between is not
// checked.
#pragma once

#include <mutex>

#include "partitioner/base/lock_order.h"

#if defined(__clang__) && !defined(SKMD_THREADS_UNCHECKED)
#define SKMD_THREAD_SAFETY(x) __attribute__((x))
#else
#define SKMD_THREAD_SAFETY(x)
#endif

/// The member is read and written with the mutex held only.
#define SKMD_GUARDED_BY(mutex) SKMD_THREAD_SAFETY(guarded_by(mutex))
/// The function is called with the mutex held, and returns so.
#define SKMD_REQUIRES(...) SKMD_THREAD_SAFETY(requires_capability(__VA_ARGS__))
/// The function locks the mutex, or releases it, for its caller.
#define SKMD_ACQUIRE(...) SKMD_THREAD_SAFETY(acquire_capability(__VA_ARGS__))
#define SKMD_RELEASE(...) SKMD_THREAD_SAFETY(release_capability(__VA_ARGS__))
#define SKMD_TRY_ACQUIRE(...) SKMD_THREAD_SAFETY(try_acquire_capability(__VA_ARGS__))
/// The function returns this mutex.
#define SKMD_RETURNS_LOCK(mutex) SKMD_THREAD_SAFETY(lock_returned(mutex))
/// The function's body is not checked. The reason stands beside it.
#define SKMD_NOT_ANALYSED SKMD_THREAD_SAFETY(no_thread_safety_analysis)

namespace skmd {

class SKMD_THREAD_SAFETY(capability("mutex")) Mutex {
 public:
  /// `rank`: of this mutex alone, or of one member of a class.
  explicit constexpr Mutex(LockRank rank) : held_(rank) {}
  void lock() SKMD_ACQUIRE() {
    held_.expect_may_wait();
    mutex_.lock();
    held_.add();
  }
  void unlock() SKMD_RELEASE() {
    held_.remove();
    mutex_.unlock();
  }
  bool try_lock() SKMD_TRY_ACQUIRE(true) {
    const bool taken = mutex_.try_lock();
    if (taken) held_.add();
    return taken;
  }

 private:
  friend class MutexLock;
#ifdef SKMD_LOCK_ORDER
  friend class Condition;
#endif
  std::mutex mutex_;
  [[no_unique_address]] lock_order::Held held_;
};

/// Holds a mutex that may be given back early, taken again, waited with (Condition) or passed on.
#ifdef SKMD_LOCK_ORDER
using UniqueLock = std::unique_lock<Mutex>;
#else
using UniqueLock = std::unique_lock<std::mutex>;
#endif

/// std::lock_guard.
class SKMD_THREAD_SAFETY(scoped_lockable) MutexGuard {
 public:
  explicit MutexGuard(Mutex& mutex) SKMD_ACQUIRE(mutex) : mutex_(mutex) { mutex.lock(); }
  /// Takes over the mutex, which the caller has locked.
  MutexGuard(Mutex& mutex, std::adopt_lock_t) SKMD_REQUIRES(mutex) : mutex_(mutex) {}
  ~MutexGuard() SKMD_RELEASE() { mutex_.unlock(); }
  MutexGuard(const MutexGuard&) = delete;
  MutexGuard& operator=(const MutexGuard&) = delete;

 private:
  Mutex& mutex_;
};

/// std::unique_lock, for code that releases the mutex before its scope ends, and for Condition.
class SKMD_THREAD_SAFETY(scoped_lockable) MutexLock : public UniqueLock {
 public:
  explicit MutexLock(Mutex& mutex) SKMD_ACQUIRE(mutex) : UniqueLock(in(mutex)) {}
  /// Takes over the mutex, which the caller has locked.
  MutexLock(Mutex& mutex, std::adopt_lock_t adopt) SKMD_REQUIRES(mutex) : UniqueLock(in(mutex), adopt) {}
  ~MutexLock() SKMD_RELEASE() {}
  MutexLock(MutexLock&&) = delete;
  MutexLock& operator=(MutexLock&&) = delete;
  void lock() SKMD_ACQUIRE() { UniqueLock::lock(); }
  void unlock() SKMD_RELEASE() { UniqueLock::unlock(); }

 private:
  static mutex_type& in(Mutex& mutex) {
#ifdef SKMD_LOCK_ORDER
    return mutex;
#else
    return mutex.mutex_;
#endif
  }
};

}  // namespace skmd

// SPDX-License-Identifier: Apache-2.0
// std::mutex and its locks, with annotations by which Clang checks at compile time that what a mutex guards is only
// touched under it (-Wthread-safety; cmake/warnings.cmake makes it an error). Other compilers see no annotation.
// Nothing is added to the locks themselves: a Mutex is a std::mutex in size, construction, destruction and what it
// calls.
//
// Written so:
//   Mutex mutex_;
//   int count_ SKMD_GUARDED_BY(mutex_) = 0;
//   void add() SKMD_REQUIRES(mutex_);  // "with mutex_ held"
// A lambda is a function of its own: [this]() SKMD_REQUIRES(mutex_) { return count_ > 0; }
//
// What the analysis cannot follow: a lock that is moved or passed on, or taken on a condition. Such a lock is a
// std::unique_lock<std::mutex>, which a MutexLock converts to and which the analysis does not see. A function that
// takes one by reference, and may release the mutex for a while, says SKMD_REQUIRES for its callers; what it does in
// between is not checked.
#pragma once

#include <mutex>

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
  void lock() SKMD_ACQUIRE() { mutex_.lock(); }
  void unlock() SKMD_RELEASE() { mutex_.unlock(); }
  bool try_lock() SKMD_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

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

/// std::unique_lock, for code that releases the mutex before its scope ends, and for std::condition_variable.
class SKMD_THREAD_SAFETY(scoped_lockable) MutexLock : public std::unique_lock<std::mutex> {
 public:
  explicit MutexLock(Mutex& mutex) SKMD_ACQUIRE(mutex) : unique_lock(mutex.mutex_) {}
  /// Takes over the mutex, which the caller has locked.
  MutexLock(Mutex& mutex, std::adopt_lock_t adopt) SKMD_REQUIRES(mutex) : unique_lock(mutex.mutex_, adopt) {}
  ~MutexLock() SKMD_RELEASE() {}
  MutexLock(MutexLock&&) = delete;
  MutexLock& operator=(MutexLock&&) = delete;
  void lock() SKMD_ACQUIRE() { unique_lock::lock(); }
  void unlock() SKMD_RELEASE() { unique_lock::unlock(); }
};

}  // namespace skmd

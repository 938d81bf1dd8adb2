// SPDX-License-Identifier: Apache-2.0
#include "partitioner/base/mutex.h"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

#include "partitioner/base/condition.h"
#include "tests/partitioner/wait_for_another_thread.h"

namespace skmd {
namespace {

// A forked child abandons locks that other threads held, and the exit destroys none: as with std::mutex, there is
// nothing to run before main() or after it.
#ifndef SKMD_LOCK_ORDER
static_assert(sizeof(Mutex) == sizeof(std::mutex));
static_assert(alignof(Mutex) == alignof(std::mutex));
static_assert(sizeof(MutexLock) == sizeof(std::unique_lock<std::mutex>));
static_assert(std::is_same_v<UniqueLock, std::unique_lock<std::mutex>>);
static_assert(std::is_same_v<Condition, std::condition_variable>);
#endif
static_assert(std::is_trivially_destructible_v<Mutex> == std::is_trivially_destructible_v<std::mutex>);
static_assert(!std::is_copy_constructible_v<Mutex> && !std::is_move_constructible_v<Mutex>);
constinit Mutex made_before_main(LockRank::pool);

bool free_for_another_thread(Mutex& mutex) {
  bool taken = false;
  std::thread([&] {
    taken = mutex.try_lock();
    if (taken) mutex.unlock();
  }).join();
  return taken;
}

TEST(Mutex, IsHeldForTheScope) {
  {
    const MutexGuard guard(made_before_main);
    EXPECT_FALSE(free_for_another_thread(made_before_main));
  }
  EXPECT_TRUE(free_for_another_thread(made_before_main));
  ASSERT_TRUE(made_before_main.try_lock());
  { const MutexGuard adopted(made_before_main, std::adopt_lock); }
  EXPECT_TRUE(free_for_another_thread(made_before_main));
}

TEST(Mutex, CanBeLetGoOfAndTakenAgain) {
  Mutex mutex(LockRank::pool);
  MutexLock lock(mutex);
  lock.unlock();
  EXPECT_TRUE(free_for_another_thread(mutex));
  lock.lock();
  EXPECT_FALSE(free_for_another_thread(mutex));
}

TEST(Mutex, IsPassedOnAsAStandardLock) {
  Mutex mutex(LockRank::pool);
  const auto ends_with_the_callee = [&](UniqueLock lock) {
    EXPECT_TRUE(lock.owns_lock());
    EXPECT_FALSE(free_for_another_thread(mutex));
  };
  MutexLock lock(mutex);
  ends_with_the_callee(std::move(lock));
  EXPECT_TRUE(free_for_another_thread(mutex));
}

TEST(Mutex, IsLetGoOfWhileAConditionIsWaitedFor) {
  Mutex mutex(LockRank::pool);
  wait_for_another_thread(mutex, [&](Condition& changed, UniqueLock& lock, const bool& ready) {
    changed.wait(lock, [&] { return ready; });
    EXPECT_FALSE(free_for_another_thread(mutex));
  });
}

}  // namespace
}  // namespace skmd

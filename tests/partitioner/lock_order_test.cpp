// SPDX-License-Identifier: Apache-2.0
// The order of locks is asserted. This program is compiled with SKMD_LOCK_ORDER in every build.
#include "partitioner/base/lock_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <latch>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "partitioner/base/condition.h"
#include "partitioner/base/mutex.h"
#include "tests/intercept/launch/allocation_counter.h"
#include "tests/partitioner/wait_for_another_thread.h"

namespace skmd {
namespace {

static_assert(lock_order::kAsserted);
// As without the assertion: a forked child abandons locks that other threads held, and the exit destroys none.
static_assert(std::is_trivially_destructible_v<Mutex> == std::is_trivially_destructible_v<std::mutex>);

std::vector<std::string>& violations() {
  static auto* const list = new std::vector<std::string>;
  return *list;
}

void note(const lock_order::Violation& violation) {
  violations().push_back(std::string(violation.lock) + " " + violation.what +
                         (violation.other == nullptr ? std::string() : " " + std::string(violation.other)));
}

using Violations = std::vector<std::string>;

/// What was done against the order is noted, and done.
class LockOrder : public testing::Test {
 protected:
  LockOrder() { lock_order::handler = note; }
  ~LockOrder() override {
    lock_order::handler = lock_order::print_and_abort;
    violations().clear();
  }

  Mutex controller_{LockRank::controller};
  Mutex move_{LockRank::move};
  Mutex storage_{LockRank::storage};
  Mutex event_{LockRank::event};
  Mutex queue_{LockRank::queue};
  Mutex pool_{LockRank::pool};
  Mutex executor_{LockRank::executor};
};

template <class Done>
void on_another_thread(const Done& done) {
  std::thread(done).join();
}

TEST_F(LockOrder, AnInversionIsReportedWithoutAnotherThread) {
  const MutexGuard storage(storage_);
  const MutexGuard move(move_);
  EXPECT_EQ(violations(), Violations{"Storage::move_mutex_ is waited for under Storage::mutex_"});
}

TEST_F(LockOrder, LocksAreTakenDownwards) {
  const MutexGuard controller(controller_);
  const MutexGuard move(move_);
  {
    const MutexGuard storage(storage_);
    const MutexGuard pool(pool_);
  }
  {
    const MutexGuard event(event_);
    const MutexGuard executor(executor_);
  }
  const MutexGuard storage(storage_);
  EXPECT_EQ(violations(), Violations());
}

TEST_F(LockOrder, AllThatAreHeldCount) {
  const MutexGuard controller(controller_);
  const MutexGuard event(event_);
  const MutexGuard pool(pool_);
  const MutexGuard move(move_);
  EXPECT_EQ(violations(), (Violations{"Storage::move_mutex_ is waited for under Pool::State::mutex",
                                      "Storage::move_mutex_ is waited for under Event::mutex_"}));
}

TEST_F(LockOrder, LocksOfOneLevelAreNotHeldTogether) {
  Mutex other(LockRank::event);
  const MutexGuard event(event_);
  {
    const MutexGuard queue(queue_);
    EXPECT_EQ(std::exchange(violations(), {}), Violations{"Queue::mutex_ is waited for under Event::mutex_"});
  }
  const MutexGuard second(other);
  EXPECT_EQ(violations(), Violations{"Event::mutex_ is waited for under Event::mutex_"});
}

TEST_F(LockOrder, NothingIsLockedUnderALeaf) {
  const MutexGuard pool(pool_);
  const MutexGuard executor(executor_);
  EXPECT_EQ(violations(), Violations{"Executor::State::mutex is waited for under Pool::State::mutex"});
}

TEST_F(LockOrder, MoveMutexesAreTakenInTheOrderOfAddresses) {
  struct {
    Mutex first{LockRank::move};
    Mutex second{LockRank::move};
    Mutex third{LockRank::move};
  } roots;
  {
    const MutexGuard first(roots.first);
    const MutexGuard second(roots.second);
    const MutexGuard third(roots.third);
    EXPECT_EQ(violations(), Violations());
  }
  const MutexGuard first(roots.first);
  const MutexGuard third(roots.third);
  const MutexGuard second(roots.second);
  EXPECT_EQ(violations(),
            Violations{"Storage::move_mutex_ is locked against the order of addresses, under Storage::move_mutex_"});
}

TEST_F(LockOrder, ATryIsFreeAndCountsAsHeld) {
  const MutexGuard storage(storage_);
  ASSERT_TRUE(move_.try_lock());
  EXPECT_EQ(violations(), Violations());
  storage_.unlock();
  {
    const MutexGuard controller(controller_);
    EXPECT_EQ(std::exchange(violations(), {}),
              Violations{"Controller::mutex_ is waited for under Storage::move_mutex_"});
  }
  move_.unlock();
  on_another_thread([&] {
    const MutexGuard move(move_);
    on_another_thread([&] { EXPECT_FALSE(move_.try_lock()); });  // and so is not held there
    EXPECT_EQ(violations(), Violations());
  });
  storage_.lock();
  EXPECT_EQ(violations(), Violations());
}

TEST_F(LockOrder, WhatOtherThreadsHoldDoesNotCount) {
  const MutexGuard storage(storage_);
  on_another_thread([&] {
    const MutexGuard move(move_);
    const MutexGuard pool(pool_);
  });
  EXPECT_EQ(violations(), Violations());
  on_another_thread([&] {
    const MutexGuard pool(pool_);
    const MutexGuard move(move_);
  });
  EXPECT_EQ(violations(), Violations{"Storage::move_mutex_ is waited for under Pool::State::mutex"});
}

TEST_F(LockOrder, LocksAreGivenBackInAnyOrder) {
  MutexLock controller(controller_);
  MutexLock move(move_);
  MutexLock event(event_);
  move.unlock();
  {
    const MutexGuard storage(storage_);
    EXPECT_EQ(std::exchange(violations(), {}), Violations{"Storage::mutex_ is waited for under Event::mutex_"});
  }
  event.unlock();
  const MutexGuard storage(storage_);
  EXPECT_EQ(violations(), Violations());
}

TEST_F(LockOrder, LocksThatArePassedOnAreFollowed) {
  {
    MutexLock passed(event_);
    [](UniqueLock lock) { EXPECT_TRUE(lock.owns_lock()); }(std::move(passed));
    const MutexGuard move(move_);
  }
  UniqueLock kept;
  kept = MutexLock(event_);
  kept.unlock();
  const MutexGuard storage(storage_);
  EXPECT_EQ(violations(), Violations());
  kept.lock();
  EXPECT_EQ(violations(), Violations());
  const MutexGuard queue(queue_);
  EXPECT_EQ(violations(), Violations{"Queue::mutex_ is waited for under Event::mutex_"});
}

TEST_F(LockOrder, AMutexIsNotHeldWhileAConditionIsWaitedFor) {
  const auto long_time = std::chrono::hours(1);
  const MutexGuard move(move_);
  wait_for_another_thread(event_, [](Condition& c, UniqueLock& lock, const bool& ready) {
    while (!ready) c.wait(lock);
  });
  wait_for_another_thread(
      event_, [](Condition& c, UniqueLock& lock, const bool& ready) { c.wait(lock, [&] { return ready; }); });
  wait_for_another_thread(event_, [&](Condition& c, UniqueLock& lock, const bool& ready) {
    EXPECT_TRUE(c.wait_for(lock, long_time, [&] { return ready; }));
  });
  wait_for_another_thread(event_, [&](Condition& c, UniqueLock& lock, const bool& ready) {
    while (!ready) c.wait_until(lock, std::chrono::system_clock::now() + long_time);
    EXPECT_TRUE(c.wait_until(lock, std::chrono::system_clock::now(), [&] { return ready; }));
  });
  EXPECT_EQ(violations(), Violations());
  const MutexGuard again(event_);
  const MutexGuard pool(pool_);
  EXPECT_EQ(violations(), Violations());
}

TEST_F(LockOrder, TimesEndWaitsForConditions) {
  Condition changed;
  MutexLock lock(event_);
  const auto now = std::chrono::system_clock::now();
  EXPECT_FALSE(changed.wait_until(lock, now, [] { return false; }));
  EXPECT_FALSE(changed.wait_for(lock, std::chrono::milliseconds(1), [] { return false; }));
  while (changed.wait_until(lock, now) != std::cv_status::timeout) {
  }
  EXPECT_TRUE(lock.owns_lock());
  const MutexGuard pool(pool_);
  EXPECT_EQ(violations(), Violations());
}

TEST_F(LockOrder, AWaitForAConditionLocksAgain) {
  Condition changed;
  MutexLock storage(storage_);
  const MutexGuard pool(pool_);
  changed.wait_until(storage, std::chrono::system_clock::now());
  EXPECT_EQ(violations(), Violations{"Storage::mutex_ is waited for under Pool::State::mutex"});
}

TEST_F(LockOrder, OtherWaitsHaveTheirPlace) {
  lock_order::expect_may_take(LockRank::ranges);
  {
    const MutexGuard controller(controller_);
    lock_order::expect_may_take(LockRank::ranges);
    const MutexGuard move(move_);
    lock_order::expect_may_take(LockRank::help);
    EXPECT_EQ(violations(), Violations());
    lock_order::expect_may_take(LockRank::ranges);
    EXPECT_EQ(std::exchange(violations(), {}),
              Violations{"RangeLock::take() is waited for under Storage::move_mutex_"});
  }
  const MutexGuard storage(storage_);
  lock_order::expect_may_take(LockRank::help);
  EXPECT_EQ(violations(), Violations{"Device::help() is waited for under Storage::mutex_"});
}

TEST_F(LockOrder, AFlagIsHeldWhileItsFunctionRuns) {
  OnceFlag flag(LockRank::made_later), other(LockRank::made_later);
  int made = 0;
  const MutexGuard move(move_);
  flag.call([&] {
    const MutexGuard storage(storage_);
    ++made;
  });
  EXPECT_EQ(std::exchange(violations(), {}), Violations{"Storage::mutex_ is waited for under MadeLater::once_"});
  const MutexGuard pool(pool_);
  flag.call([&] { ++made; });
  EXPECT_EQ(violations(), Violations()) << "where the function has run, nothing waits";
  other.call([&] { ++made; });
  EXPECT_EQ(violations(), Violations{"MadeLater::once_ is waited for under Pool::State::mutex"});
  EXPECT_EQ(made, 2);
}

TEST_F(LockOrder, AFlagIsFreeAfterAnException) {
  OnceFlag flag(LockRank::made_later);
  EXPECT_THROW(flag.call([] { throw std::runtime_error("no"); }), std::runtime_error);
  const MutexGuard storage(storage_);
  EXPECT_EQ(violations(), Violations());
}

TEST_F(LockOrder, AScopeReturnsWhatItTook) {
  const MutexGuard controller(controller_);
  {
    const lock_order::Balance balance;
    const MutexGuard move(move_);
  }
  EXPECT_EQ(violations(), Violations());
  {
    const lock_order::Balance balance;
    move_.lock();
  }
  EXPECT_EQ(violations(),
            Violations{"Storage::move_mutex_ is still held at the end of a scope that did not begin with it"});
  violations().clear();
  {
    const lock_order::Balance balance;
    move_.unlock();
    controller_.unlock();
  }
  EXPECT_EQ(violations(), Violations{"Storage::move_mutex_ was given back by a scope that began with it"});
  controller_.lock();
}

void give_back_twice(Mutex& mutex) {
  mutex.lock();
  std::thread([&] { mutex.unlock(); }).join();
  mutex.unlock();
}

TEST(LockOrderDeath, EndsTheProcessWithBothNames) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  Mutex submit(LockRank::submit), list(LockRank::submission_queue);
  const auto invert = [&] {
    const MutexGuard first(list);
    const MutexGuard second(submit);
  };
  EXPECT_DEATH(invert(),
               "docs/threads.md.: SubmissionQueue::submit_mutex_ is waited for under SubmissionQueue::mutex_");
  Mutex event(LockRank::event);
  EXPECT_DEATH(give_back_twice(event), "Event::mutex_ is given back by a thread that does not hold it");
}

void lock_twice(Mutex& mutex) {
  const MutexGuard first(mutex);
  const MutexGuard second(mutex);
}

TEST(LockOrderDeath, EndsTheProcessInsteadOfWaitingForItself) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  Mutex event(LockRank::event);
  EXPECT_DEATH(lock_twice(event), "Event::mutex_ is locked a second time by the thread that holds it");
}

/// Takes two locks when it dies, after all that was made before it.
struct LocksAtItsEnd {
  Mutex* first;
  Mutex* second;
  ~LocksAtItsEnd() {
    const MutexGuard one(*first);
    const MutexGuard two(*second);
  }
};

TEST_F(LockOrder, HoldsUntilAThreadHasEnded) {
  const auto run = [](Mutex& first, Mutex& second) {
    on_another_thread([&] {
      thread_local std::unique_ptr<LocksAtItsEnd> last;
      last.reset(new LocksAtItsEnd{&first, &second});
    });
  };
  run(move_, storage_);
  EXPECT_EQ(violations(), Violations());
  run(storage_, move_);
  EXPECT_EQ(violations(), Violations{"Storage::move_mutex_ is waited for under Storage::mutex_"});
}

constinit Mutex last_move(LockRank::move);
constinit Mutex last_storage(LockRank::storage);

void exit_with_locks(bool inverted) {
  static bool turned = false;
  turned = inverted;
  std::atexit([] {
    const MutexGuard one(turned ? last_storage : last_move);
    const MutexGuard two(turned ? last_move : last_storage);
  });
  std::exit(0);
}

TEST(LockOrderDeath, HoldsUntilTheProcessHasEnded) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(exit_with_locks(false), testing::ExitedWithCode(0), "");
  EXPECT_DEATH(exit_with_locks(true), "Storage::move_mutex_ is waited for under Storage::mutex_");
}

// Of operator new, which a container in place of the list would call.
TEST_F(LockOrder, AnyNumberIsHeldWithoutMemory) {
  std::vector<std::unique_ptr<Mutex>> roots;
  for (int i = 0; i < 300; ++i) roots.push_back(std::make_unique<Mutex>(LockRank::move));
  std::sort(roots.begin(), roots.end());
  std::thread([&] {
    const std::size_t before = icd::test::allocations();
    for (const auto& root : roots) root->lock();
    for (const auto& root : roots) root->unlock();
    EXPECT_EQ(icd::test::allocations(), before);
  }).join();
  EXPECT_EQ(violations(), Violations());
}

}  // namespace
}  // namespace skmd

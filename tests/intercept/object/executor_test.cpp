// SPDX-License-Identifier: Apache-2.0
#include "intercept/machine/executor.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "partitioner/base/mutex.h"

namespace skmd::icd {
namespace {

TEST(Executor, WorkersGrowWhileAllOfThemBlock) {
  Executor executor;
  const auto last = std::make_shared<std::promise<void>>();
  std::shared_future<void> gate = last->get_future().share();
  std::atomic<int> ended{0};
  // Everything waits for what is posted last: with a fixed number of workers this never ends.
  for (int i = 0; i < 100; ++i)
    executor.post([gate, &ended] {
      gate.wait();
      ++ended;
    });
  executor.post([last] { last->set_value(); });
  while (ended < 100) std::this_thread::yield();
}

TEST(Executor, CallbacksRunInOrderOfPostingOnOneThread) {
  Executor executor;
  std::vector<int> seen;
  std::vector<std::thread::id> where;
  const auto done = std::make_shared<std::promise<void>>();
  for (int i = 0; i < 100; ++i)
    executor.post_callback([&, done, i] {
      seen.push_back(i);
      where.push_back(std::this_thread::get_id());
      if (i == 99) done->set_value();
    });
  done->get_future().wait();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
  for (const auto& id : where) EXPECT_EQ(id, where[0]);
}

TEST(Executor, ItsThreadsBlockAllSignalsAndTheCallersMaskStays) {
  Executor executor;
  const auto mask = std::make_shared<std::promise<sigset_t>>();
  executor.post([mask] {
    sigset_t set;
    pthread_sigmask(SIG_BLOCK, nullptr, &set);
    mask->set_value(set);
  });
  const sigset_t set = mask->get_future().get();
  EXPECT_TRUE(sigismember(&set, SIGCHLD));
  EXPECT_TRUE(sigismember(&set, SIGTERM));
  sigset_t own;
  pthread_sigmask(SIG_BLOCK, nullptr, &own);
  EXPECT_FALSE(sigismember(&own, SIGTERM));
}

TEST(Executor, AForkedChildGetsThreadsOfItsOwn) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer allows no threads after the fork of a process with threads";
#endif
  Executor executor;
  const auto warm = std::make_shared<std::promise<void>>();
  executor.post([warm] { warm->set_value(); });
  warm->get_future().wait();
  const pid_t child = fork();
  if (child == 0) {
    std::promise<void> done;
    executor.post([&] { executor.post_callback([&] { done.set_value(); }); });
    done.get_future().wait();
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
void lock_against_the_order() {
  Mutex event(LockRank::event), storage(LockRank::storage);
  const MutexGuard first(event);
  const MutexGuard second(storage);
}

/// In the builds that .ci/run makes for it.
TEST(LockOrder, IsAssertedInSanitizerBuilds) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(lock_against_the_order(), "Storage::mutex_ is waited for under Event::mutex_");
}
#endif

#ifdef __SANITIZE_THREAD__
/// Locks two mutexes in both orders, one after the other: no thread has to meet another one.
void lock_in_both_orders() {
  std::mutex a, b;
  for (const bool turned : {false, true}) {
    const std::lock_guard first(turned ? b : a);
    const std::lock_guard second(turned ? a : b);
  }
  std::exit(0);
}

TEST(LockOrder, ThreadSanitizerSeesTwoOrders) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(lock_in_both_orders(), "lock-order-inversion");
}
#endif

}  // namespace
}  // namespace skmd::icd

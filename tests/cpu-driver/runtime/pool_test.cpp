// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/pool.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

namespace skmd::cpu::test {
namespace {

std::uint64_t sum_with(Pool& pool, std::size_t count) {
  std::atomic<std::uint64_t> sum{0};
  pool.run(count, [&](std::size_t i) { sum += i; });
  return sum;
}

TEST(Pool, CallsTheBodyOnceForEachIndex) {
  Pool pool(4);
  for (const std::size_t count : {0, 1, 2, 3, 4, 1000}) {
    std::vector<std::atomic<int>> calls(count);
    pool.run(count, [&](std::size_t i) { ++calls[i]; });
    for (const auto& number : calls) EXPECT_EQ(number, 1);
  }
}

TEST(Pool, OneThreadIsTheCallersOwn) {
  Pool pool(1);
  std::set<std::thread::id> threads;
  pool.run(8, [&](std::size_t) { threads.insert(std::this_thread::get_id()); });
  EXPECT_EQ(threads, std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST(Pool, SeveralThreadsWorkAtOnce) {
  Pool pool(2);
  std::atomic<int> inside{0};
  // Each body waits for the other: with one thread this would never end.
  pool.run(2, [&](std::size_t) {
    ++inside;
    while (inside < 2) std::this_thread::yield();
  });
  EXPECT_EQ(inside, 2);
}

cpu_set_t affinity_here() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  return set;
}

TEST(Pool, ThreadsStayOnTheirPlacesAndTheCallersWhereItIs) {
  const cpu_set_t before = affinity_here();
  unsigned place = 0;
  while (CPU_ISSET(place, &before) == 0) ++place;
  Pool pool(ThreadPlan{2, {{place}}});
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> inside{0};
  pool.run(2, [&](std::size_t) {
    ++inside;
    while (inside < 2) std::this_thread::yield();
    const cpu_set_t here = affinity_here();
    if (std::this_thread::get_id() == caller)
      EXPECT_NE(CPU_EQUAL(&here, &before), 0);
    else
      EXPECT_TRUE(CPU_COUNT(&here) == 1 && CPU_ISSET(place, &here) != 0);
  });
  const cpu_set_t after = affinity_here();
  EXPECT_NE(CPU_EQUAL(&after, &before), 0);
}

TEST(Pool, BodiesMayRunMore) {
  Pool pool(3);
  std::atomic<std::uint64_t> sum{0};
  pool.run(6, [&](std::size_t) { sum += sum_with(pool, 10); });
  EXPECT_EQ(sum, 6u * 45u);
}

TEST(Pool, ManyCallersAtOnce) {
  Pool pool(3);
  std::atomic<int> right{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 6; ++c)
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round)
        if (sum_with(pool, 20) == 190) ++right;
    });
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(right, 6 * 200);
}

TEST(Pool, ItsThreadsTakeNoSignals) {
  Pool pool(2);
  std::atomic<int> inside{0};
  std::atomic<int> blocked{0};
  const auto caller = std::this_thread::get_id();
  pool.run(2, [&](std::size_t) {
    ++inside;
    while (inside < 2) std::this_thread::yield();
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    if (std::this_thread::get_id() != caller && sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGALRM) == 1)
      ++blocked;
  });
  EXPECT_EQ(blocked, 1);
}

TEST(Pool, AChildOfForkStartsItsOwnThreads) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer starts no threads in a child";
#endif
  Pool pool(2);
  ASSERT_EQ(sum_with(pool, 100), 4950u);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(sum_with(pool, 100) == 4950 ? 0 : 1);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(CopyBytes, CopiesEverySize) {
  Pool pool(2);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 20, (std::size_t{3} << 20) + 17}) {
    std::vector<std::byte> from(size);
    for (std::size_t i = 0; i < size; ++i) from[i] = static_cast<std::byte>(i * 7 + i / 251);
    std::vector<std::byte> to(size + 1, std::byte{0xEE});
    copy_bytes(pool, from.data(), to.data(), size);
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin()));
    EXPECT_EQ(to.back(), std::byte{0xEE});
  }
}

}  // namespace
}  // namespace skmd::cpu::test

// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/pool.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "cpu-driver/runtime/serving_threads.h"
#include "cpu-driver/runtime/threads.h"

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

std::vector<int> usable_processors() {
  cpu_set_t set;
  std::vector<int> found;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int id = 0; id < CPU_SETSIZE; ++id)
      if (CPU_ISSET(id, &set)) found.push_back(id);
  return found;
}

void run_on(const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int id : processors) CPU_SET(id, &set);
  ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
}

/// A thread that is busy until it goes, on some of the processors.
class Busy {
 public:
  explicit Busy(const std::vector<int>& processors)
      : thread_([this, processors] {
          run_on(processors);
          id = this_thread_id();
          while (!stop_) place = sched_getcpu();
        }) {
    while (place < 0) std::this_thread::yield();
  }
  ~Busy() {
    stop_ = true;
    thread_.join();
  }
  std::atomic<int> id{0}, place{-1};

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

constexpr std::chrono::seconds kLong{20};

TEST(Threads, LeaveAProcessorAndMayComeBack) {
  const std::vector<int> usable = usable_processors();
  if (usable.size() < 2) GTEST_SKIP() << "one processor only";
  Busy busy(usable);
  const int before = busy.place;
  ASSERT_TRUE(leave_processor(busy.id, before));
  const auto end = std::chrono::steady_clock::now() + kLong;
  while (busy.place == before && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_NE(busy.place, before);
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(busy.id, sizeof after, &after), 0);
  for (const int id : usable) EXPECT_TRUE(CPU_ISSET(id, &after)) << id;
}

TEST(Threads, StayWhereTheyHaveTo) {
  const std::vector<int> usable = usable_processors();
  Busy busy({usable.front()});
  EXPECT_FALSE(leave_processor(busy.id, usable.front()));
  EXPECT_FALSE(leave_processor(busy.id, -1));
  EXPECT_FALSE(leave_processor(busy.id, 1 << 20));
  EXPECT_FALSE(leave_processor(-1, usable.front()));
}

TEST(Threads, WaitForAProcessor) {
  const std::vector<int> usable = usable_processors();
  Busy busy({usable.front()});
  EXPECT_TRUE(waits_for(busy.id, usable.front()));  // or runs there
  EXPECT_FALSE(waits_for(busy.id, usable.front() + 1));
  EXPECT_FALSE(waits_for(-1, usable.front()));
  std::atomic<int> id{0};
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::thread asleep([&] {
    id = this_thread_id();
    const std::lock_guard later(mutex);
  });
  const auto end = std::chrono::steady_clock::now() + kLong;
  const auto is_ready = [&] {
    return id == 0 ||
           std::any_of(usable.begin(), usable.end(), [&](int processor) { return waits_for(id, processor); });
  };
  while (is_ready() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_FALSE(is_ready());
  lock.unlock();
  asleep.join();
}

// The worker comes to where the caller has to be; one of them finds that, and the worker goes.
TEST(Pool, PartsThreadsThatShareAProcessor) {
  const std::vector<int> usable = usable_processors();
  if (usable.size() < 2) GTEST_SKIP() << "one processor only";
  Pool pool(2);
  std::atomic<bool> parted{false};
  // The system may be first to part them.
  for (int attempt = 0; attempt < 200 && !parted; ++attempt) {
    std::atomic<int> there{0};
    const auto caller = std::this_thread::get_id();
    run_on({usable.front()});
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    pool.run(2, [&](std::size_t) {
      const bool works = std::this_thread::get_id() != caller;
      ++there;
      while (there < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      if (works) {
        run_on({usable.front()});
        run_on(usable);
      }
      while (!parted && std::chrono::steady_clock::now() < end)
        if (Pool::keep_apart()) parted = true;
    });
    run_on(usable);
  }
  EXPECT_TRUE(parted);
}

/// A thread that serves a queue, and is busy until it goes, on the first processor at first and then on any.
class Server {
 public:
  Server(ServingThread& seat, const std::vector<int>& usable)
      : thread_([this, &seat, usable] {
          seat.began();
          run_on({usable.front()});
          run_on(usable);
          id = this_thread_id();
          while (!stop_) {
          }
          seat.ended();
        }) {}
  ~Server() {
    stop_ = true;
    thread_.join();
  }
  std::atomic<int> id{0};

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// A queue's thread waits where the caller works, for another device of these processors.
TEST(Pool, SendsAThreadAwayThatServesAQueueAndWaits) {
  const std::vector<int> usable = usable_processors();
  if (usable.size() < 2) GTEST_SKIP() << "one processor only";
  Pool pool(1);
  bool parted = false, idle_left = false;
  // The system may be first to part them.
  for (int attempt = 0; attempt < 400 && !(parted && idle_left); ++attempt) {
    const bool busy = idle_left;
    ServingThread seat;
    seat.set_busy(busy);
    run_on({usable.front()});
    Server server(seat, usable);
    pool.run(1, [&](std::size_t) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
      while (std::chrono::steady_clock::now() < end && !(busy ? parted : idle_left)) {
        const bool waits = server.id != 0 && waits_for(server.id, usable.front());
        const bool moved = send_serving_threads_away(usable.front());
        if (busy)
          parted = parted || Pool::keep_apart() || moved;
        else
          idle_left = waits;
        EXPECT_TRUE(busy || !moved) << "it has no work";
      }
    });
    run_on(usable);
  }
  EXPECT_TRUE(parted);
  EXPECT_TRUE(idle_left);
}

TEST(ServingThread, MayBeOneOfMoreThanAreKeptTrackOf) {
  const auto claims = [] {
    ServingThread one;
    one.began();
    return one.is_kept_track_of();
  };
  std::vector<std::unique_ptr<ServingThread>> all;
  for (std::size_t i = 0; i < 2 * ServingThread::kMax; ++i) {
    all.push_back(std::make_unique<ServingThread>());
    all.back()->began();
    all.back()->set_busy(true);
  }
  EXPECT_FALSE(claims());
  EXPECT_FALSE(send_serving_threads_away(sched_getcpu())) << "all of them are this thread";
  all.clear();
  EXPECT_TRUE(claims()) << "seats are given back";
}

TEST(Pool, KeepsNothingApartOutsideOfABody) { EXPECT_FALSE(Pool::keep_apart()); }

}  // namespace
}  // namespace skmd::cpu::test

// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/pool.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <exception>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include "cpu-driver/runtime/processors.h"
#include "cpu-driver/runtime/runtime_constants.h"
#include "cpu-driver/runtime/serving_threads.h"
#include "cpu-driver/runtime/threads.h"
#include "partitioner/base/condition.h"
#include "partitioner/base/mutex.h"

namespace skmd::cpu {

namespace {

using Clock = std::chrono::steady_clock;

/// A thread, and where it was when it last said so.
struct Seat {
  std::atomic<int> thread{0};
  std::atomic<int> processor{-1};
};

}  // namespace

struct Pool::State {
  /// One run() in progress. On its caller's stack; run() returns when no worker is inside it.
  struct Job {
    const std::function<void(std::size_t)>& body;
    const std::size_t count;
    std::atomic<std::size_t> next{0};
    std::atomic<unsigned> workers{0};  // inside it; changed under the mutex
    Seat caller{};
    std::atomic<unsigned> called{0}, came{0};  // helpers

    void work() {
      for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
        body(i);
        keep_apart();
      }
    }
  };

  /// One of the pool's threads.
  struct Member : Seat {
    std::atomic<const Job*> job{nullptr};  // that it is at
  };

  explicit State(const std::vector<std::vector<unsigned>>& where) : places(where) {}

  const std::vector<std::vector<unsigned>>& places;  // the pool's
  const std::uint32_t generation = fork_generation();
  Mutex mutex{LockRank::pool};
  Condition job_came;
  Condition worker_left;
  std::list<Job*> jobs SKMD_GUARDED_BY(mutex);
  /// The first of them, of atomics; those of larger pools stay where they are.
  std::array<Member, tuning::kMaxThreads> members;
  unsigned threads SKMD_GUARDED_BY(mutex) = 0;
  unsigned idle SKMD_GUARDED_BY(mutex) = 0;  // asleep, or looking for a job
  unsigned asleep SKMD_GUARDED_BY(mutex) = 0;
  std::atomic<std::uint64_t> posted{0};  // changes with every job, under the mutex
  bool stopping SKMD_GUARDED_BY(mutex) = false;

  void start_thread() SKMD_REQUIRES(mutex) {
    try {
      quiet_thread([this, place = threads] {
        if (place < places.size()) stay_on(places[place]);
        Member* const member = place < members.size() ? &members[place] : nullptr;
        if (member != nullptr) member->thread = this_thread_id();
        serve(member);
      }).detach();
      ++threads;
    } catch (const std::exception&) {  // fewer do it too
    }
  }

  void rest(UniqueLock& lock) SKMD_REQUIRES(mutex) {
    ++idle;
    const std::uint64_t seen = posted;
    lock.unlock();
    const bool came = spin_until([&] { return posted.load(std::memory_order_relaxed) != seen; }, tuning::kLinger);
    lock.lock();
    if (!came && posted == seen && !stopping) {
      ++asleep;
      job_came.wait(lock);
      --asleep;
    }
    --idle;
  }

  /// Under the mutex.
  void call(std::size_t helpers) SKMD_REQUIRES(mutex) {
    ++posted;
    const unsigned awake = idle - asleep;
    for (std::size_t i = awake; i < helpers && i - awake < asleep; ++i) job_came.notify_one();
  }

  void serve(Member* member);
};

/// A thread's work at a job, as keep_apart() sees it.
struct Pool::Turn {
  using Job = State::Job;
  using Member = State::Member;

  /// `at`: null for a caller that works alone.
  Turn(State* at, Job& at_job, Seat* at_seat, bool calls)
      : state(at), job(at_job), own(at_seat), is_caller(calls), outer(current) {
    current = this;
    if (own != nullptr) own->processor.store(sched_getcpu(), std::memory_order_relaxed);
  }
  ~Turn() { current = outer; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool look() {
    const int here = sched_getcpu();
    if (own == nullptr || here < 0) return false;
    own->processor.store(here, std::memory_order_relaxed);
    const Clock::time_point now = Clock::now();
    if (now < next_look) return false;
    // Longer from time to time, for what is asked in vain.
    next_look = now + (now - begin);
    if (!is_caller) return others_wait(here) && leave_processor(own->thread.load(std::memory_order_relaxed), here);
    const bool moved = send_serving_threads_away(here);
    return (state != nullptr && send_others_away(here)) || moved;
  }

  static thread_local constinit Turn* current;

 private:
  // The other one is not running: this thread is, on the same processor.
  static bool shares(const Seat& other, int here) {
    const int thread = other.thread.load(std::memory_order_relaxed);
    return thread != 0 && other.processor.load(std::memory_order_relaxed) == here && waits_for(thread, here);
  }

  bool others_wait(int here) {
    return shares(job.caller, here) ||
           std::any_of(state->members.begin(), state->members.end(), [&](const Member& other) {
             return &other != own && other.job.load(std::memory_order_relaxed) != nullptr && shares(other, here);
           });
  }

  bool send_others_away(int here) {
    bool moved = false;
    const unsigned missing = job.called.load(std::memory_order_relaxed) - job.came.load(std::memory_order_relaxed);
    unsigned asked = 0;
    for (Member& other : state->members) {
      const int thread = other.thread.load(std::memory_order_relaxed);
      if (thread == 0) continue;
      const bool is_away = other.job.load(std::memory_order_relaxed) == nullptr;
      if (is_away && (missing == 0 || asked++ >= tuning::kMaxAsked)) continue;
      if (is_away ? waits_for(thread, here) : shares(other, here)) moved = leave_processor(thread, here) || moved;
    }
    return moved;
  }

  State* const state;
  Job& job;
  Seat* own;
  const bool is_caller;
  Turn* const outer;
  const Clock::time_point begin = Clock::now();
  Clock::time_point next_look = begin + tuning::kFirstLook;
};

thread_local constinit Pool::Turn* Pool::Turn::current = nullptr;

bool Pool::keep_apart() { return Turn::current != nullptr && Turn::current->look(); }

void Pool::State::serve(Member* member) {
  MutexLock lock(mutex);
  while (!stopping) {
    const auto open = std::find_if(jobs.begin(), jobs.end(), [](const Job* job) { return job->next < job->count; });
    if (open == jobs.end()) {
      rest(lock);
      continue;
    }
    Job& job = **open;
    ++job.workers;
    ++job.came;
    lock.unlock();
    {
      const Turn turn(this, job, member, false);
      if (member != nullptr) member->job.store(&job, std::memory_order_relaxed);
      job.work();
      if (member != nullptr) member->job.store(nullptr, std::memory_order_relaxed);
    }
    lock.lock();
    if (--job.workers == 0) worker_left.notify_all();
  }
  --threads;
  worker_left.notify_all();
}

Pool::Pool() : Pool(std::min(plan_threads(this_topology(), 0).threads, tuning::kMaxThreads)) {}

Pool::Pool(ThreadPlan plan) : threads_(plan.threads), places_(std::move(plan.places)) {}

Pool& Pool::shared() {
  static auto* pool = new Pool;
  return *pool;
}

Pool::State& Pool::state() {
  State* current = state_.load(std::memory_order_acquire);
  if (current != nullptr && current->generation == fork_generation()) return *current;
  // Threads of the parent do not exist here, and its lock may be held for ever: the inherited state is left alone.
  auto* made = new State(places_);
  if (state_.compare_exchange_strong(current, made, std::memory_order_acq_rel)) return *made;
  delete made;
  return *current;
}

void Pool::run(std::size_t count, const std::function<void(std::size_t)>& body) {
  State::Job job{.body = body, .count = count};
  if (count <= 1 || threads_ == 1) {
    if (Turn::current != nullptr) return job.work();  // inside another job's body, whose turn goes on
    const Turn turn(nullptr, job, &job.caller, true);
    return job.work();
  }
  State& state = this->state();
  const std::size_t helpers = std::min<std::size_t>(count, threads_) - 1;
  MutexLock lock(state.mutex);
  const auto place = state.jobs.insert(state.jobs.end(), &job);
  for (std::size_t missing = helpers; missing > state.idle && state.threads + 1 < threads_; --missing)
    state.start_thread();
  state.call(helpers);
  lock.unlock();
  {
    job.caller.thread.store(this_thread_id(), std::memory_order_relaxed);
    job.called.store(static_cast<unsigned>(helpers), std::memory_order_relaxed);
    const Turn turn(&state, job, &job.caller, true);
    job.work();
  }
  lock.lock();
  state.jobs.erase(place);
  lock.unlock();
  if (spin_until([&] { return job.workers.load(std::memory_order_acquire) == 0; }, tuning::kLinger)) return;
  lock.lock();
  state.worker_left.wait(lock, [&] { return job.workers == 0; });
}

Pool::~Pool() {
  State* state = state_.load(std::memory_order_acquire);
  if (state == nullptr || state->generation != fork_generation()) return;
  {
    MutexLock lock(state->mutex);
    state->stopping = true;
    ++state->posted;
    state->job_came.notify_all();
    state->worker_left.wait(lock, [&]() SKMD_REQUIRES(state->mutex) { return state->threads == 0; });
  }
  delete state;
}

void copy_bytes(Pool& pool, const std::byte* from, std::byte* to, std::uint64_t bytes) {
  if (bytes <= tuning::kCopyChunk) {
    if (bytes != 0) std::memcpy(to, from, bytes);
    return;
  }
  pool.run((bytes + tuning::kCopyChunk - 1) / tuning::kCopyChunk, [&](std::size_t i) {
    const std::uint64_t begin = i * tuning::kCopyChunk;
    std::memcpy(to + begin, from + begin, std::min(tuning::kCopyChunk, bytes - begin));
  });
}

}  // namespace skmd::cpu

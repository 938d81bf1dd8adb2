// SPDX-License-Identifier: Apache-2.0
#include "intercept/machine/executor.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "intercept/backend/port/threads.h"
#include "intercept/backend/vendor/vendor_visit.h"
#include "intercept/machine/machine_constants.h"
#include "partitioner/base/condition.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

namespace {

using namespace tuning;

/// More workers than this are only started when nothing moved for kStall.
std::size_t eager_workers() { return std::max<std::size_t>(kEagerWorkers, std::thread::hardware_concurrency()); }

}  // namespace

struct Executor::State {
  const std::uint32_t generation = fork_generation();
  const std::size_t eager = eager_workers();

  Mutex mutex{LockRank::executor};
  Condition work_came;
  Condition callback_came;
  Condition queue_stalled;
  Condition thread_left;
  std::deque<std::function<void()>> work SKMD_GUARDED_BY(mutex);
  std::deque<std::function<void()>> callbacks SKMD_GUARDED_BY(mutex);
  std::size_t workers SKMD_GUARDED_BY(mutex) = 0;
  std::size_t idle SKMD_GUARDED_BY(mutex) = 0;
  std::size_t threads SKMD_GUARDED_BY(mutex) = 0;
  std::uint64_t taken SKMD_GUARDED_BY(mutex) = 0;  // jobs that some worker has begun
  bool callback_thread SKMD_GUARDED_BY(mutex) = false;
  bool supervisor SKMD_GUARDED_BY(mutex) = false;
  bool stopping SKMD_GUARDED_BY(mutex) = false;

  bool start_thread(void (State::*body)()) SKMD_REQUIRES(mutex) {
    ++threads;
    try {
      quiet_thread([this, body] { (this->*body)(); }).detach();
      return true;
    } catch (const std::exception&) {  // what waits for a thread is in its list already
    }
    --threads;
    return false;
  }
  bool start_worker() SKMD_REQUIRES(mutex) {
    ++workers;
    if (start_thread(&State::worker)) return true;
    --workers;
    return false;
  }
  /// Provides a thread that takes up what was posted last, or the supervisor that does so later: all workers may be
  /// waiting for that very work. False: the system gives no thread.
  bool provide_thread() SKMD_REQUIRES(mutex) {
    if (idle >= work.size() || (workers < eager && start_worker())) return true;
    if (!supervisor)
      supervisor = start_thread(&State::supervise);
    else
      queue_stalled.notify_one();
    return supervisor;
  }
  void leave() SKMD_REQUIRES(mutex) {
    --threads;
    thread_left.notify_all();
  }
  void worker();
  void run_one(UniqueLock& lock) SKMD_REQUIRES(mutex);
  void callback_loop();
  void supervise();
};

void Executor::State::worker() {
  MutexLock lock(mutex);
  for (;;) {
    if (work.empty()) {
      if (stopping) break;
      ++idle;
      const auto woken = work_came.wait_until(lock, std::chrono::system_clock::now() + kThreadIdle);
      --idle;
      if (woken == std::cv_status::timeout && work.empty() && workers > eager) break;
      continue;
    }
    run_one(lock);
  }
  --workers;
  leave();
}

void Executor::State::run_one(UniqueLock& lock) {
  auto job = std::move(work.front());
  work.pop_front();
  ++taken;
  lock.unlock();
  {
    const VendorVisit visit;
    job();
    job = nullptr;  // what it holds may itself post
  }
  lock.lock();
}

void Executor::State::callback_loop() {
  MutexLock lock(mutex);
  for (;;) {
    callback_came.wait(lock, [&]() SKMD_REQUIRES(mutex) { return stopping || !callbacks.empty(); });
    if (callbacks.empty()) break;
    auto callback = std::move(callbacks.front());
    callbacks.pop_front();
    lock.unlock();
    callback();
    callback = nullptr;
    lock.lock();
  }
  leave();
}

// Work may wait for other work (an application's native kernel, say). If nothing was taken up for a while although work
// is queued, the number of workers doubles.
void Executor::State::supervise() {
  MutexLock lock(mutex);
  while (!stopping) {
    if (work.empty()) {
      queue_stalled.wait(lock);
      continue;
    }
    const std::uint64_t before = taken;
    queue_stalled.wait_until(lock, std::chrono::system_clock::now() + kStall);
    if (taken != before || work.empty()) continue;
    for (std::size_t more = std::min(work.size(), std::max<std::size_t>(1, workers)); more > 0; --more) start_worker();
    if (workers == 0) run_one(lock);  // there is no other thread
  }
  leave();
}

/// Forks are counted from here on, whether or not anything is posted before.
Executor::Executor() { fork_generation(); }

Executor::State& Executor::state() {
  State* current = state_.load(std::memory_order_acquire);
  if (current != nullptr && current->generation == fork_generation()) return *current;
  // Threads of the parent do not exist here, and its locks may be held for ever: the inherited state is left alone.
  auto* made = new State;
  if (state_.compare_exchange_strong(current, made, std::memory_order_acq_rel)) return *made;
  delete made;
  return *current;
}

void Executor::post(std::function<void()> work) {
  State& state = this->state();
  MutexLock lock(state.mutex);
  state.work.push_back(std::move(work));
  if (!state.provide_thread()) {
    // The system gives us no thread at all: the work runs here, which is better than never. Not if there is a
    // supervisor: this thread may be completing a batch that the work waits for.
    auto job = std::move(state.work.back());
    state.work.pop_back();
    lock.unlock();
    job();
    return;
  }
  if (state.idle > 0) state.work_came.notify_one();
}

void Executor::post_callback(std::function<void()> callback) {
  State& state = this->state();
  MutexLock lock(state.mutex);
  if (!state.callback_thread) state.callback_thread = state.start_thread(&State::callback_loop);
  if (!state.callback_thread) {
    lock.unlock();
    callback();
    return;
  }
  state.callbacks.push_back(std::move(callback));
  state.callback_came.notify_one();
}

Executor::~Executor() {
  State* state = state_.load(std::memory_order_acquire);
  if (state == nullptr || state->generation != fork_generation()) return;
  {
    MutexLock lock(state->mutex);
    state->stopping = true;
    state->work_came.notify_all();
    state->callback_came.notify_all();
    state->queue_stalled.notify_all();
    state->thread_left.wait(lock, [&]() SKMD_REQUIRES(state->mutex) { return state->threads == 0; });
  }
  delete state;
}

}  // namespace skmd::icd

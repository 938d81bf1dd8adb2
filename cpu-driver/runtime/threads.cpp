// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace skmd::cpu {
namespace {

constinit std::atomic<std::uint32_t> forks{0};

/// Threads inherit the mask of their maker.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

std::uint32_t fork_generation() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(registered);
  return forks.load(std::memory_order_relaxed);
}

void stay_on(const std::vector<unsigned>& processors) {
  if (processors.empty()) return;
  const unsigned count = 1 + *std::max_element(processors.begin(), processors.end());
  cpu_set_t* const set = CPU_ALLOC(count);
  if (set == nullptr) return;
  const std::size_t bytes = CPU_ALLOC_SIZE(count);
  CPU_ZERO_S(bytes, set);
  for (const unsigned id : processors) CPU_SET_S(id, bytes, set);
  (void)sched_setaffinity(0, bytes, set);
  CPU_FREE(set);
}

std::thread quiet_thread(std::function<void()> body) {
  const AllSignalsBlocked blocked;
  return std::thread(std::move(body));
}

}  // namespace skmd::cpu

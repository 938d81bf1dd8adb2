// SPDX-License-Identifier: Apache-2.0
// Threads inside the application's process.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "cpu-driver/runtime/runtime_constants.h"

namespace skmd::cpu {

/// Counts the forks between the first call in the process's ancestry and here. The child of a fork has copies of memory
/// and locks, but no threads: an object that stores this number at its creation can detect a fork. Costs one load.
std::uint32_t fork_generation();

/// Binds the calling thread to these processors; has no effect if the system refuses.
void stay_on(const std::vector<unsigned>& processors);

/// The system's id of the calling thread.
int this_thread_id();

/// Whether the thread `id` of this process is ready to run and queued on `processor`. Asks the system: 2 to 3 us.
bool waits_for(int id, int processor);

/// Moves the thread `id` of this process off `processor`; its affinity is unchanged afterwards. False: it may not run
/// on another processor, the system refuses, or another thread is in this function.
bool leave_processor(int id, int processor);

/// Tells the processor that this thread is waiting for another one's store.
inline void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Spins until `ready()` is true (returns true) or about `time` has passed (false). For events of other threads that
/// are expected sooner than a sleep and a wake-up take.
template <class Ready>
bool spin_until(const Ready& ready, std::chrono::nanoseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  do {
    for (int i = 0; i < tuning::kLooksPerClock; ++i) {
      if (ready()) return true;
      spin_pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

/// A thread with all signals blocked, so that it runs none of the application's handlers. Throws as std::thread does.
std::thread quiet_thread(std::function<void()> body);

}  // namespace skmd::cpu

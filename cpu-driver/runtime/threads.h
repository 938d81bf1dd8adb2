// SPDX-License-Identifier: Apache-2.0
// Threads in somebody else's process.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace skmd::cpu {

/// Counts the forks between the first call in the process's ancestry and here. The child of a fork has our memory, but
/// none of our threads, and locks as they were at that moment: an object that keeps the number of its creation can
/// tell. Costs one load.
std::uint32_t fork_generation();

/// The calling thread runs on these processors only, from now on; on any it may if the system refuses.
void stay_on(const std::vector<unsigned>& processors);

/// What the system calls the calling thread.
int this_thread_id();

/// Whether the thread `id` of this process is ready to run and queued on `processor`. Asks the system: 2 to 3 us.
bool waits_for(int id, int processor);

/// Moves the thread `id` of this process off `processor`; where it may run is the same afterwards. False: it may run
/// nowhere else, or the system refuses.
bool leave_processor(int id, int processor);

/// Tells the processor that this thread is waiting for another one's store.
inline void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// True as soon as `ready()` is, false if it was not for about `time`. For what another thread is expected to do sooner
/// than a sleep and a wake-up would take.
template <class Ready>
bool spin_until(const Ready& ready, std::chrono::nanoseconds time) {
  constexpr int kLooksPerClock = 16;
  const auto end = std::chrono::steady_clock::now() + time;
  do {
    for (int i = 0; i < kLooksPerClock; ++i) {
      if (ready()) return true;
      spin_pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

/// A thread on which none of the application's signals land. Throws what std::thread does.
std::thread quiet_thread(std::function<void()> body);

}  // namespace skmd::cpu

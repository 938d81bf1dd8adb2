// SPDX-License-Identifier: Apache-2.0
// The runtime's threads and how many the process may run, for the rooms above the backend.
#pragma once

#include <thread>

#include "cpu-driver/runtime/processors.h"
#include "cpu-driver/runtime/threads.h"
#include "partitioner/base/condition.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

using cpu::fork_generation;
using cpu::quiet_thread;
using cpu::spin_until;
using cpu::this_thread_id;
using cpu::usable_processors;

/// Joins a thread that was told to end, if it was started. Detaches it instead where joining would wait for ever: the
/// last reference to a device may go inside a completion on that thread, or in a forked child, which does not have it.
inline void end_thread(std::thread& thread, bool forked) {
  if (!thread.joinable()) return;
  if (forked || thread.get_id() == std::this_thread::get_id()) {
    thread.detach();
  } else {
    thread.join();
  }
}

/// Tells a queue's thread, which sleeps with `wake` and `mutex`, to end: sets `stopping`, which the thread reads under
/// `mutex`. Then as above. The analysis knows the mutex by the caller's name only.
template <class Flag>
void end_thread(Mutex& mutex, Flag& stopping, Condition& wake, std::thread& thread, bool forked) SKMD_NOT_ANALYSED {
  {
    const MutexGuard lock(mutex);
    stopping = true;
  }
  wake.notify_one();
  end_thread(thread, forked);
}

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// Threads that serve queues, outside pools. A thread at work sends those away that wait for its processor.
#pragma once

#include <cstddef>
#include <optional>

#include "cpu-driver/runtime/runtime_constants.h"

namespace skmd::cpu {

/// What one such thread tells the process's other threads. Has no effect if the process has kMax of them already.
/// Thread-safe.
class ServingThread {
 public:
  ServingThread();
  ~ServingThread();
  ServingThread(const ServingThread&) = delete;
  ServingThread& operator=(const ServingThread&) = delete;

  /// To be called on the thread, first and last.
  void began();
  void ended();
  /// True from when the thread is woken for work until it has none: only then the system is asked about it.
  void set_busy(bool busy);

  [[nodiscard]] bool is_kept_track_of() const { return seat_.has_value(); }

  static constexpr std::size_t kMax = tuning::kMaxServingThreads;

 private:
  const std::optional<std::size_t> seat_;
};

/// Moves the serving threads, but not the calling one, that are ready to run and queued on `processor`, on which the
/// calling thread runs. Asks the system about four busy ones at most: 2 to 3 us each. True: one has moved.
bool send_serving_threads_away(int processor);

}  // namespace skmd::cpu

// SPDX-License-Identifier: Apache-2.0
// Threads for work on host memory: merging, copying, kernels.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "cpu-driver/runtime/topology.h"

namespace skmd::cpu {

/// Threads are started when first needed, with all signals blocked, and never joined at process exit. After a fork the
/// child has none of them and starts its own. Thread-safe.
class Pool {
 public:
  /// One thread for each core that this process may use, but no more than memory keeps busy.
  Pool();
  /// `threads`: number of threads that work at once, including the caller's; not 0.
  explicit Pool(unsigned threads) : Pool(ThreadPlan{threads, {}}) {}
  /// Started threads are bound to the plan's processors, if it has any; the caller's thread is not.
  explicit Pool(ThreadPlan plan);
  ~Pool();  // only in tests: joins
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// The one of this process; never destroyed.
  static Pool& shared();

  [[nodiscard]] unsigned threads() const { return threads_; }

  /// Calls `body(i)` once for every i in [0, count), in any order, on the caller's thread and on others, and returns
  /// when all calls have returned. `body` throws nothing. Thread-safe, and may be called from inside a body: the
  /// caller's thread runs every index that no other thread has taken.
  void run(std::size_t count, const std::function<void(std::size_t)>& body);

  /// To be called repeatedly inside a body that takes longer than some ten microseconds; run() does so between bodies.
  /// The system may have put a thread that it woke on the processor of one that goes on working, and leave the two
  /// there for milliseconds while other processors are idle: then one of the pool's threads, or one that serves a queue
  /// (serving_threads.h), moves. True: one has.
  static bool keep_apart();

 private:
  struct Turn;
  struct State;
  State& state();
  const unsigned threads_;
  const std::vector<std::vector<unsigned>> places_;
  std::atomic<State*> state_{nullptr};
};

/// Copies as fast as the machine's memory allows.
void copy_bytes(Pool& pool, const std::byte* from, std::byte* to, std::uint64_t bytes);

}  // namespace skmd::cpu

// SPDX-License-Identifier: Apache-2.0
// Runs a kernel's groups on threads. The time of a group is measured in each launch: few and cheap groups stay on the
// caller's thread, without waking others or leaving its caches.
#pragma once

#include <atomic>
#include <cstdint>

#include "cpu-driver/runtime/pool.h"
#include "cpu-driver/runtime/printer.h"
#include "cpu-driver/runtime/span_library.h"
#include "cpu-driver/runtime/yield.h"
#include "partitioner/base/result.h"

namespace skmd::cpu {

/// The recent time of a kernel's work-items. One per kernel; thread-safe.
class ItemCost {
 public:
  /// Nanoseconds per work-item on one thread; 0: not known yet.
  [[nodiscard]] float nanoseconds() const { return nanoseconds_.load(std::memory_order_relaxed); }
  void learn(float nanoseconds) { nanoseconds_.store(nanoseconds, std::memory_order_relaxed); }

 private:
  std::atomic<float> nanoseconds_{0};
};

/// What a launch may have beside its groups.
struct RunExtras {
  Printer* printer = nullptr;    // of kernels that print; the caller finishes it
  const Yield* yield = nullptr;  // null: the launch runs to its end
  /// Pieces are single groups (or as many as run side by side): yield is asked before each.
  bool single_groups = false;
};

struct Ran {
  std::uint64_t last = 0;  // the groups before it have run, no other has
  /// Nanoseconds that threads took to begin, on average over those that had work: the delay of the launch by wake-ups.
  std::uint64_t waited_ns = 0;
};

/// Runs the groups [first, last), each once, on the caller's thread and on others of the pool, and returns when all are
/// done or, once extras.yield is due, those that were begun: at least one. `frame` is complete; each call gets
/// `scratch_bytes` of scratch memory. Kernels run with the default rounding and traps of floating point, independent of
/// the caller's. An error if there is no memory: no group has run then.
domain::Result<Ran> run_kernel(Pool& pool, KernelFunction run, const SpanFrame& frame, std::uint64_t scratch_bytes,
                               std::uint64_t first, std::uint64_t last, ItemCost& cost, const RunExtras& extras = {});

}  // namespace skmd::cpu

// SPDX-License-Identifier: Apache-2.0
// Runs a kernel's groups on threads. The time of a group is measured in each launch: few and cheap groups stay on the
// caller's thread, without waking others or leaving its caches.
#pragma once

#include <atomic>
#include <cstdint>

#include "cpu-driver/runtime/pool.h"
#include "cpu-driver/runtime/printer.h"
#include "cpu-driver/runtime/span_library.h"
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

/// Runs the groups [first, last), each once, on the caller's thread and on others of the pool, and returns when all are
/// done. `frame` is complete; each call gets `scratch_bytes` of scratch memory. Kernels run with the default rounding
/// and traps of floating point, independent of the caller's. An error if there is no memory: no group has run then.
/// `printer`: of kernels that print; the caller finishes it. `waited`, if given, is set to the nanoseconds that threads
/// took to begin, on average over those that had work: the delay of the launch by wake-ups.
domain::Status run_kernel(Pool& pool, KernelFunction run, const SpanFrame& frame, std::uint64_t scratch_bytes,
                          std::uint64_t first, std::uint64_t last, ItemCost& cost, Printer* printer = nullptr,
                          std::uint64_t* waited = nullptr);

}  // namespace skmd::cpu

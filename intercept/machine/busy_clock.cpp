// SPDX-License-Identifier: Apache-2.0
#include "intercept/machine/busy_clock.h"

namespace skmd::icd {

namespace {

constinit BusyClock clock_of_process;  // trivially destructible: commands may end while the process does
constinit std::atomic<bool> started{false};

}  // namespace

BusyClock* BusyClock::get() { return started.load(std::memory_order_relaxed) ? &clock_of_process : nullptr; }

void BusyClock::start() { started.store(true, std::memory_order_relaxed); }

void BusyClock::resume(std::uint64_t ns) noexcept {
  const std::uint64_t since = idle_since_.exchange(0, std::memory_order_acq_rel);
  if (since != 0 && ns > since) idle_.fetch_add(ns - since, std::memory_order_acq_rel);
}

}  // namespace skmd::icd

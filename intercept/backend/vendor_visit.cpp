// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor_visit.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "intercept/backend/threads.h"

namespace skmd::icd {

namespace {

constexpr std::chrono::milliseconds kLongest{100};
constexpr std::chrono::microseconds kLook{50};

std::atomic<int> visits{0};
std::atomic<std::uint32_t> visitors_generation{0};

void wait_for_visits() {
  // The threads of a forked child's parent are not here.
  if (visitors_generation != fork_generation()) return;
  const auto end = std::chrono::steady_clock::now() + kLongest;
  while (visits > 0 && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kLook);
}

}  // namespace

VendorVisit::VendorVisit() { ++visits; }
VendorVisit::~VendorVisit() { --visits; }

void let_visits_end_at_exit() {
  visitors_generation = fork_generation();
  (void)std::atexit(wait_for_visits);  // where that fails, it is as it was
}

}  // namespace skmd::icd

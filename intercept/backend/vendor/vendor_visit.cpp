// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/vendor_visit.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "intercept/backend/port/threads.h"
#include "intercept/backend/vendor/vendor_constants.h"

namespace skmd::icd {

namespace {

using namespace tuning;

std::atomic<int> visits{0};
std::atomic<int> compilers{0};
std::atomic<bool> exiting{false};
std::atomic<std::uint32_t> visitors_generation{0};
thread_local bool builds_ahead = false;

void wait_for(const std::atomic<int>& threads, std::chrono::nanoseconds longest) {
  const auto end = std::chrono::steady_clock::now() + longest;
  while (threads > 0 && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kVisitLook);
}

void wait_for_compilers() {
  // The threads of a forked child's parent are not here.
  if (visitors_generation != fork_generation()) return;
  // Set before the count is read: a thread that is not counted here sees it set.
  if (!exiting.exchange(true)) wait_for(compilers, kLongestCompiler);
}

void wait_for_visits() {
  if (visitors_generation != fork_generation()) return;
  wait_for_compilers();
  wait_for(visits, kLongestVisit);
}

/// Of the process's main thread: exit() destroys it before it calls any handler, those included that a compiler has
/// registered since ours was.
struct MainThread {
  ~MainThread() { wait_for_compilers(); }
  void here() const {}
};

}  // namespace

VendorVisit::VendorVisit() { ++visits; }
VendorVisit::~VendorVisit() { --visits; }

CompilerVisit::CompilerVisit() {
  ++compilers;
  if (!builds_ahead || !exiting) return;
  --compilers;
  allowed_ = false;
}
CompilerVisit::~CompilerVisit() {
  if (allowed_) --compilers;
}

CompilingLaunch::CompilingLaunch() { ++compilers; }
CompilingLaunch::~CompilingLaunch() { --compilers; }

void build_ahead_on_this_thread() { builds_ahead = true; }

bool exit_has_begun() { return exiting; }

void let_compilers_end_at_exit() {
  visitors_generation = fork_generation();
  if (::gettid() != ::getpid()) return;
  static thread_local const MainThread main;
  main.here();
}

void let_visits_end_at_exit() {
  visitors_generation = fork_generation();
  (void)std::atexit(wait_for_visits);  // where that fails, exit() does not wait
}

}  // namespace skmd::icd

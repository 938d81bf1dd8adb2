// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/threads.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace skmd::cpu {
namespace {

constinit std::atomic<std::uint32_t> forks{0};
/// A thread is in leave_processor(): two that moved one thread at once could take each other's masks for its own.
constinit std::atomic<bool> moving{false};

/// Threads inherit the mask of their maker.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

/// A set of processors of the size that the system's has.
class Processors {
 public:
  explicit Processors(std::size_t count) : bytes_(CPU_ALLOC_SIZE(count)), set_(CPU_ALLOC(count)) {
    if (set_ != nullptr) CPU_ZERO_S(bytes_, set_);
  }
  ~Processors() { CPU_FREE(set_); }
  Processors(const Processors&) = delete;
  Processors& operator=(const Processors&) = delete;

  [[nodiscard]] bool made() const { return set_ != nullptr; }
  [[nodiscard]] int count() const { return CPU_COUNT_S(bytes_, set_); }
  [[nodiscard]] bool has(std::size_t id) const { return CPU_ISSET_S(id, bytes_, set_) != 0; }
  void add(std::size_t id) { CPU_SET_S(id, bytes_, set_); }
  void remove(std::size_t id) { CPU_CLR_S(id, bytes_, set_); }
  [[nodiscard]] bool read(int thread) { return sched_getaffinity(thread, bytes_, set_) == 0; }
  [[nodiscard]] bool give(int thread) const { return sched_setaffinity(thread, bytes_, set_) == 0; }

 private:
  std::size_t bytes_;
  cpu_set_t* set_;
};

// More than any system has.
constexpr std::size_t kMaxProcessors = 1 << 13;

// The field of that number, from 1, of /proc/…/stat. The second, a name in parentheses, may hold anything.
const char* field_of(const char* line, unsigned number) {
  const char* at = std::strrchr(line, ')');
  for (unsigned field = 2; at != nullptr && field < number; ++field) {
    at = std::strchr(at, ' ');
    if (at != nullptr) ++at;
  }
  return at;
}

bool move_off(int id, int processor) {
  Processors all(kMaxProcessors);
  if (!all.made() || processor < 0 || !all.read(id)) return false;
  const auto here = static_cast<std::size_t>(processor);
  if (here >= kMaxProcessors || !all.has(here) || all.count() < 2) return false;
  all.remove(here);
  const bool moved = all.give(id);
  all.add(here);
  return all.give(id) && moved;
}

}  // namespace

int this_thread_id() { return static_cast<int>(syscall(SYS_gettid)); }

bool waits_for(int id, int processor) {
  char name[64], line[512];
  std::snprintf(name, sizeof name, "/proc/self/task/%d/stat", id);
  const int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t bytes = read(file, line, sizeof line - 1);
  close(file);
  if (bytes <= 0) return false;
  line[bytes] = 0;
  const char* state = field_of(line, 3);
  const char* last = field_of(line, 39);  // where it runs or is queued
  return state != nullptr && *state == 'R' && last != nullptr && std::atoi(last) == processor;
}

bool leave_processor(int id, int processor) {
  if (moving.exchange(true, std::memory_order_acquire)) return false;
  const bool moved = move_off(id, processor);
  moving.store(false, std::memory_order_release);
  return moved;
}

std::uint32_t fork_generation() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] {
    forks.fetch_add(1, std::memory_order_relaxed);
    moving.store(false, std::memory_order_relaxed);  // the thread that moved one does not exist here
  });
  static_cast<void>(registered);
  return forks.load(std::memory_order_relaxed);
}

void stay_on(const std::vector<unsigned>& processors) {
  if (processors.empty()) return;
  Processors set(1 + *std::max_element(processors.begin(), processors.end()));
  if (!set.made()) return;
  for (const unsigned id : processors) set.add(id);
  (void)set.give(0);
}

std::thread quiet_thread(std::function<void()> body) {
  const AllSignalsBlocked blocked;
  return std::thread(std::move(body));
}

}  // namespace skmd::cpu

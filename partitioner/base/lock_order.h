// SPDX-License-Identifier: Apache-2.0
// The order in which a thread takes mutexes (lock_order.def), and what asserts it in builds with SKMD_LOCK_ORDER: debug
// and sanitizer builds. Each thread keeps a list of what it holds, through the locks themselves: the link belongs to
// the thread that has the lock, so nothing is allocated, any number can be held, and there is nothing to destroy when a
// thread or the process ends. In other builds all of this is empty: no bytes in a mutex, and no instruction.
//
// The rules: what a thread waits for comes after all that it holds; what it only tries need not, but counts as held;
// after a wait for a condition, the mutex is locked again by the first rule; an entry point returns with what it held
// when it was called. Not seen: locks of the standard library and of drivers, function-local statics among them.
#pragma once

#include <cstdint>
#include <mutex>

#ifdef SKMD_LOCK_ORDER
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#endif

namespace skmd {

enum class LockRank : std::uint8_t {
#define SKMD_LOCK(level, rank, name) rank,
#define SKMD_LEAF(rank, name) rank,
#include "partitioner/base/lock_order.def"
#undef SKMD_LOCK
#undef SKMD_LEAF
};

namespace lock_order {

#ifdef SKMD_LOCK_ORDER
inline constexpr bool kAsserted = true;

constexpr int level_of(LockRank rank) {
  switch (rank) {
#define SKMD_LOCK(level, rank, name) \
  case LockRank::rank:               \
    return level;
#define SKMD_LEAF(rank, name) \
  case LockRank::rank:        \
    return std::numeric_limits<int>::max();
#include "partitioner/base/lock_order.def"
#undef SKMD_LOCK
#undef SKMD_LEAF
  }
  return 0;
}

constexpr const char* name_of(LockRank rank) {
  switch (rank) {
#define SKMD_LOCK(level, rank, name) \
  case LockRank::rank:               \
    return name;
#define SKMD_LEAF(rank, name) \
  case LockRank::rank:        \
    return name;
#include "partitioner/base/lock_order.def"
#undef SKMD_LOCK
#undef SKMD_LEAF
  }
  return "";
}

/// What a thread has done against the order. `other` is null where only one lock is concerned.
struct Violation {
  const char* what;
  const char* lock;
  const char* other;
};
/// Called on the thread that breaks the order, before it waits. If it returns, the thread goes on as it would without
/// the assertion. Must not lock a Mutex.
using Handler = void (*)(const Violation&);

[[noreturn]] inline void print_and_abort(const Violation& violation) {
  std::fprintf(stderr, "skmd: lock order (docs/threads.md): %s %s%s%s\n", violation.lock, violation.what,
               violation.other == nullptr ? "" : " ", violation.other == nullptr ? "" : violation.other);
  std::abort();
}

/// Tests put another one in its place.
inline constinit std::atomic<Handler> handler = print_and_abort;

inline void report(const char* what, LockRank lock, const LockRank* other = nullptr) {
  handler.load()({what, name_of(lock), other == nullptr ? nullptr : name_of(*other)});
}

/// What a lock keeps of itself. All is the holding thread's, except the rank, which does not change.
class Held {
 public:
  explicit constexpr Held(LockRank rank) : rank_(rank) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  /// Asserts that this thread may wait for the lock.
  void expect_may_wait() const { expect_may_wait(rank_, this); }
  static void expect_may_wait(LockRank rank, const Held* lock);
  /// This thread has the lock now, or is about to give it back.
  void add();
  void remove();

 private:
  friend class Balance;
  const LockRank rank_;
  Held* older_ = nullptr;
  // The dynamic model would allocate at a thread's first use.
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local Held* newest_ = nullptr;
};

inline void Held::expect_may_wait(LockRank rank, const Held* lock) {
  for (const Held* held = newest_; held != nullptr; held = held->older_) {
    if (held == lock) {
      report("is locked a second time by the thread that holds it", rank);
    } else if (rank == LockRank::move && held->rank_ == rank) {  // of several roots in the order of their addresses
      if (std::less<>()(lock, held)) report("is locked against the order of addresses, under", rank, &held->rank_);
    } else if (level_of(held->rank_) >= level_of(rank)) {
      report("is waited for under", rank, &held->rank_);
    }
  }
}

inline void Held::add() {
  older_ = newest_;
  newest_ = this;
}

inline void Held::remove() {
  Held** link = &newest_;
  while (*link != nullptr && *link != this) link = &(*link)->older_;
  if (*link == nullptr) return report("is given back by a thread that does not hold it", rank_);
  *link = older_;
  older_ = nullptr;
}

/// Asserts that a scope ends with the newest lock that it began with.
class Balance {
 public:
  Balance() : newest_(Held::newest_) {
    if (newest_ != nullptr) rank_ = newest_->rank_;
  }
  ~Balance() {
    if (Held::newest_ == newest_) return;
    if (Held::newest_ == nullptr) {
      report("was given back by a scope that began with it", rank_);
    } else {
      report("is still held at the end of a scope that did not begin with it", Held::newest_->rank_);
    }
  }
  Balance(const Balance&) = delete;
  Balance& operator=(const Balance&) = delete;

 private:
  const Held* const newest_;
  LockRank rank_{};  // of `newest_`, which may be gone at the end
};

/// Asserts that this thread may wait for what `rank` stands for, which is no mutex.
inline void expect_may_take(LockRank rank) { Held::expect_may_wait(rank, nullptr); }

#else
inline constexpr bool kAsserted = false;

class Held {
 public:
  explicit constexpr Held(LockRank) {}
  void expect_may_wait() const {}
  void add() {}
  void remove() {}
};
struct Balance {};
inline void expect_may_take(LockRank) {}
#endif

}  // namespace lock_order

/// std::once_flag with a rank: while its function runs, it counts as a mutex of that rank that the thread holds.
class OnceFlag {
 public:
  explicit constexpr OnceFlag(LockRank rank) : held_(rank) {}
  OnceFlag(const OnceFlag&) = delete;
  OnceFlag& operator=(const OnceFlag&) = delete;

  /// std::call_once.
  template <class Make>
  void call(const Make& make) {
#ifdef SKMD_LOCK_ORDER
    if (!done_.load()) held_.expect_may_wait();
    std::call_once(flag_, [&] {
      const Ends ends(held_);
      make();
      done_.store(true);
    });
#else
    std::call_once(flag_, make);
#endif
  }

 private:
#ifdef SKMD_LOCK_ORDER
  /// Also where an exception ends the function.
  struct Ends {
    explicit Ends(lock_order::Held& flag) : held(flag) { held.add(); }
    ~Ends() { held.remove(); }
    Ends(const Ends&) = delete;
    Ends& operator=(const Ends&) = delete;
    lock_order::Held& held;
  };
  std::atomic<bool> done_{false};  // the function has run: call() waits no longer
#endif
  std::once_flag flag_;
  [[no_unique_address]] lock_order::Held held_;
};

}  // namespace skmd

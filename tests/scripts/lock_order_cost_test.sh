#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The order of locks costs nothing where it is not asserted: lock_order_cost_test.sh SOURCE COMPILER. Code with skmd::Mutex becomes the
# same instructions as code with std::mutex, and others where SKMD_LOCK_ORDER is set.
set -uo pipefail
source=$1 compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
# Without the numbers of labels, which count what the headers declare.
instructions() {
  "$compiler" -std=c++20 -O2 -S -o "$work/out" -I "$source" "$@" "$work/case.cpp" || fail "$* does not compile"
  sed -E 's/(\.L[A-Z]+)[0-9]+/\1/g' "$work/out"
}
cat >"$work/case.cpp" <<'CASE'
#include <new>
#ifdef PLAIN
#include <condition_variable>
#include <mutex>
using Mutex = std::mutex;
using Condition = std::condition_variable;
using MutexGuard = std::lock_guard<std::mutex>;
using MutexLock = std::unique_lock<std::mutex>;
#define RANK
#define MAY_TAKE
#else
#include "partitioner/base/condition.h"
using namespace skmd;
#define RANK {LockRank::pool}
#define MAY_TAKE lock_order::expect_may_take(LockRank::ranges); [[maybe_unused]] const lock_order::Balance balance
#endif
struct Counter {
  Mutex mutex RANK;
  Condition changed;
  int count = 0;
};
extern "C" {
void add(Counter& to) { MAY_TAKE; const MutexGuard lock(to.mutex); ++to.count; }
void add_early(Counter& to) { MutexLock lock(to.mutex); ++to.count; lock.unlock(); to.changed.notify_one(); }
void await(Counter& of) { MutexLock lock(of.mutex); of.changed.wait(lock, [&] { return of.count > 0; }); }
bool try_add(Counter& to) { if (!to.mutex.try_lock()) return false; ++to.count; to.mutex.unlock(); return true; }
void make(Counter* at) { new (at) Counter; }
}
CASE
instructions -DPLAIN >"$work/plain"
instructions >"$work/released"
instructions -DSKMD_LOCK_ORDER >"$work/asserted"
grep -q pthread_mutex_lock "$work/plain" || fail "the case locks nothing"
diff "$work/plain" "$work/released" || fail "locks are compiled to other instructions than those of std::mutex"
! diff -q "$work/released" "$work/asserted" >/dev/null || fail "SKMD_LOCK_ORDER changes nothing"
exit 0

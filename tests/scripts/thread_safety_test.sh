#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An access without the lock does not compile: thread_safety_test.sh SOURCE. Each case is a small file with the flags of
# cmake/warnings.cmake.
set -uo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
compiles() {
  cat "$work/class" - <<<"$1" >"$work/case.cpp"
  # shellcheck disable=SC2086 -- one flag, or none
  clang++-22 -std=c++20 -fsyntax-only -I "$source" -Wthread-safety -Werror=thread-safety $order "$work/case.cpp" >"$work/out" 2>&1
}
passes() { compiles "$1" || fail "$1 does not compile: $(cat "$work/out")"; }
refused() {
  compiles "$1" && fail "compiles: $1"
  grep -q "Wthread-safety" "$work/out" || fail "$1 fails for another reason: $(cat "$work/out")"
}

grep -q 'Werror=thread-safety' "$source/cmake/warnings.cmake" || fail "the builds do not ask for it"
cat >"$work/class" <<'CLASS'
#include "partitioner/base/condition.h"
struct Account {
  skmd::Mutex& mutex() SKMD_RETURNS_LOCK(mutex_) { return mutex_; }
  int& count() SKMD_REQUIRES(mutex_) { return count_; }
  void add();
  skmd::Mutex mutex_{skmd::LockRank::pool};
  skmd::Condition changed_;
  int count_ SKMD_GUARDED_BY(mutex_) = 0;
};
CLASS
# The builds that check this assert the order of locks; others do not.
for order in "" -DSKMD_LOCK_ORDER; do
  passes 'void Account::add() { const skmd::MutexGuard lock(mutex_); ++count_; }'
  refused 'void Account::add() { ++count_; }'
  passes 'void add(Account& to) { skmd::MutexLock lock(to.mutex()); ++to.count(); lock.unlock(); }'
  refused 'void add(Account& to) { skmd::MutexLock lock(to.mutex()); lock.unlock(); ++to.count(); }'
  refused 'void add(Account& to, Account& from) { const skmd::MutexGuard lock(to.mutex()); ++from.count(); }'
  passes 'void Account::add() { skmd::MutexLock lock(mutex_); changed_.wait(lock, [&]() SKMD_REQUIRES(mutex_) { return count_ > 0; }); }'
  refused 'void Account::add() { mutex_.lock(); ++count_; }'
done
exit 0

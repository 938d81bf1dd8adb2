// SPDX-License-Identifier: Apache-2.0
#include "partitioner/base/look_again.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <ctime>
#include <ratio>

namespace skmd {

namespace {

constexpr std::uint64_t kSecond = std::nano::den;  // nanoseconds

// A futex and no condition variable: the child of a fork inherits both in any state, and can use only the former.
constinit std::atomic<std::uint32_t> calls{0};
constinit std::atomic<std::uint32_t> lookers{0};
static_assert(sizeof calls == sizeof(std::uint32_t));

}  // namespace

void look_again() noexcept {
  if (lookers.load(std::memory_order_seq_cst) == 0) return;
  calls.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&calls), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

Looker::Looker() noexcept { lookers.fetch_add(1, std::memory_order_seq_cst); }

Looker::~Looker() { lookers.fetch_sub(1, std::memory_order_relaxed); }

std::uint32_t Looker::before() const noexcept { return calls.load(std::memory_order_acquire); }

void Looker::wait(std::uint32_t seen, std::uint64_t nanoseconds) const noexcept {
  const timespec time{static_cast<time_t>(nanoseconds / kSecond), static_cast<long>(nanoseconds % kSecond)};
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&calls), FUTEX_WAIT_PRIVATE, seen, &time, nullptr, 0);
}

}  // namespace skmd

// SPDX-License-Identifier: Apache-2.0
// A request to a device to end a launch between two of its work-groups, and how far the launch has come.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "partitioner/base/look_again.h"

namespace skmd::icd {

/// Shared by those who may ask and the batches of one slice. Thread-safe; nothing is ever taken back.
class StopToken {
 public:
  StopToken() = default;
  /// The end is also asked for once `wanted` is true. Any thread calls it at any time: between groups, when
  /// look_again() was called, and about once a millisecond.
  explicit StopToken(std::function<bool()> wanted) : wanted_(std::move(wanted)) {}

  /// Asks for the end at that time of the host's clock (host_now(), nanoseconds), if it was not asked for before.
  void request_at(std::uint64_t when) noexcept {
    std::uint64_t none = kNever;
    when_.compare_exchange_strong(none, when, std::memory_order_relaxed);
    look_again();
  }
  /// Asks for the end as soon as can be.
  void request() noexcept { request_at(host_now()); }
  /// Whether the end is asked for. Reads the clock only if a time was set.
  [[nodiscard]] bool requested() noexcept {
    if (wanted_ && when_.load(std::memory_order_relaxed) == kNever && wanted_()) request_at(host_now());
    const std::uint64_t when = when_.load(std::memory_order_relaxed);
    return when != kNever && host_now() >= when;
  }
  /// The time for which the end is asked for, nanoseconds of the host's clock; UINT64_MAX: it is not. May lie ahead.
  [[nodiscard]] std::uint64_t since() const noexcept { return when_.load(std::memory_order_relaxed); }

  /// How many groups have run so far, as far as it is known, and what `timed` of them took, in nanoseconds.
  struct Progress {
    std::uint64_t groups = 0, timed = 0, nanoseconds = 0;
  };
  [[nodiscard]] Progress progress() const noexcept {
    // The time first: groups that are counted between the two loads make the device look faster, not slower.
    const std::uint64_t nanoseconds = nanoseconds_.load(std::memory_order_acquire);
    return {groups_.load(std::memory_order_relaxed), timed_.load(std::memory_order_relaxed), nanoseconds};
  }
  /// Some more groups have run, of which `timed` and all that were timed before took `nanoseconds`. Told by the threads
  /// that run them, while they do.
  void ran(std::uint64_t groups, std::uint64_t timed, std::uint64_t nanoseconds) noexcept {
    groups_.fetch_add(groups, std::memory_order_relaxed);
    timed_.fetch_add(timed, std::memory_order_relaxed);
    std::uint64_t before = nanoseconds_.load(std::memory_order_relaxed);
    while (before < nanoseconds && !nanoseconds_.compare_exchange_weak(before, nanoseconds, std::memory_order_release,
                                                                       std::memory_order_relaxed)) {
    }
  }
  /// The host's clock, nanoseconds, when the first of its launches began, which is now if none had.
  [[nodiscard]] std::uint64_t began() noexcept {
    std::uint64_t none = 0;
    const std::uint64_t now = host_now();
    return began_.compare_exchange_strong(none, now, std::memory_order_relaxed) ? now : none;
  }

 private:
  static constexpr std::uint64_t kNever = UINT64_MAX;
  const std::function<bool()> wanted_;
  std::atomic<std::uint64_t> when_{kNever};
  std::atomic<std::uint64_t> began_{0}, groups_{0}, timed_{0}, nanoseconds_{0};
};

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// A request to a device to end a launch between two of its work-groups.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "intercept/backend/port/host_clock.h"

namespace skmd::icd {

/// Shared by those who may ask and the batches of one slice. Thread-safe; nothing is ever taken back.
class StopToken {
 public:
  StopToken() = default;
  /// The end is also asked for once `wanted` is true, which any thread calls at any time, some thousand times a second.
  explicit StopToken(std::function<bool()> wanted) : wanted_(std::move(wanted)) {}

  /// Asks for the end at that time of the host's clock (host_now(), nanoseconds), if it was not asked for before.
  void request_at(std::uint64_t when) noexcept {
    std::uint64_t none = kNever;
    when_.compare_exchange_strong(none, when, std::memory_order_relaxed);
  }
  /// Asks for the end as soon as can be.
  void request() noexcept { request_at(host_now()); }
  /// Whether the end is asked for. Reads the clock only if a time was set.
  [[nodiscard]] bool requested() noexcept {
    if (wanted_ && when_.load(std::memory_order_relaxed) == kNever && wanted_()) request_at(host_now());
    const std::uint64_t when = when_.load(std::memory_order_relaxed);
    return when != kNever && host_now() >= when;
  }
  /// Since when, in nanoseconds of the host's clock. Precondition: requested().
  [[nodiscard]] std::uint64_t since() const noexcept { return when_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t kNever = UINT64_MAX;
  const std::function<bool()> wanted_;
  std::atomic<std::uint64_t> when_{kNever};
};

}  // namespace skmd::icd

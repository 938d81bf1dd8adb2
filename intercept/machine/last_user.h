// SPDX-License-Identifier: Apache-2.0
// Which device used something last: a guess about the next one.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace skmd::icd {

/// Thread-safe; where launches run beside each other the answer may be that of any of them.
class LastUser {
 public:
  /// A launch ran as a whole on a device with memory of its own, or not (in host memory, or on several devices).
  void used_on(std::optional<std::uint32_t> device) {
    const std::int32_t user = device ? static_cast<std::int32_t>(*device) : kSeveral;
    if (user_.load(std::memory_order_relaxed) != user) user_.store(user, std::memory_order_relaxed);
  }
  /// No launch was noted.
  [[nodiscard]] bool is_unused() const { return user_.load(std::memory_order_relaxed) == kUnused; }
  /// The device of the last launch, if it ran as a whole on one.
  [[nodiscard]] std::optional<std::uint32_t> device() const {
    const std::int32_t user = user_.load(std::memory_order_relaxed);
    return user < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(user));
  }

 private:
  static constexpr std::int32_t kSeveral = -1;  // or host memory
  static constexpr std::int32_t kUnused = -2;   // no launch yet
  std::atomic<std::int32_t> user_{kUnused};
};

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// On which devices launches of one shape have run.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace skmd::icd {

/// Launches with an offset count apart from those without one: vendors compile for each. Thread-safe.
class FirstUses {
 public:
  [[nodiscard]] bool is_marked(std::uint32_t device, bool with_offset) const {
    return (used_[with_offset ? 1 : 0].load(std::memory_order_relaxed) >> device & 1) != 0;
  }
  void mark(std::uint32_t device, bool with_offset) {
    if (!is_marked(device, with_offset))
      used_[with_offset ? 1 : 0].fetch_or(std::uint64_t{1} << device, std::memory_order_relaxed);
  }

  /// Marks what is marked in `before`. Precondition: no other thread has this one yet.
  void inherit(const FirstUses& before) {
    for (std::size_t i = 0; i < used_.size(); ++i) used_[i] = before.used_[i].load(std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<std::uint64_t>, 2> used_{};  // without and with an offset: a bit per device
};

}  // namespace skmd::icd

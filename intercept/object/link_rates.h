// SPDX-License-Identifier: Apache-2.0
// Measured transfer rates between host memory and each device, for the partitioner.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace skmd::icd {

struct LinkRate {
  double to = 0.0;    // bytes per second, host to device
  double from = 0.0;  // device to host
};

/// Thread-safe. Exponentially weighted; transfers too small to tell a rate are ignored.
class LinkRates {
 public:
  static LinkRates& get();
  [[nodiscard]] LinkRate of(std::uint32_t device) const;
  void learn_to(std::uint32_t device, std::uint64_t bytes, std::uint64_t nanoseconds);
  void learn_from(std::uint32_t device, std::uint64_t bytes, std::uint64_t nanoseconds);

 private:
  static constexpr std::size_t kMost = 64;          // memory spaces are a 64-bit mask, so there are no more devices
  static constexpr double kAssumed = 8e9;           // pageable memory over a present-day link, until measured
  static constexpr std::uint64_t kLeast = 1 << 18;  // bytes
  static void learn(std::atomic<double>& rate, std::uint64_t bytes, std::uint64_t nanoseconds);
  std::array<std::atomic<double>, kMost> to_{};
  std::array<std::atomic<double>, kMost> from_{};
};

}  // namespace skmd::icd

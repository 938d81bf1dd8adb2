// SPDX-License-Identifier: Apache-2.0
// Measured transfer rates between host memory and each device, and of copies inside host memory, for the partitioner.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "intercept/memory/memory_constants.h"

namespace skmd::icd {

/// Bytes per second of large transfers; the shape below says what smaller ones take. Nothing: not measured yet.
struct LinkRate {
  std::optional<double> to;    // host to device
  std::optional<double> from;  // device to host
};

/// Bytes per second of copies inside host memory by so many threads, until one was timed.
double assumed_host_rate(unsigned threads);

/// Thread-safe. Exponentially weighted. A rate is what large transfers would reach, given how the measured size fares
/// by kLinkShape; transfers too small to tell a rate are ignored.
class LinkRates {
 public:
  static LinkRates& get();
  [[nodiscard]] LinkRate of(std::uint32_t device) const;
  void learn_to(std::uint32_t device, std::uint64_t bytes, std::uint64_t nanoseconds);
  void learn_from(std::uint32_t device, std::uint64_t bytes, std::uint64_t nanoseconds);
  /// Whether the device's own time of a transfer of so many bytes from or to page-locked memory is wanted, which costs
  /// it some 10 us: of the first few and then now and then. Counts the call.
  bool asks(std::uint32_t device, std::uint64_t bytes);
  /// Bytes per second that the host's threads copy between the application's memory and ours.
  [[nodiscard]] double host() const;
  void learn_host(std::uint64_t bytes, std::uint64_t nanoseconds);

 private:
  static constexpr std::size_t kMax = 64;  // memory spaces are a 64-bit mask, so there are no more devices
  std::array<std::atomic<double>, kMax> to_{};
  std::array<std::atomic<double>, kMax> from_{};
  std::array<std::atomic<std::uint32_t>, kMax> asked_{};
  std::atomic<double> host_{0.0};
};

}  // namespace skmd::icd

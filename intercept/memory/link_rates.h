// SPDX-License-Identifier: Apache-2.0
// Measured transfer rates between host memory and each device, and of copies inside host memory, for the partitioner.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "partitioner/plan/partition.h"

namespace skmd::icd {

/// Bytes per second of large transfers; the shape below says what smaller ones take. Nothing: not measured yet.
struct LinkRate {
  std::optional<double> to;    // host to device
  std::optional<double> from;  // device to host
};

/// How transfers of different sizes fare, on all links: curves of an H100 and an H200 through our staging threads
/// (profiles/nvidia-*.jsonl, "staged" and "pinned"): 12 us for the smallest, 7 to 8 GB/s at a mebibyte, 17 at eight,
/// 32 to 44 from 64 on.
inline constexpr domain::LinkShape kLinkShape{12e-6, 0.3, 170e-6};
/// Of a link that was never used: the middle of those curves. Too high a guess is corrected by the first transfer; too
/// low a one keeps the link from being used, and is never corrected.
inline constexpr double kAssumedLink = 35e9;
/// Of copies inside host memory, until one was timed: a little more than was measured on two threads (8 to 10 GB/s), 16
/// (50) and 32 (65) of Xeons, for the same reason.
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

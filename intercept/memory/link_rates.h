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
  // Transfers that have told it: the first ones also make what transfers go through.
  std::uint32_t to_told = 0, from_told = 0;
};

/// Bytes per second of copies inside host memory by so many threads, until one was timed.
double assumed_host_rate(unsigned threads);

/// Thread-safe. Exponentially weighted, except that a first transfer gives way to a faster one soon after. A rate is
/// what large transfers would reach, given how the measured size fares by the link's shape; transfers too small to tell
/// a rate are ignored. Devices in one other machine share one link.
class LinkRates {
 public:
  static LinkRates& get();
  [[nodiscard]] LinkRate of(std::uint32_t device) const;
  /// `device` is in another machine, and shares the link of device `link`, the first of that machine. Before the link
  /// is used.
  void set_far(std::uint32_t device, std::uint32_t link);
  [[nodiscard]] std::uint32_t link_of(std::uint32_t device) const;
  [[nodiscard]] bool is_far(std::uint32_t device) const;
  /// How transfers of different sizes fare there.
  [[nodiscard]] domain::LinkShape shape(std::uint32_t device) const;
  /// Bytes per second, until a rate is measured.
  [[nodiscard]] double assumed(std::uint32_t device) const;
  /// Seconds from a command's submission to the knowledge of its end, beyond its own time: 0 for devices in this
  /// machine, assumed until it is measured for others.
  [[nodiscard]] double round_trip(std::uint32_t device) const;
  /// The same; 0: not measured.
  [[nodiscard]] double known_round_trip(std::uint32_t device) const;
  void learn_round_trip(std::uint32_t device, std::uint64_t nanoseconds);
  /// From times of the device's driver, which know of no round trip.
  void learn_to(std::uint32_t device, std::uint64_t bytes, std::uint64_t nanoseconds);
  void learn_from(std::uint32_t device, std::uint64_t bytes, std::uint64_t nanoseconds);
  /// The same where the nanoseconds are more than the transfer took: they tell of a faster link at most.
  void learn_to_at_least(std::uint32_t device, std::uint64_t bytes, std::uint64_t nanoseconds);
  /// From nanoseconds by the host's clock of two transfers over a link to another machine, round trips included.
  void learn_measured(std::uint32_t device, std::uint64_t bytes, std::uint64_t to, std::uint64_t from);
  /// Whether the device's own time of a transfer of so many bytes from or to page-locked memory is wanted, which costs
  /// it some 10 us: of the first few and then now and then. Counts the call.
  bool asks(std::uint32_t device, std::uint64_t bytes);
  /// Bytes per second that the host's threads copy between the application's memory and ours: of buffers of so many
  /// bytes together, which may be in caches; without an argument, of any number.
  [[nodiscard]] double host(std::uint64_t bytes) const;
  [[nodiscard]] double host() const;
  void learn_host(std::uint64_t bytes, std::uint64_t nanoseconds);

 private:
  static constexpr std::size_t kMax = 64;  // memory spaces are a 64-bit mask, so there are no more devices
  [[nodiscard]] std::size_t place(std::uint32_t device) const { return link_of(device) % kMax; }
  // By link; a device in this machine has one of its own.
  std::array<std::atomic<std::uint32_t>, kMax> far_link_{};  // one more than the link; 0: the device is in this machine
  std::array<std::atomic<double>, kMax> round_trip_{};
  struct Way {
    std::atomic<double> rate{0.0};  // bytes per second; 0: not known
    std::atomic<std::uint32_t> told{0};
    void learn(double seen);
  };
  std::array<Way, kMax> to_{};
  std::array<Way, kMax> from_{};
  std::array<std::atomic<std::uint32_t>, kMax> asked_{};
  std::atomic<double> host_{0.0};
  std::atomic<double> host_small_{0.0};  // of fewer than kLeastCopied bytes
};

}  // namespace skmd::icd

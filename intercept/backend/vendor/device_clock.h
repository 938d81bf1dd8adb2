// SPDX-License-Identifier: Apache-2.0
// A device's clock, read off the times of its commands.
#pragma once

#include <cstdint>
#include <optional>

namespace skmd::icd {

/// Device clocks are unrelated to the host's and drift. What is known of the difference comes from both ends of a
/// command: when the driver took it, the host had already begun to enqueue it; when the host saw its end, it had ended.
/// The closest of each bound it, and grow old. Times in nanoseconds. Not thread-safe.
class DeviceClock {
 public:
  /// Host and device at (nearly) one moment.
  struct Pair {
    std::uint64_t host = 0, device = 0;
  };
  /// A command that ended: `begun` no later on the host than on the device (CL_PROFILING_COMMAND_QUEUED; none if the
  /// driver has no sensible one), `seen` no sooner (CL_PROFILING_COMMAND_END).
  void learn(const std::optional<Pair>& begun, const Pair& seen);
  /// After learn(); 0 of a time before the host's clock began. Differences of device times stay what they are until
  /// more is learnt.
  [[nodiscard]] std::uint64_t on_host(std::uint64_t device) const;

 private:
  struct Bound {
    std::int64_t difference = 0;  // host minus device
    std::uint64_t at = 0;         // on the host
  };
  std::optional<Bound> least_;
  std::optional<Bound> most_;
};

}  // namespace skmd::icd

// SPDX-License-Identifier: Apache-2.0
// How often each span is run when a kernel is profiled: often enough that noise does not decide, and no more, since the
// user waits. Pure. The constants are in profile_constants.h.
#pragma once

#include <cstdint>
#include <vector>

namespace skmd::domain {

class ProfileRuns {
 public:
  /// `fixed`: so many runs of each span; 0: as many as its length asks for. `expected_seconds` is what one run of the
  /// span should take; 0: not known before the first run.
  ProfileRuns(std::uint32_t fixed, double expected_seconds) : fixed_(fixed), expected_seconds_(expected_seconds) {}
  /// Another run is wanted after runs of so many nanoseconds; the last one took `last_seconds` of the host.
  [[nodiscard]] bool wants_another(const std::vector<std::uint64_t>& nanoseconds, double last_seconds) const;
  /// Seconds that all runs of the span are expected to take.
  [[nodiscard]] double planned_seconds() const;

 private:
  std::uint32_t fixed_;
  double expected_seconds_;
};

/// The middle one of run times; of an even number the lower one of the two in the middle. Precondition: there is one.
std::uint64_t middle_of(std::vector<std::uint64_t> nanoseconds);

/// Seconds for which a device with so many units runs before its first span counts.
double settling_seconds(std::uint64_t units);

}  // namespace skmd::domain

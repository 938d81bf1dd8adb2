// SPDX-License-Identifier: Apache-2.0
// Timing of work that is repeated while there is time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "intercept/calibration/probe.h"

namespace skmd::icd::calibration {

/// The clock's time from its making on.
class Stopwatch {
 public:
  Stopwatch(const Clock& clock, double seconds) : clock_(clock), begin_(clock()), seconds_(seconds) {}
  [[nodiscard]] double gone() const { return clock_() - begin_; }
  /// Of the seconds that it was made for; not below 0.
  [[nodiscard]] double left() const { return std::max(0.0, seconds_ - gone()); }

 private:
  const Clock& clock_;
  const double begin_, seconds_;
};

struct Repetitions {
  std::size_t least = 3, most = 50;
};

/// Seconds of each run of `work`, ascending; runs while `seconds` last. `before` runs before each, untimed.
inline domain::Result<std::vector<double>> timed(const Clock& clock, double seconds, Repetitions repetitions,
                                                 const std::function<domain::Status()>& work,
                                                 const std::function<domain::Status()>& before = nullptr) {
  const Stopwatch all(clock, seconds);
  std::vector<double> runs;
  while (runs.size() < repetitions.least || (runs.size() < repetitions.most && all.left() > 0)) {
    if (before)
      if (domain::Status done = before(); !done) return done.error();
    const double begin = clock();
    if (domain::Status done = work(); !done) return done.error();
    runs.push_back(clock() - begin);
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

inline double median_of(const std::vector<double>& ascending) { return ascending[ascending.size() / 2]; }

}  // namespace skmd::icd::calibration

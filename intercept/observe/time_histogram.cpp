// SPDX-License-Identifier: Apache-2.0
#include "intercept/observe/time_histogram.h"

#include <algorithm>
#include <cmath>

namespace skmd::icd {

void TimeHistogram::add(std::uint64_t nanoseconds) {
  if (buckets_.empty()) buckets_.resize(64 * kStepsPerOctave);
  ++count_;
  max_ = std::max(max_, nanoseconds);
  const double place = nanoseconds < 2 ? 0.0 : std::log2(static_cast<double>(nanoseconds)) * kStepsPerOctave;
  ++buckets_[std::min(static_cast<std::size_t>(place), buckets_.size() - 1)];
}

double TimeHistogram::percentile_us(double fraction) const {
  if (count_ == 0) return 0.0;
  const auto wanted = static_cast<std::uint64_t>(fraction * static_cast<double>(count_ - 1)) + 1;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen < wanted) continue;
    const double middle = std::exp2((static_cast<double>(i) + 0.5) / kStepsPerOctave) * 1e-3;
    return std::min(middle, max_us());
  }
  return max_us();
}

}  // namespace skmd::icd

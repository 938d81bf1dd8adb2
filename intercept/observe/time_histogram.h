// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace skmd::icd {

/// Times in logarithmic buckets (relative width under 5%): a percentile without keeping every value.
class TimeHistogram {
 public:
  void add(std::uint64_t nanoseconds);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double percentile_us(double fraction) const;
  [[nodiscard]] double max_us() const { return static_cast<double>(max_) * 1e-3; }

 private:
  static constexpr std::uint32_t kStepsPerOctave = 16;  // a bucket is 4 % wide
  std::vector<std::uint64_t> buckets_;                  // from the first time on
  std::uint64_t count_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace skmd::icd

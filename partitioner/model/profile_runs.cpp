// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/profile_runs.h"

#include <algorithm>
#include <cstddef>

#include "partitioner/model/profile_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

enum class Length : std::uint8_t { brief, middling, lasting };

Length length_of(double seconds) {
  if (seconds > kLastingSeconds) return Length::lasting;
  return seconds > kMiddlingSeconds ? Length::middling : Length::brief;
}

bool agree(std::uint64_t a, std::uint64_t b) {
  return static_cast<double>(std::max(a, b)) <= (1.0 + kAgreement) * static_cast<double>(std::min(a, b));
}

}  // namespace

bool ProfileRuns::wants_another(const std::vector<std::uint64_t>& nanoseconds, double last_seconds) const {
  const std::size_t made = nanoseconds.size();
  if (made == 0) return true;
  if (fixed_ != 0) return made < fixed_;
  switch (length_of(std::max(expected_seconds_, last_seconds))) {
    case Length::lasting:
      return false;
    case Length::middling:
      return made < kMiddlingRuns && !(made == 2 && agree(nanoseconds[0], nanoseconds[1]));
    case Length::brief:
      break;
  }
  return made < kRuns;
}

double ProfileRuns::planned_seconds() const {
  if (fixed_ != 0) return fixed_ * expected_seconds_;
  const Length length = length_of(expected_seconds_);
  if (length == Length::lasting) return expected_seconds_;
  return (length == Length::brief ? kRuns : kUsualMiddlingRuns) * expected_seconds_;
}

std::uint64_t middle_of(std::vector<std::uint64_t> nanoseconds) {
  const auto middle = nanoseconds.begin() + static_cast<std::ptrdiff_t>((nanoseconds.size() - 1) / 2);
  std::nth_element(nanoseconds.begin(), middle, nanoseconds.end());
  return *middle;
}

double settling_seconds(std::uint64_t units) {
  return std::min(kMaxSettlingSeconds, kSettlingSecondsPerUnit * static_cast<double>(units));
}

}  // namespace skmd::domain

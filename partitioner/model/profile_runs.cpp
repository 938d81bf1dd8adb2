// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/profile_runs.h"

#include <algorithm>
#include <cstddef>

namespace skmd::domain {
namespace {

/// A span that takes this long is run once: noise does not matter there.
constexpr double kLastingSeconds = 0.02;
/// Of three runs on sixteen threads of a virtual machine two were late now and then.
constexpr std::uint32_t kRuns = 5;
/// A span that takes this long is run twice, and a third time if these two differ by more than kAgreement: with five
/// runs, profiling took 20 to 33 times as long as the application alone, with three 5 to 30 times (sixteen workloads at
/// profile1 on two devices).
constexpr double kMiddlingSeconds = 1e-3;
constexpr std::uint32_t kMiddlingRuns = 3;
constexpr double kAgreement = 0.05;
/// Runs of such a span that progress is counted by.
constexpr double kUsualMiddlingRuns = 2.25;
/// A device that has been idle works more slowly at first: threads of sixteen virtual cores took twice as long in their
/// process's first tenth of a second. That it takes fewer threads less is assumed, not measured.
constexpr double kSettlingSecondsPerUnit = 0.1 / 16;
constexpr double kMaxSettlingSeconds = 0.1;

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

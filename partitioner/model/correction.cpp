// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/correction.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "partitioner/model/fit_constants.h"
#include "partitioner/model/rate_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

constexpr double kNarrows = kWidens * (1.0 - kCovered) / kCovered;  // so that the band rests with so many inside
const double kFactorOfTwo = std::log(2.0);
const double kMaxLevel = std::log(kMaxCorrection);

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

double finite(double seconds) {
  return std::clamp(seconds, std::numeric_limits<double>::min(), std::numeric_limits<double>::max());
}

/// Logarithm of half the stored band.
double width_of(const TimePrediction& stored) {
  const double width = stored.high > stored.seconds ? std::log(stored.high) - std::log(stored.seconds) : 0.0;
  return std::clamp(std::isfinite(width) ? width : 0.0, kNoise, kMaxLevel);
}

}  // namespace

double Correction::factor() const { return std::exp(level_); }

double Correction::age(double now, std::uint64_t launches) const {
  if (seen_ == 0) return 0.0;
  const double idle = std::isfinite(now) ? std::max(0.0, now - last_seconds_) : 0.0;
  // The launch in question is one of them.
  const double elsewhere = launches > last_launches_ ? static_cast<double>(launches - last_launches_ - 1) : 0.0;
  return idle / kSecondsToDouble + elsewhere / kLaunchesToDouble;
}

double Correction::half_width(double stored_width, double age) const {
  const double width = std::max(kNoise, wider_ * stored_width);
  return std::min(width * (1.0 + age), std::max({width, kFactorOfTwo, std::abs(level_)}));
}

void Correction::change_level() {
  std::array<double, kLaunchesToChange> levels{}, off{};
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = outside_[i].level;
  std::sort(levels.begin(), levels.end());
  level_ = levels[levels.size() / 2];
  for (std::size_t i = 0; i < off.size(); ++i) off[i] = std::abs(outside_[i].level - level_) / outside_[i].width;
  std::sort(off.begin(), off.end());
  const auto covered = static_cast<std::size_t>(std::ceil(kCovered * static_cast<double>(off.size()))) - 1;
  wider_ = std::clamp(off[covered], 1.0, kWidest);
  trust_ = static_cast<double>(kLaunchesToChange);
  outside_count_ = 0;
}

void Correction::take_first_level() {
  const double one = outside_[outside_count_ - 2].level - level_, other = outside_[outside_count_ - 1].level - level_;
  if (one * other < 0) return;
  level_ += std::abs(one) < std::abs(other) ? one : other;
  trust_ = static_cast<double>(kFirstToChange);
  outside_count_ = 0;
}

void Correction::learn(const TimePrediction& stored, double seconds, double now, std::uint64_t launches) {
  if (!is_positive(stored.seconds) || !is_positive(seconds)) return;
  const bool far_shorter = stored.seconds < longest_ / kMuchLongerLaunch;
  if (far_shorter && ++far_shorter_ < kFarShorterLaunches) return;
  if (far_shorter || stored.seconds > longest_ * kMuchLongerLaunch) *this = Correction();
  far_shorter_ = 0;
  longest_ = std::max(longest_, stored.seconds);
  const double level = std::clamp(std::log(seconds) - std::log(stored.seconds), -kMaxLevel, kMaxLevel);
  const double width = width_of(stored), aged = age(now, launches), off = level - level_;
  const bool inside = std::abs(off) <= half_width(width, aged);
  if (inside) {
    trust_ /= 1.0 + aged;
    level_ += std::max(kNewestCorrection, 1.0 / (1.0 + kStoredLaunches + trust_)) * off;
    trust_ += 1.0;
    outside_count_ = 0;
    confirmed_ = true;
    // Inside only because the band grew with age: it stays this wide until further launches have settled the level.
    wider_ = std::abs(off) > half_width(width, 0.0) ? std::abs(off) / width : wider_ * std::exp(-kNarrows);
  } else {
    wider_ *= std::exp(kWidens);
    outside_[outside_count_++] = {level, width};
  }
  wider_ = std::clamp(wider_, kNarrowest, kWidest);
  if (outside_count_ == kLaunchesToChange) change_level();
  if (!confirmed_ && outside_count_ >= kFirstToChange) take_first_level();
  ++seen_;
  last_launches_ = std::max(last_launches_, launches);
  if (std::isfinite(now)) last_seconds_ = seen_ == 1 ? now : std::max(last_seconds_, now);
}

TimePrediction Correction::corrected(const TimePrediction& stored, double now, std::uint64_t launches) const {
  if (seen_ == 0 || !is_positive(stored.seconds) || stored.seconds < longest_ / kMuchLongerLaunch) return stored;
  const double seconds = finite(stored.seconds * factor());
  const double band = std::exp(half_width(width_of(stored), age(now, launches)));
  return {seconds, finite(seconds / band), finite(seconds * band)};
}

void Corrections::learn(const Key& key, const TimePrediction& stored, double seconds, double now) {
  if (corrections_.size() >= kMaxEntries || launches_.size() >= kMaxEntries) {
    corrections_.clear();
    launches_.clear();
  }
  corrections_[key].learn(stored, seconds, now, ++launches_[key.kernel]);
}

TimePrediction Corrections::corrected(const Key& key, const TimePrediction& stored, double now) const {
  const Correction* correction = find(key);
  if (correction == nullptr) return stored;
  const auto launches = launches_.find(key.kernel);
  return correction->corrected(stored, now, launches == launches_.end() ? 0 : launches->second + 1);
}

const Correction* Corrections::find(const Key& key) const {
  const auto found = corrections_.find(key);
  return found == corrections_.end() ? nullptr : &found->second;
}

void Corrections::forget(std::uint64_t kernel) {
  corrections_.erase(corrections_.lower_bound({kernel, 0}), corrections_.upper_bound({kernel, UINT32_MAX}));
  launches_.erase(kernel);
}

}  // namespace skmd::domain

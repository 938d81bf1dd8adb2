// SPDX-License-Identifier: Apache-2.0
#include "partitioner/plan/phase_fill.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "partitioner/plan/plan_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

constexpr double kForever = std::numeric_limits<double>::infinity();

}  // namespace

PhaseFill::PhaseFill(std::span<CompletionCurve* const> lines, double groups) : groups_(groups) {
  for (CompletionCurve* line : lines)
    items_[count_++] = {line, line->before.fixed + line->after.fixed, line->before.each + line->after.each};
  // In ascending order of the cost of copying.
  std::sort(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(count_),
            [](const Item& a, const Item& b) { return a.line->copying_each < b.line->copying_each; });
}

double PhaseFill::most(const Item& item, double run) const { return std::min(groups_, groups_run(*item.line, run)); }

/// Seconds of copying if devices without transfers run `groups`; infinite if they cannot.
double PhaseFill::copying(double run, double groups) const {
  double seconds = 0;
  for (std::size_t i = 0; i < count_ && groups > 0; ++i) {
    if (items_[i].moves()) continue;
    const double done = std::min(groups, most(items_[i], run));
    seconds += done * items_[i].line->copying_each;
    groups -= done;
  }
  constexpr double kNothing = 1e-9;  // of the groups: rounding error of sums
  return groups > kNothing * groups_ ? kForever : seconds;
}

/// The earliest end, seconds, if running takes at most `run`, minimised over the time for transfers.
PhaseFill::Ends PhaseFill::end_with(double run) {
  std::size_t changes = 0;
  double still = 0;  // groups of devices without transfers
  for (std::size_t i = 0; i < count_; ++i) {
    const Item& item = items_[i];
    const double done = most(item, run);
    if (!item.moves()) still += done;
    if (!item.moves() || done <= 0) continue;
    if (!(item.moving_each > 0)) {
      changes_[changes++] = {item.moving_fixed, 0.0, done};
      continue;
    }
    changes_[changes++] = {item.moving_fixed, 1.0 / item.moving_each, 0.0};
    changes_[changes++] = {item.moving_fixed + done * item.moving_each, -1.0 / item.moving_each, 0.0};
  }
  std::sort(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(changes),
            [](const Change& a, const Change& b) { return a.at < b.at; });
  Ends best{run + copying(run, groups_), 0.0};
  const auto consider = [&](double moving, double moved) {
    const double seconds = run + moving + copying(run, std::max(0.0, groups_ - moved));
    if (seconds < best.seconds) best = {seconds, moving};
  };
  double at = 0, rate = 0, moved = 0;
  for (std::size_t i = 0; i < changes && moved < groups_; ++i) {
    const double next = moved + rate * (changes_[i].at - at);
    // Between two changes the end is linear: its minimum is at one of them, or where no more groups need or can be
    // moved.
    for (const double enough : {groups_ - still, groups_})
      if (rate > 0 && moved < enough && enough < next) consider(at + (enough - moved) / rate, enough);
    at = changes_[i].at;
    moved = next + changes_[i].jump;
    rate = std::max(0.0, rate + changes_[i].rate);
    consider(at, std::min(moved, groups_));
  }
  return best;
}

/// Golden-section search: the end is a convex function of the run's length.
double PhaseFill::best_run() {
  double least = 0, owed = 0, low = 0, high = kForever;
  for (std::size_t i = 0; i < count_; ++i) {
    const CompletionCurve& line = *items_[i].line;
    // Below its bend a curve has its least slope.
    least += 1.0 / (line.least_per_group > 0 ? std::min(line.least_per_group, line.per_group) : line.per_group);
    const double fixed = std::max(line.fixed, line.least_fixed);
    owed = i == 0 ? fixed : std::min(owed, fixed);
    high = std::min(
        high, fixed + items_[i].moving_fixed + groups_ * (line.per_group + items_[i].moving_each + line.copying_each));
  }
  low = owed + groups_ / least;
  constexpr double kGolden = 0.6180339887498949;  // the golden ratio, less one
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double at_left = end_with(left).seconds, at_right = end_with(right).seconds;
  const int narrowings = count_ > kManyDevices ? kFewNarrowings : kNarrowings;
  for (int i = 0; i < narrowings; ++i) {
    if (at_right < at_left || !std::isfinite(at_left)) {
      low = left;
      left = right;
      at_left = at_right;
      right = low + kGolden * (high - low);
      at_right = end_with(right).seconds;
    } else {
      high = right;
      right = left;
      at_right = at_left;
      left = high - kGolden * (high - low);
      at_left = end_with(left).seconds;
    }
  }
  return std::isfinite(at_left) ? right : high;
}

double PhaseFill::finish() { return count_ == 0 ? kForever : end_with(best_run()).seconds; }

double PhaseFill::share_out() {
  if (count_ == 0) return kForever;
  const double run = best_run();
  const Ends ends = end_with(run);
  double left = groups_;
  for (std::size_t i = 0; i < count_; ++i) {
    const Item& item = items_[i];
    if (!item.moves()) continue;
    double done = most(item, run);
    if (item.moving_each > 0) done = std::min(done, (ends.moving - item.moving_fixed) / item.moving_each);
    if (item.moving_fixed > ends.moving) done = 0.0;
    item.line->share = std::clamp(done, 0.0, left);
    left -= item.line->share;
  }
  for (std::size_t i = 0; i < count_; ++i) {
    if (items_[i].moves()) continue;
    items_[i].line->share = std::min(left, most(items_[i], run));
    left -= items_[i].line->share;
  }
  if (left > 0 && left < groups_)  // the search's error
    for (std::size_t i = 0; i < count_; ++i) items_[i].line->share *= groups_ / (groups_ - left);
  return ends.seconds;
}

}  // namespace skmd::domain

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
  items_.reserve(lines.size());
  for (std::size_t i = 0, end = 0; i < lines.size(); i = end) {
    const CompletionCurve& line = *lines[i];
    for (end = i + 1; line.link != 0 && end < lines.size() && lines[end]->link == line.link;) ++end;
    Item item{lines.subspan(i, end - i), line.before.fixed + line.after.fixed, line.before.each + line.after.each,
              line.copying_each};
    if (line.link != 0) {
      const LinkTransfers transfers = transfers_of(item.lines);
      item = {item.lines, transfers.fixed, transfers.each, transfers.copying_each, knots_.size()};
      add_knots(item.lines, knots_);
      item.knots = knots_.size() - item.first_knot;
    }
    items_.push_back(item);
  }
  changes_.reserve(2 * items_.size());
  // In ascending order of the cost of copying.
  std::sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) { return a.copying_each < b.copying_each; });
}

double PhaseFill::most(const Item& item, double run) const {
  if (item.knots == 0) return std::min(groups_, groups_run(*item.lines.front(), run));
  return std::min(groups_, groups_run(knots_of(item), run));
}

/// Seconds of copying if devices without transfers (still_) run `groups`; infinite if they cannot.
double PhaseFill::copying(double groups) const {
  double seconds = 0;
  for (std::size_t i = 0; i < still_.size() && groups > 0; ++i) {
    const double done = std::min(groups, still_[i].groups);
    seconds += done * still_[i].copying_each;
    groups -= done;
  }
  constexpr double kNothing = 1e-9;  // of the groups: rounding error of sums
  return groups > kNothing * groups_ ? kForever : seconds;
}

/// The earliest end, seconds, if running takes at most `run`, minimised over the time for transfers.
PhaseFill::Ends PhaseFill::end_with(double run) {
  changes_.clear();
  still_.clear();
  double still = 0;  // groups of devices without transfers
  for (const Item& item : items_) {
    const double done = most(item, run);
    if (!item.moves()) {
      still += done;
      still_.push_back({done, item.copying_each});
    }
    if (!item.moves() || done <= 0) continue;
    if (!(item.moving_each > 0)) {
      changes_.push_back({item.moving_fixed, 0.0, done});
      continue;
    }
    changes_.push_back({item.moving_fixed, 1.0 / item.moving_each, 0.0});
    changes_.push_back({item.moving_fixed + done * item.moving_each, -1.0 / item.moving_each, 0.0});
  }
  std::sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  Ends best{run + copying(groups_), 0.0};
  const auto consider = [&](double moving, double moved) {
    const double seconds = run + moving + copying(std::max(0.0, groups_ - moved));
    if (seconds < best.seconds) best = {seconds, moving};
  };
  double at = 0, rate = 0, moved = 0;
  for (std::size_t i = 0; i < changes_.size() && moved < groups_; ++i) {
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

/// The shortest run in which all groups can run, between two lengths, of which the second is enough.
double PhaseFill::shortest_run(double low, double high) const {
  for (int i = 0; i < kRunHalvings; ++i) {
    const double middle = low + (high - low) / 2;
    double done = 0;
    for (const Item& item : items_) done += most(item, middle);
    (done >= groups_ ? high : low) = middle;
  }
  return high;
}

/// Golden-section search: the end is a convex function of the run's length.
double PhaseFill::best_run() {
  double least = 0, owed = kForever, low = 0, high = kForever;
  for (const Item& item : items_) {
    const double around = item.moving_fixed + groups_ * (item.moving_each + item.copying_each);
    if (item.knots > 0) high = std::min(high, seconds_until(knots_of(item), groups_) + around);
    for (const CompletionCurve* line : item.lines) {
      // Below its bend a curve has its least slope.
      least += 1.0 / (line->least_per_group > 0 ? std::min(line->least_per_group, line->per_group) : line->per_group);
      const double fixed = std::max(line->fixed, line->least_fixed);
      owed = std::min(owed, fixed);
      if (item.knots == 0)
        high = std::min(high,
                        fixed + item.moving_fixed + groups_ * (line->per_group + item.moving_each + item.copying_each));
    }
  }
  low = owed + groups_ / least;
  if (!knots_.empty()) {  // the bounds are far apart where hosts are many
    low = shortest_run(low, high);
    high = std::min(high, end_with(low).seconds);
    if (std::none_of(items_.begin(), items_.end(), [](const Item& i) { return i.moves() || i.copying_each > 0; }))
      return low;
  }
  constexpr double kGolden = 0.6180339887498949;  // the golden ratio, less one
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double at_left = end_with(left).seconds, at_right = end_with(right).seconds;
  const int narrowings = items_.size() > kManyDevices ? kFewNarrowings : kNarrowings;
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

double PhaseFill::finish() { return items_.empty() ? kForever : end_with(best_run()).seconds; }

double PhaseFill::share_out() {
  if (items_.empty()) return kForever;
  run_ = best_run();
  const Ends ends = end_with(run_);
  moving_ = ends.moving;
  double left = groups_;
  const auto give = [&](const Item& item, double groups) {
    if (item.knots == 0)
      item.lines.front()->share = groups;
    else
      deal(item.lines, groups);
    left -= groups;
  };
  for (const Item& item : items_) {
    if (!item.moves()) continue;
    double done = most(item, run_);
    if (item.moving_each > 0) done = std::min(done, (ends.moving - item.moving_fixed) / item.moving_each);
    if (item.moving_fixed > ends.moving) done = 0.0;
    give(item, std::clamp(done, 0.0, left));
  }
  for (const Item& item : items_)
    if (!item.moves()) give(item, std::min(left, most(item, run_)));
  if (left > 0 && left < groups_)  // the search's error
    for (const Item& item : items_)
      for (CompletionCurve* line : item.lines) line->share *= groups_ / (groups_ - left);
  return ends.seconds;
}

}  // namespace skmd::domain

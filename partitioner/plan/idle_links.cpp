// SPDX-License-Identifier: Apache-2.0
#include "partitioner/plan/idle_links.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "partitioner/plan/phase_fill.h"
#include "partitioner/plan/plan_constants.h"
#include "partitioner/plan/shared_link.h"

namespace skmd::domain {
namespace {

using namespace tuning;

/// Curves of one link, or one that has a link of its own.
using Unit = std::vector<CompletionCurve*>;

bool takes_part(const CompletionCurve& line) { return line.used && line.pinned == 0 && can_work(line); }

std::vector<Unit> units_of(std::span<CompletionCurve> lines) {
  std::vector<CompletionCurve*> order;
  order.reserve(lines.size());
  for (CompletionCurve& line : lines)
    if (takes_part(line)) order.push_back(&line);
  std::stable_sort(order.begin(), order.end(),
                   [](const CompletionCurve* a, const CompletionCurve* b) { return a->link < b->link; });
  std::vector<Unit> units;
  for (CompletionCurve* line : order) {
    if (units.empty() || line->link == 0 || units.back().front()->link != line->link) units.emplace_back();
    units.back().push_back(line);
  }
  return units;
}

/// What is known of a balance.
struct Balance {
  double seconds = std::numeric_limits<double>::infinity();
  double run = 0, moving = 0;
};

Balance balanced(const std::vector<Unit>& units, double groups) {
  std::vector<CompletionCurve*> all;
  for (const Unit& unit : units) all.insert(all.end(), unit.begin(), unit.end());
  if (all.empty()) return {};
  PhaseFill phases(all, groups);
  const double seconds = phases.share_out();
  return {seconds, phases.run(), phases.moving()};
}

bool leave_out(std::vector<Unit>& units, const Balance& balance) {
  bool some = false;
  for (Unit& unit : units)
    if (!unit.empty() && unit.front()->link != 0) some = leave_out_sharers(unit, balance.run, balance.moving) || some;
  std::erase_if(units, [](const Unit& unit) { return unit.empty(); });
  return some;
}

/// True if a device's bytes keep others waiting before or after the launch, however few groups it runs.
bool have_fixed_transfers(const std::vector<Unit>& units) {
  return std::any_of(units.begin(), units.end(), [](const Unit& unit) {
    return std::any_of(unit.begin(), unit.end(), [](const CompletionCurve* line) {
      return line->before.fixed > line->latency || line->after.fixed > line->latency;
    });
  });
}

/// The shares of curves, to be given back: balancing again takes far longer.
class Kept {
 public:
  explicit Kept(const std::vector<Unit>& units) {
    for (const Unit& unit : units)
      for (CompletionCurve* line : unit) shares_.emplace_back(line, line->share);
  }
  /// All other curves of `lines` are not used.
  void give_back(std::span<CompletionCurve> lines) const {
    for (CompletionCurve& line : lines) {
      line.share = line.pinned;
      line.used = line.pinned > 0 && line.used;
    }
    for (const auto& [line, share] : shares_) {
      line->share = share;
      line->used = true;
    }
  }

 private:
  std::vector<std::pair<CompletionCurve*, double>> shares_;
};

/// Leaves out devices of shared links while that shortens the launch; returns its seconds. All links wait for the
/// slowest one's transfers around the launch, so that fewer devices on one alone help nothing: shorter transfers are
/// tried for all of them together.
double leave_out(std::span<CompletionCurve> lines, std::vector<Unit>& units, double groups) {
  const std::vector<Unit> all = units;
  const Balance begin = balanced(all, groups);
  double best = begin.seconds;
  Kept kept(all);
  const int tries = have_fixed_transfers(all) ? kShorterTransfers : 0;
  for (int i = 0; i <= tries; ++i) {
    std::vector<Unit> some = all;
    Balance now = begin;
    now.moving *= i > 0 ? std::ldexp(1.0 + kSlackTransfers, -i) : 1.0;
    const int leavings = i > 0 ? kLeavingsAgain : kLeavings;
    for (int j = 0; j < leavings && leave_out(some, now); ++j) {
      now = balanced(some, groups);
      if (!(now.seconds < best)) continue;
      best = now.seconds;
      kept = Kept(some);
      units = some;
    }
  }
  kept.give_back(lines);
  return best;
}

double share_of(const Unit& unit) {
  double share = 0;
  for (const CompletionCurve* line : unit) share += line->share;
  return share;
}

}  // namespace

double drop_idle_links(std::span<CompletionCurve> lines, double groups) {
  for (CompletionCurve& line : lines) {
    line.share = line.pinned;
    line.used = line.pinned > 0 ? line.used : takes_part(line);
  }
  double working = groups;
  for (const CompletionCurve& line : lines) working -= line.pinned;
  std::vector<Unit> units = units_of(lines);
  if (units.empty()) return fill(lines, groups);
  const double finish = leave_out(lines, units, working);
  std::stable_sort(units.begin(), units.end(), [](const Unit& a, const Unit& b) { return share_of(a) < share_of(b); });
  std::size_t can = 0, cannot = units.size();
  while (can + 1 < units.size() && share_of(units[can]) <= 0) ++can;
  double end = finish;
  Kept kept({units.begin() + static_cast<std::ptrdiff_t>(can), units.end()});
  // Relative to the end that all of them reach, as in drop_idlers().
  const double most = finish * (1.0 + kWorthTheIdle);
  const auto dropped = [&](std::size_t count) {
    const std::vector<Unit> rest(units.begin() + static_cast<std::ptrdiff_t>(count), units.end());
    const double seconds = balanced(rest, working).seconds;
    if (!(seconds <= most)) {
      cannot = count;
      return;
    }
    can = count;
    end = seconds;
    kept = Kept(rest);
  };
  const std::size_t idle = can;
  for (std::size_t next = can + 1; next < cannot; next = can + 2 * (next - idle)) dropped(next);
  while (cannot - can > 1) dropped(can + (cannot - can) / 2);
  kept.give_back(lines);
  return end;
}

}  // namespace skmd::domain

// SPDX-License-Identifier: Apache-2.0
#include "partitioner/plan/shared_link.h"

#include <algorithm>
#include <limits>

namespace skmd::domain {
namespace {

/// The part of a transfer's fixed time that the link's devices have together.
double shared_part(const CompletionCurve& line, const CompletionCurve::Transfers& transfers) {
  return std::clamp(transfers.fixed, 0.0, line.latency);
}

/// Seconds of the curve's own part, beyond shared_part().
double own_seconds(const CompletionCurve& line, const CompletionCurve::Transfers& transfers, double groups) {
  return std::max(0.0, transfers.fixed - shared_part(line, transfers) + transfers.each * groups);
}

/// When the curve's device begins to run.
double start_of(const CompletionCurve& line) { return std::max(line.fixed, line.least_fixed); }

double slope_of(const CompletionCurve& line) { return std::max(line.per_group, line.least_per_group); }

/// Seconds until all bytes have arrived if every device then runs for `running`.
double arriving_seconds(Sharers lines, double running) {
  double shared = 0, own = 0;
  for (const CompletionCurve* line : lines) {
    shared = std::max(shared, shared_part(*line, line->arriving));
    own += own_seconds(*line, line->arriving, groups_run(*line, running));
  }
  return shared + own;
}

/// The lengths of running at which another device begins, or runs out of groups whose bytes are there.
void add_bends(Sharers lines, std::vector<Knot>& knots) {
  for (const CompletionCurve* line : lines) {
    const double start = start_of(*line);
    knots.push_back({start});
    if (line->arriving.fixed < 0 && line->arriving.each > 0)
      knots.push_back({start - line->arriving.fixed / line->arriving.each * slope_of(*line)});
  }
}

/// What the device adds to the groups that its link's devices run in `run` less what its bytes take from them.
double worth(const CompletionCurve& line, double run, double groups_per_second) {
  double fixed = 0;
  for (const CompletionCurve::Transfers* transfers : {&line.before, &line.arriving, &line.after})
    fixed += own_seconds(line, *transfers, 0.0);
  return groups_run(line, run) - fixed * groups_per_second;
}

/// Groups that the devices run if running takes `run`, and transfers around it `moving`.
double groups_within(Sharers lines, double run, double moving, std::vector<Knot>& knots) {
  knots.clear();
  add_knots(lines, knots);
  const double ran = groups_run(knots, run);
  const LinkTransfers transfers = transfers_of(lines);
  if (transfers.fixed > moving) return 0.0;
  return transfers.each > 0 ? std::min(ran, (moving - transfers.fixed) / transfers.each) : ran;
}

}  // namespace

void add_knots(Sharers lines, std::vector<Knot>& knots) {
  const std::size_t first = knots.size();
  add_bends(lines, knots);
  const auto begin = knots.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, knots.end(), [](const Knot& a, const Knot& b) { return a.seconds < b.seconds; });
  knots.erase(std::unique(begin, knots.end(), [](const Knot& a, const Knot& b) { return a.seconds == b.seconds; }),
              knots.end());
  double rate = 0, arriving = 0;
  for (const CompletionCurve* line : lines) {
    rate += 1.0 / slope_of(*line);
    arriving += line->arriving.each / slope_of(*line);
  }
  for (std::size_t i = first; i < knots.size(); ++i) {
    Knot& knot = knots[i];
    const double running = knot.seconds;
    for (const CompletionCurve* line : lines) knot.groups += groups_run(*line, running);
    knot.seconds = running + arriving_seconds(lines, running);
    if (i == first) continue;
    Knot& before = knots[i - 1];
    before.per_second = (knot.groups - before.groups) / (knot.seconds - before.seconds);
  }
  knots.back().per_second = rate / (1.0 + arriving);
}

double groups_run(std::span<const Knot> knots, double seconds) {
  for (std::size_t i = knots.size(); i-- > 0;)
    if (seconds >= knots[i].seconds) return knots[i].groups + knots[i].per_second * (seconds - knots[i].seconds);
  return 0.0;
}

double seconds_until(std::span<const Knot> knots, double groups) {
  std::size_t i = knots.size() - 1;
  while (i > 0 && knots[i].groups > groups) --i;
  return knots[i].seconds + (groups - knots[i].groups) / knots[i].per_second;
}

LinkTransfers transfers_of(Sharers lines) {
  LinkTransfers all;
  double rate = 0, before = 0, after = 0;
  for (const CompletionCurve* line : lines) {
    const double own = 1.0 / slope_of(*line);
    rate += own;
    all.each += own * (line->before.each + line->after.each);
    all.copying_each += own * line->copying_each;
    before = std::max(before, shared_part(*line, line->before));
    after = std::max(after, shared_part(*line, line->after));
    all.fixed += own_seconds(*line, line->before, 0.0) + own_seconds(*line, line->after, 0.0);
  }
  return {all.fixed + before + after, all.each / rate, all.copying_each / rate};
}

void deal(Sharers lines, double groups) {
  std::vector<CompletionCurve*> order(lines.begin(), lines.end());
  std::sort(order.begin(), order.end(),
            [](const CompletionCurve* a, const CompletionCurve* b) { return start_of(*a) < start_of(*b); });
  double rate = 0, owed = 0, end = std::numeric_limits<double>::infinity();
  for (const CompletionCurve* line : order) {
    if (start_of(*line) >= end) break;
    rate += 1.0 / slope_of(*line);
    owed += start_of(*line) / slope_of(*line);
    end = (groups + owed) / rate;
  }
  for (CompletionCurve* line : order) line->share = std::max(0.0, (end - start_of(*line)) / slope_of(*line));
}

bool leave_out_sharers(std::vector<CompletionCurve*>& lines, double run, double moving) {
  double rate = 0, own = 0;
  for (const CompletionCurve* line : lines) {
    rate += 1.0 / slope_of(*line);
    own += own_seconds(*line, line->before, 0.0) + own_seconds(*line, line->arriving, 0.0) +
           own_seconds(*line, line->after, 0.0);
  }
  if (!(own > 0)) return false;
  std::sort(lines.begin(), lines.end(), [&](const CompletionCurve* a, const CompletionCurve* b) {
    return worth(*a, run, rate) > worth(*b, run, rate);
  });
  std::vector<Knot> knots;
  std::size_t best = lines.size();
  double most = groups_within(lines, run, moving, knots);
  if (most <= 0) best = 0;
  for (std::size_t count = lines.size() - 1; count > 0; --count) {
    const double groups = groups_within(Sharers(lines).first(count), run, moving, knots);
    if (groups <= most) continue;
    most = groups;
    best = count;
  }
  const bool some = best < lines.size();
  lines.resize(best);
  return some;
}

}  // namespace skmd::domain

// SPDX-License-Identifier: Apache-2.0
#include "partitioner/plan/split_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "partitioner/plan/exploration_constants.h"
#include "partitioner/plan/plan_constants.h"
#include "partitioner/plan/prediction.h"

namespace skmd::domain {

using namespace tuning;

CompletionCurves measured_lines(const PartitionRequest& request, Arriving arriving) {
  PhaseCosts costs(request, arriving);
  CompletionCurves lines;
  const auto groups = static_cast<double>(request.groups);
  const std::uint64_t part = std::max<std::uint64_t>(1, request.groups / request.devices.size());
  lines.reserve(request.devices.size());
  for (std::uint32_t d = 0; d < request.devices.size() && lines.size() < kMaxLines; ++d) {
    const DeviceModel& model = request.devices[d];
    if (!model.eligible || !is_measured(model)) continue;
    CompletionCurve line;
    line.device = d;
    Phases phases = costs.of(d, {0, request.groups});
    // At the rate of slices, not of whole launches.
    phases.running +=
        model.launch_seconds + groups / model.groups_per_second - running_seconds(request, d, request.groups);
    begin(model, line, groups, phases);
    // What a slice needs however small it is decides how many devices of a link are of use. One footprint for all. Not
    // running: so few groups may be fewer than run at once.
    if (line.link != 0 && part < request.groups)
      refine_moving(line, static_cast<double>(part), costs.moving(d, {0, part}));
    lines.push_back(line);
  }
  return lines;
}

SplitSearch::SplitSearch(const PartitionRequest& request, CompletionCurves lines, double joining_seconds,
                         Arriving arriving)
    : request_(request),
      costs_(request, arriving),
      lines_(std::move(lines)),
      split_seconds_(request.split_seconds + joining_seconds) {}

SplitSearch::Candidate SplitSearch::winning(double alone_seconds) {
  const auto pinned = static_cast<std::size_t>(
      std::count_if(lines_.begin(), lines_.end(), [](const CompletionCurve& line) { return line.pinned > 0; }));
  for (;;) {
    Candidate split = best();
    if (split.slices.size() <= 1 + pinned) return {};
    const double error = error_of(split.slices);
    if (split.seconds < alone_seconds * (1.0 - error) || may_try(split.seconds, error, alone_seconds)) return split;
    if (!leave_out(error, alone_seconds)) return {};
  }
}

/// The best split over the curves that are not left out, including pinned ones.
SplitSearch::Candidate SplitSearch::best() {
  Candidate best;
  std::vector<Slice> slices;
  const int rounds = lines_.size() > kManyLines ? kRoundsOfMany : kSearchRounds;
  for (int round = 0; round < rounds; ++round) {
    for (CompletionCurve& line : lines_) line.used = !line.left_out;
    const double hoped = drop_idlers(lines_, static_cast<double>(request_.groups));
    if (lines_.size() <= kFewDevices)  // when groups are few, an idle device may get one
      for (CompletionCurve& line : lines_) line.used = !line.left_out && can_work(line);
    lay_out(slices);
    if (slices.empty() || slices == best.slices) break;
    const SlowestPhases phases = learn(slices);
    const double seconds = phases.seconds() + (slices.size() > 1 ? split_seconds_ : 0.0);
    // Correct curves need no further refinement. Two equal ends are no criterion: a device may have joined.
    const bool settled = std::fabs(phases.seconds() - hoped) < hoped * kSearchSettled;
    if (seconds < best.seconds) {
      best.seconds = seconds;
      best.around = phases.around();
      best.slices = slices;
    }
    if (settled) break;
  }
  return best;
}

std::vector<Slice> SplitSearch::all_but_pinned(std::uint32_t device) {
  std::vector<Slice> slices;
  for (CompletionCurve& line : lines_) line.used = line.pinned > 0 || line.device == device;
  fill(lines_, static_cast<double>(request_.groups));
  lay_out(slices);
  return slices;
}

SplitSearch::Candidate SplitSearch::of(std::vector<Slice> slices) {
  const SlowestPhases phases = costs_.together(slices);
  const double seconds = phases.seconds() + (slices.size() > 1 ? split_seconds_ : 0.0);
  return {std::move(slices), seconds, phases.around()};
}

/// True if an uncertain split may be tried: its possible loss is small compared with what it would have gained in the
/// launches so far. Only measurements can decide.
bool SplitSearch::may_try(double seconds, double error, double alone_seconds) const {
  const double gain = 1.0 - seconds / alone_seconds;
  if (!(gain >= kLeastGain)) return false;
  const double stake = seconds * (1.0 + error) - alone_seconds;
  return stake + request_.experience.lost_seconds <= kAtStake * gain * request_.experience.seconds;
}

double SplitSearch::error_of(const CompletionCurve& line) const {
  return std::clamp(request_.devices[line.device].relative_error, kLeastWin, kMaxSplitError);
}

/// The largest relative error of the devices in the split; pinned slices, which serve exploration, are not counted.
double SplitSearch::error_of(std::span<const Slice> slices) {
  double error = kLeastWin;
  std::size_t at = 0;
  for (const Slice& slice : slices) {
    const CompletionCurve& line = *line_of(lines_, slice.device, at);
    if (line.pinned == 0) error = std::max(error, error_of(line));
  }
  return error;
}

/// Leaves out devices with a relative error of at least `error`. False: no split of the others can win.
bool SplitSearch::leave_out(double error, double alone_seconds) {
  if (error <= kLeastWin) return false;
  std::size_t left = 0;
  for (CompletionCurve& line : lines_) {
    line.left_out = line.left_out || (line.pinned == 0 && error_of(line) >= error);
    line.used = !line.left_out;
    left += line.used && line.pinned == 0 ? 1 : 0;
  }
  const double least = fill(lines_, static_cast<double>(request_.groups)) + split_seconds_;
  return left > 1 && least < alone_seconds * (1.0 - kLeastWin);
}

/// Gives `left` groups one by one to the device that then ends first; of equal ones to the first. Ends only get later
/// while groups are given, so that what was known of a device is a lower bound. Returns the groups that no device
/// takes.
std::uint64_t SplitSearch::give_to_first(Busy busy, std::span<std::uint64_t> counts, std::uint64_t left,
                                         SlowestPhases& slowest) {
  using End = std::pair<double, std::size_t>;
  const auto with = [&](std::size_t i) {
    return End{slowest.seconds_with(expected(*busy[i], counts[i]), expected(*busy[i], counts[i] + 1)), i};
  };
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  for (std::size_t i = 0; left > 0 && i < busy.size(); ++i)
    if (busy[i]->pinned == 0) ends.push(with(i));
  while (left > 0 && !ends.empty()) {
    const std::size_t i = ends.top().second;
    ends.pop();
    const End now = with(i);
    const bool first = ends.empty() || now <= ends.top();
    if (first) {
      slowest.replace(expected(*busy[i], counts[i]), expected(*busy[i], counts[i] + 1));
      ++counts[i];
      --left;
    }
    ends.push(first && left > 0 ? with(i) : now);
  }
  return left;
}

/// Rounds shares down to whole groups; the remaining groups go to the devices that finish them first.
void SplitSearch::round_shares(Busy busy, std::span<std::uint64_t> counts) const {
  std::uint64_t left = request_.groups;
  for (std::size_t i = 0; i < busy.size(); ++i) {
    counts[i] = std::min(left, static_cast<std::uint64_t>(busy[i]->share));
    left -= counts[i];
  }
  SlowestPhases slowest;
  for (std::size_t i = 0; i < busy.size(); ++i)
    if (counts[i] > 0 && busy[i]->pinned == 0) slowest.add(expected(*busy[i], counts[i]));
  if (left <= busy.size()) left = give_to_first(busy, counts, left, slowest);
  counts[busy.size() - 1] += left;  // only with more groups than a double counts exactly
  if (busy.size() > kFewDevices) return;
  polish(busy, counts);
  if (std::any_of(busy.begin(), busy.end(), [](const CompletionCurve* line) { return line->link != 0; }))
    empty_some(busy, counts);
}

SlowestPhases SplitSearch::phases_of(Busy busy, std::span<const std::uint64_t> counts) {
  SlowestPhases slowest;
  for (std::size_t i = 0; i < busy.size(); ++i)
    if (busy[i]->pinned == 0) slowest.add(expected(*busy[i], counts[i]));
  return slowest;
}

double SplitSearch::expected_end(Busy busy, std::span<const std::uint64_t> counts) {
  return phases_of(busy, counts).seconds();
}

/// Moves groups between pairs of devices while that shortens the launch, many at first, then fewer: shares are optimal
/// only for fractional groups and one ratio of transfers to and from devices.
void SplitSearch::polish(Busy busy, std::span<std::uint64_t> counts) {
  counts = counts.first(busy.size());
  double end = expected_end(busy, counts);
  const auto moved = [&](std::size_t from, std::size_t to, std::uint64_t groups) {
    if (from == to || counts[from] < groups || busy[from]->pinned > 0 || busy[to]->pinned > 0) return false;
    counts[from] -= groups;
    counts[to] += groups;
    const double then = expected_end(busy, counts);
    if (then < end * (1.0 - kPolished)) {
      end = then;
      return true;
    }
    counts[from] += groups;
    counts[to] -= groups;
    return false;
  };
  for (std::uint64_t step = std::bit_floor(*std::max_element(counts.begin(), counts.end())) / 2 + 1;;
       step = std::max<std::uint64_t>(1, step / 4)) {
    for (std::size_t from = 0; from < busy.size(); ++from)
      for (std::size_t to = 0; to < busy.size(); ++to)
        while (moved(from, to, step)) {
        }
    if (step <= 1) return;
  }
}

/// Takes all groups of all devices, of each device and of each link, one after the other, and gives them to those that
/// then end first, where that shortens the launch: where a link is shared, a device that gets nothing helps the link's
/// others.
void SplitSearch::empty_some(Busy busy, std::span<std::uint64_t> counts) {
  counts = counts.first(busy.size());
  double end = expected_end(busy, counts);
  const auto without = [&](auto is_emptied, bool is_out) {
    std::vector<const CompletionCurve*> others;
    std::vector<std::uint64_t> tried;
    std::uint64_t left = 0;
    for (std::size_t i = 0; i < busy.size(); ++i) {
      const bool emptied = busy[i]->pinned == 0 && is_emptied(*busy[i]);
      if (emptied) left += counts[i];
      if (emptied && is_out) continue;
      others.push_back(busy[i]);
      tried.push_back(emptied ? 0 : counts[i]);
    }
    if (left == 0 || left > kFewGroups || others.empty()) return;
    SlowestPhases slowest = phases_of(others, tried);
    if (give_to_first(others, tried, left, slowest) > 0) return;
    polish(others, tried);
    const double then = expected_end(others, tried);
    if (then >= end * (1.0 - kPolished)) return;
    end = then;
    for (std::size_t i = 0, at = 0; i < busy.size(); ++i)
      counts[i] = at < others.size() && others[at] == busy[i] ? tried[at++] : 0;
  };
  without([](const CompletionCurve&) { return true; }, false);
  for (const CompletionCurve* one : busy) without([&](const CompletionCurve& line) { return &line == one; }, true);
  for (const bool is_out : {true, false})
    for (std::size_t i = 0; i < busy.size(); ++i) {
      const std::uint32_t link = busy[i]->link;
      const auto of_link = [&](const CompletionCurve* line) { return line->link == link; };
      if (link != 0 && std::none_of(busy.begin(), busy.begin() + static_cast<std::ptrdiff_t>(i), of_link))
        without([&](const CompletionCurve& line) { return of_link(&line); }, is_out);
    }
}

/// Moves `border` to a multiple of the granularity if that costs neither neighbour much.
std::uint64_t SplitSearch::snapped(std::uint64_t border, double smaller_neighbour) const {
  const std::uint64_t unit = request_.granularity;
  if (unit <= 1) return border;
  const std::uint64_t down = border / unit * unit;
  const std::uint64_t to = border - down < unit - (border - down) ? down : down + unit;
  const double moved = static_cast<double>(to > border ? to - border : border - to);
  return to <= request_.groups && moved <= smaller_neighbour * kSnapLoss ? to : border;
}

/// Turns shares into spans that tile the launch, in the order of devices, so that kernels on the same data get the same
/// parts on the same devices.
void SplitSearch::lay_out(std::vector<Slice>& out) {
  out.clear();
  std::array<const CompletionCurve*, kMaxLines> busy;
  std::size_t count = 0;
  const bool few = lines_.size() <= kFewDevices;
  for (const CompletionCurve& line : lines_)
    if ((line.used || line.pinned > 0) && (line.share > 0 || few)) busy[count++] = &line;
  std::sort(busy.begin(), busy.begin() + static_cast<std::ptrdiff_t>(count),
            [](const CompletionCurve* a, const CompletionCurve* b) { return a->device < b->device; });
  if (count == 0) return;
  std::array<std::uint64_t, kMaxLines> groups;
  round_shares({busy.data(), count}, groups);
  std::uint64_t place = 0;
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < count && at < request_.groups; ++i) {
    place += groups[i];
    const bool cut = i + 1 < count && place < request_.groups;
    const std::uint64_t end = cut ? snapped(place, std::min(busy[i]->share, busy[i + 1]->share)) : request_.groups;
    if (end <= at) continue;
    out.push_back({busy[i]->device, {at, end}});
    at = end;
  }
}

/// Predicts the slices one by one, and refines their curves.
SlowestPhases SplitSearch::learn(std::span<const Slice> slices) {
  SlowestPhases slowest;
  std::size_t at = 0;
  for (const Slice& slice : slices) {
    CompletionCurve& line = *line_of(lines_, slice.device, at);
    if (line.pinned > 0) continue;  // its device is not measured: no prediction
    const Phases phases = costs_.of(slice.device, slice.span);
    slowest.add(phases);
    refine(request_.devices[slice.device], line, static_cast<double>(slice.span.size()), phases);
  }
  return slowest;
}

}  // namespace skmd::domain

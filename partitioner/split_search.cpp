// SPDX-License-Identifier: Apache-2.0
#include "partitioner/split_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "partitioner/exploration.h"
#include "partitioner/prediction.h"

namespace skmd::domain {
namespace {

constexpr int kRounds = 6;              // of fitting costs and balancing again; two or three converge
constexpr double kMostError = 0.4;      // two equal devices gain a half: a wild model may not forbid that for ever
constexpr double kSnapLoss = 0.02;      // share of a slice that moving its border may cost
constexpr double kSettled = 0.005;      // rounds that end as hoped, but for less, are the last
constexpr std::size_t kFewDevices = 8;  // of whose shares each pair is looked at
constexpr double kPolished = 0.002;     // gains for which that goes on
constexpr double kForever = std::numeric_limits<double>::infinity();

}  // namespace

FinishLines measured_lines(const PartitionRequest& request, Arriving arriving) {
  PhaseCosts costs(request, arriving);
  FinishLines lines;
  const auto groups = static_cast<double>(request.groups);
  lines.reserve(request.devices.size());
  for (std::uint32_t d = 0; d < request.devices.size() && lines.size() < kMostLines; ++d) {
    const DeviceModel& model = request.devices[d];
    if (!model.eligible || !is_measured(model)) continue;
    FinishLine line;
    line.device = d;
    Phases phases = costs.of(d, {0, request.groups});
    // At the rate of slices, not of whole launches.
    phases.running +=
        model.launch_seconds + groups / model.groups_per_second - running_seconds(request, d, request.groups);
    begin(model, line, groups, phases);
    lines.push_back(line);
  }
  return lines;
}

SplitSearch::SplitSearch(const PartitionRequest& request, FinishLines lines, double joining_seconds, Arriving arriving)
    : request_(request),
      costs_(request, arriving),
      lines_(std::move(lines)),
      merge_seconds_(request.merge_seconds + joining_seconds) {}

SplitSearch::Candidate SplitSearch::winning(double alone_seconds) {
  const auto pinned = static_cast<std::size_t>(
      std::count_if(lines_.begin(), lines_.end(), [](const FinishLine& line) { return line.pinned > 0; }));
  for (;;) {
    Candidate split = best();
    if (split.slices.size() <= 1 + pinned) return {};
    const double error = error_of(split.slices);
    if (split.seconds < alone_seconds * (1.0 - error) || may_try(split.seconds, error, alone_seconds)) return split;
    if (!leave_out(error, alone_seconds)) return {};
  }
}

/// Over the lines that are not left out, pinned ones included.
SplitSearch::Candidate SplitSearch::best() {
  Candidate best;
  std::vector<Slice> slices;
  for (int round = 0; round < kRounds; ++round) {
    for (FinishLine& line : lines_) line.used = !line.left_out;
    const double hoped = drop_idlers(lines_, static_cast<double>(request_.groups));
    if (lines_.size() <= kFewDevices)  // of few groups an idler may get one
      for (FinishLine& line : lines_) line.used = !line.left_out && can_work(line);
    lay_out(slices);
    if (slices.empty() || slices == best.slices) break;
    const SlowestPhases phases = learn(slices);
    const double seconds = phases.seconds() + (slices.size() > 1 ? merge_seconds_ : 0.0);
    // Lines that were right have nothing to learn. That two rounds end alike does not tell: a device may have joined.
    const bool settled = std::fabs(phases.seconds() - hoped) < hoped * kSettled;
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
  for (FinishLine& line : lines_) line.used = line.pinned > 0 || line.device == device;
  fill(lines_, static_cast<double>(request_.groups));
  lay_out(slices);
  return slices;
}

SplitSearch::Candidate SplitSearch::of(std::vector<Slice> slices) {
  const SlowestPhases phases = costs_.together(slices);
  const double seconds = phases.seconds() + (slices.size() > 1 ? merge_seconds_ : 0.0);
  return {std::move(slices), seconds, phases.around()};
}

/// A split that is likely to win, but not for sure, is tried when what it may lose is small beside what it would have
/// won so far: only launches tell.
bool SplitSearch::may_try(double seconds, double error, double alone_seconds) const {
  const double gain = 1.0 - seconds / alone_seconds;
  if (!(gain >= kLeastGain)) return false;
  const double stake = seconds * (1.0 + error) - alone_seconds;
  return stake + request_.experience.lost_seconds <= kAtStake * gain * request_.experience.seconds;
}

double SplitSearch::error_of(const FinishLine& line) const {
  return std::clamp(request_.devices[line.device].relative_error, kLeastError, kMostError);
}

/// Of the least known device that the split rests on. What is pinned is there to learn from.
double SplitSearch::error_of(std::span<const Slice> slices) {
  double error = kLeastError;
  for (const Slice& slice : slices) {
    const FinishLine& line = *line_of(lines_, slice.device);
    if (line.pinned == 0) error = std::max(error, error_of(line));
  }
  return error;
}

/// Leaves out the devices that are known as badly as that. False: no split of the others can win.
bool SplitSearch::leave_out(double error, double alone_seconds) {
  if (error <= kLeastError) return false;
  std::size_t left = 0;
  for (FinishLine& line : lines_) {
    line.left_out = line.left_out || (line.pinned == 0 && error_of(line) >= error);
    line.used = !line.left_out;
    left += line.used && line.pinned == 0 ? 1 : 0;
  }
  const double least = fill(lines_, static_cast<double>(request_.groups)) + merge_seconds_;
  return left > 1 && least < alone_seconds * (1.0 - kLeastError);
}

/// Whole groups, fewer by less than one for each device; what is left over goes where it is done first.
void SplitSearch::round_shares(Busy busy, std::span<std::uint64_t> counts) const {
  std::uint64_t left = request_.groups;
  for (std::size_t i = 0; i < busy.size(); ++i) {
    counts[i] = std::min(left, static_cast<std::uint64_t>(busy[i]->share));
    left -= counts[i];
  }
  SlowestPhases slowest;
  for (std::size_t i = 0; i < busy.size(); ++i)
    if (counts[i] > 0 && busy[i]->pinned == 0) slowest.add(expected(*busy[i], counts[i]));
  for (; left > 0 && left <= busy.size(); --left) {
    std::size_t first = 0;
    double earliest = kForever;
    for (std::size_t i = 0; i < busy.size(); ++i) {
      if (busy[i]->pinned > 0) continue;
      SlowestPhases with = slowest;
      with.replace(expected(*busy[i], counts[i]), expected(*busy[i], counts[i] + 1));
      if (with.seconds() >= earliest) continue;
      first = i;
      earliest = with.seconds();
    }
    slowest.replace(expected(*busy[first], counts[first]), expected(*busy[first], counts[first] + 1));
    ++counts[first];
  }
  counts[busy.size() - 1] += left;  // of so many groups that a double does not count them
  if (busy.size() <= kFewDevices) polish(busy, counts);
}

double SplitSearch::expected_end(Busy busy, std::span<const std::uint64_t> counts) {
  SlowestPhases slowest;
  for (std::size_t i = 0; i < busy.size(); ++i)
    if (busy[i]->pinned == 0) slowest.add(expected(*busy[i], counts[i]));
  return slowest.seconds();
}

/// Groups go from one device to another as long as that helps, many at first, then fewer: shares are right for
/// transfers to and from devices in one ratio, and for parts of groups.
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

/// Moves `border` to a multiple of the granularity if that costs neither neighbour much.
std::uint64_t SplitSearch::snapped(std::uint64_t border, double smaller_neighbour) const {
  const std::uint64_t unit = request_.granularity;
  if (unit <= 1) return border;
  const std::uint64_t down = border / unit * unit;
  const std::uint64_t to = border - down < unit - (border - down) ? down : down + unit;
  const double moved = static_cast<double>(to > border ? to - border : border - to);
  return to <= request_.groups && moved <= smaller_neighbour * kSnapLoss ? to : border;
}

/// Turns shares into spans that tile the launch, in the order of devices: kernels that work on the same data meet it
/// where they expect it.
void SplitSearch::lay_out(std::vector<Slice>& out) {
  out.clear();
  std::array<const FinishLine*, kMostLines> busy;
  std::size_t count = 0;
  const bool few = lines_.size() <= kFewDevices;
  for (const FinishLine& line : lines_)
    if ((line.used || line.pinned > 0) && (line.share > 0 || few)) busy[count++] = &line;
  std::sort(busy.begin(), busy.begin() + static_cast<std::ptrdiff_t>(count),
            [](const FinishLine* a, const FinishLine* b) { return a->device < b->device; });
  if (count == 0) return;
  std::array<std::uint64_t, kMostLines> groups;
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

/// Predicts the slices one by one, and lets the lines learn from it.
SlowestPhases SplitSearch::learn(std::span<const Slice> slices) {
  SlowestPhases slowest;
  for (const Slice& slice : slices) {
    FinishLine& line = *line_of(lines_, slice.device);
    if (line.pinned > 0) continue;  // its device is not known: there is nothing to predict by
    const Phases phases = costs_.of(slice.device, slice.span);
    slowest.add(phases);
    refine(request_.devices[slice.device], line, static_cast<double>(slice.span.size()), phases);
  }
  return slowest;
}

}  // namespace skmd::domain

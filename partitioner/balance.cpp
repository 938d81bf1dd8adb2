// SPDX-License-Identifier: Apache-2.0
#include "partitioner/balance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "partitioner/exploration.h"
#include "partitioner/finish_lines.h"
#include "partitioner/prediction.h"

namespace skmd::domain {
namespace {

constexpr int kRounds = 6;                     // of fitting costs and balancing again; two or three converge
constexpr double kKeepPrevious = 0.05;         // gains below this do not move data around
constexpr double kSmallLaunchLatencies = 3.0;  // launches shorter than so many launch costs are not worth planning
constexpr double kLeastError = 0.01;           // that a split must win by, however well devices are known
constexpr double kMostError = 0.4;  // two equal devices gain a half: a wild model may not forbid that for ever
constexpr double kSnapLoss = 0.02;  // share of a slice that moving its border may cost
constexpr double kSettled = 0.005;  // rounds that end later than hoped by less are the last
constexpr double kForever = std::numeric_limits<double>::infinity();

/// The launch cost of the second device to join: below a few of these nothing
/// can be gained.
double second_launch_seconds(const PartitionRequest& request) {
  double least = kForever;
  double second = kForever;
  for (const DeviceModel& device : request.devices) {
    if (!device.eligible) continue;
    second = std::min(second, std::max(least, device.launch_seconds));
    least = std::min(least, device.launch_seconds);
  }
  return second;
}

/// No plan over measured devices ends before this: as if nothing had to move.
double least_seconds(const PartitionRequest& request) {
  double rate = 0;
  for (const DeviceModel& device : request.devices)
    if (device.eligible && is_measured(device))
      rate += std::max(device.groups_per_second, device.whole_groups_per_second);
  return static_cast<double>(request.groups) / rate;
}

bool has_unproven(const PartitionRequest& request) {
  return std::any_of(request.devices.begin(), request.devices.end(), [&](const DeviceModel& device) {
    return device.eligible && (!is_measured(device) || device.measured_groups < request.groups);
  });
}

/// Lines of the measured devices, each through its time for the whole launch.
FinishLines measured_lines(const PartitionRequest& request) {
  FinishLines lines;
  const auto groups = static_cast<double>(request.groups);
  lines.reserve(request.devices.size());
  for (std::uint32_t d = 0; d < request.devices.size() && lines.size() < kMostLines; ++d) {
    const DeviceModel& model = request.devices[d];
    if (!model.eligible || !is_measured(model)) continue;
    FinishLine line;
    line.device = d;
    const double running = model.launch_seconds + groups / model.groups_per_second;
    begin(model, line, groups, running + moving_seconds(request, d, {0, request.groups}));
    lines.push_back(line);
  }
  return lines;
}

/// A former plan can be used again if it covers just these groups with devices
/// that are still there and measured.
bool reusable(const PartitionRequest& request) {
  if (request.previous == nullptr || request.previous->slices.empty() || request.previous->exploring) return false;
  std::uint64_t at = 0;
  for (const Slice& slice : request.previous->slices) {
    if (slice.device >= request.devices.size() || slice.span.first != at || slice.span.empty()) return false;
    const DeviceModel& device = request.devices[slice.device];
    if (!device.eligible || !is_measured(device)) return false;
    at = slice.span.last;
  }
  return at == request.groups;
}

struct Candidate {
  std::vector<Slice> slices;
  double seconds = kForever;
};

/// Looks for the split that ends first.
class Search {
 public:
  Search(const PartitionRequest& request, FinishLines lines, double joining_seconds)
      : request_(request), lines_(std::move(lines)), merge_seconds_(request.merge_seconds + joining_seconds) {}

  /// The best split that is predicted to win against `alone_seconds` by more
  /// than its devices' models are off, or without slices. What little is known
  /// of one device takes none of the others away.
  Candidate winning(double alone_seconds) {
    const auto pinned = static_cast<std::size_t>(
        std::count_if(lines_.begin(), lines_.end(), [](const FinishLine& line) { return line.pinned > 0; }));
    for (;;) {
      Candidate split = best();
      if (split.slices.size() <= 1 + pinned) return {};
      const double error = error_of(split.slices);
      if (split.seconds < alone_seconds * (1.0 - error)) return split;
      if (!leave_out(error, alone_seconds)) return {};
    }
  }

  /// Over the lines that are not left out, pinned ones included.
  Candidate best() {
    Candidate best;
    std::vector<Slice> slices;
    for (int round = 0; round < kRounds; ++round) {
      for (FinishLine& line : lines_) line.used = !line.left_out;
      const double hoped = drop_idlers(lines_, static_cast<double>(request_.groups));
      lay_out(slices);
      if (slices.empty() || slices == best.slices) break;
      const double seconds = learn(slices);
      // Lines that were right have nothing to learn. That two rounds end alike
      // does not tell: a device may have joined.
      const bool settled = seconds - (slices.size() > 1 ? merge_seconds_ : 0.0) < hoped * (1.0 + kSettled);
      if (seconds < best.seconds) {
        best.seconds = seconds;
        best.slices = slices;
      }
      if (settled) break;
    }
    return best;
  }

  /// One device for all that is not pinned.
  std::vector<Slice> all_but_pinned(std::uint32_t device) {
    std::vector<Slice> slices;
    for (FinishLine& line : lines_) line.used = line.pinned > 0 || line.device == device;
    fill(lines_, static_cast<double>(request_.groups));
    lay_out(slices);
    return slices;
  }

  [[nodiscard]] double seconds_of(std::span<const Slice> slices) const {
    double finish = 0;
    for (const Slice& slice : slices) finish = std::max(finish, finish_seconds(request_, slice.device, slice.span));
    return slices.size() > 1 ? finish + merge_seconds_ : finish;
  }

 private:
  [[nodiscard]] double error_of(const FinishLine& line) const {
    return std::clamp(request_.devices[line.device].relative_error, kLeastError, kMostError);
  }
  /// Of the least known device that the split rests on. What is pinned is there
  /// to learn from.
  double error_of(std::span<const Slice> slices) {
    double error = kLeastError;
    for (const Slice& slice : slices) {
      const FinishLine& line = *line_of(lines_, slice.device);
      if (line.pinned == 0) error = std::max(error, error_of(line));
    }
    return error;
  }

  /// Leaves out the devices that are known as badly as that. False: no split of
  /// the others can win.
  bool leave_out(double error, double alone_seconds) {
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

  /// Whole groups, fewer by less than one for each device; what is left over
  /// goes where it is done first.
  void round_shares(std::span<const FinishLine*> busy, std::span<std::uint64_t> counts) const {
    std::uint64_t left = request_.groups;
    for (std::size_t i = 0; i < busy.size(); ++i) {
      counts[i] = std::min(left, static_cast<std::uint64_t>(busy[i]->share));
      left -= counts[i];
    }
    for (; left > 0 && left <= busy.size(); --left) {
      std::size_t first = 0;
      double earliest = kForever;
      for (std::size_t i = 0; i < busy.size(); ++i) {
        const double end = busy[i]->fixed + busy[i]->per_group * static_cast<double>(counts[i] + 1);
        if (busy[i]->pinned > 0 || end >= earliest) continue;
        first = i;
        earliest = end;
      }
      ++counts[first];
    }
    counts[busy.size() - 1] += left;  // of so many groups that a double does not count them
  }

  /// Moves `border` to a multiple of the granularity if that costs neither
  /// neighbour much.
  [[nodiscard]] std::uint64_t snapped(std::uint64_t border, double smaller_neighbour) const {
    const std::uint64_t unit = request_.granularity;
    if (unit <= 1) return border;
    const std::uint64_t down = border / unit * unit;
    const std::uint64_t to = border - down < unit - (border - down) ? down : down + unit;
    const double moved = static_cast<double>(to > border ? to - border : border - to);
    return to <= request_.groups && moved <= smaller_neighbour * kSnapLoss ? to : border;
  }

  /// Turns shares into spans that tile the launch, in the order of devices:
  /// kernels that work on the same data meet it where they expect it.
  void lay_out(std::vector<Slice>& out) {
    out.clear();
    std::array<const FinishLine*, kMostLines> busy;
    std::size_t count = 0;
    for (const FinishLine& line : lines_)
      if ((line.used || line.pinned > 0) && line.share > 0) busy[count++] = &line;
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
  double learn(std::span<const Slice> slices) {
    double finish = 0;
    for (const Slice& slice : slices) {
      FinishLine& line = *line_of(lines_, slice.device);
      if (line.pinned > 0) continue;  // nobody waits for what it may predict
      const double seconds = finish_seconds(request_, slice.device, slice.span);
      finish = std::max(finish, seconds);
      refine(request_.devices[slice.device], line, static_cast<double>(slice.span.size()), seconds);
    }
    return slices.size() > 1 ? finish + merge_seconds_ : finish;
  }

  const PartitionRequest& request_;
  FinishLines lines_;
  double merge_seconds_;
};

Plan whole_plan(const PartitionRequest& request, std::uint32_t device, NotSplit reason) {
  Plan plan;
  plan.slices.assign(1, Slice{device, {0, request.groups}});
  plan.reason = reason;
  return plan;
}

/// The lines that a split may use: what is explored gets just that, and what is
/// not known well enough nothing.
FinishLines usable(FinishLines lines, const Exploration& exploration) {
  if (exploration.unknown.empty()) return lines;
  FinishLines kept;
  for (const FinishLine& line : lines) {
    const auto& unknown = exploration.unknown;
    if (std::find(unknown.begin(), unknown.end(), line.device) == unknown.end()) kept.push_back(line);
  }
  for (const Exploration::Probe& probe : exploration.probes) {
    if (kept.size() == kMostLines) break;
    FinishLine line;
    line.device = probe.device;
    line.pinned = static_cast<double>(probe.groups);
    kept.push_back(line);
  }
  return kept;
}

/// The best split, or the launch whole on `alone.device`, or the former plan;
/// with slices to learn from in it.
Plan searched(const PartitionRequest& request, const Alone& alone, Plan whole, FinishLines lines,
              const Exploration& exploration, Joining& joining) {
  // A search that cannot be afforded now will be when more launches have come.
  whole.unsettled = whole.unsettled || !request.may_search;
  if (!request.may_search && !reusable(request)) return whole;
  bool keeps = exploration.probes.empty() && reusable(request);
  Search search(request, usable(std::move(lines), exploration), joining.seconds());
  double again = kForever;
  if (keeps) {
    again = search.seconds_of(request.previous->slices);
    // A split is kept as long as it wins. From one device to another little
    // gain is not worth the way.
    const double most = request.previous->slices.size() > 1 ? alone.seconds : alone.seconds / (1.0 - kKeepPrevious);
    keeps = again <= most;
    const double least = std::min(alone.seconds, least_seconds(request));
    if (!request.may_search || (keeps && least > again * (1.0 - kKeepPrevious))) {
      if (!keeps) return whole;
      whole.slices = request.previous->slices;
      whole.predicted_seconds = again;
      return whole;
    }
  }
  if (!request.may_search) return whole;
  Candidate split = search.winning(alone.seconds);
  const bool splits = !split.slices.empty();
  const double best = splits ? split.seconds : alone.seconds;
  if (keeps && best > again * (1.0 - kKeepPrevious)) {
    split.slices = request.previous->slices;
    split.seconds = again;
  } else if (!splits) {
    if (exploration.probes.empty()) return whole;
    split.slices = search.all_but_pinned(alone.device);
    split.seconds = alone.seconds;
  }
  whole.slices = std::move(split.slices);
  whole.predicted_seconds = std::isfinite(split.seconds) ? split.seconds : 0.0;
  whole.exploring = !exploration.probes.empty();
  return whole;
}

}  // namespace

double predicted_seconds(const PartitionRequest& request, std::span<const Slice> slices) {
  for (const Slice& slice : slices)
    if (slice.device >= request.devices.size() || !is_measured(request.devices[slice.device])) return 0.0;
  double finish = 0;
  for (const Slice& slice : slices) finish = std::max(finish, finish_seconds(request, slice.device, slice.span));
  if (slices.size() > 1) finish += request.merge_seconds;
  return std::isfinite(finish) ? finish : 0.0;
}

Plan balanced(const PartitionRequest& request) {
  const auto alone = best_alone(request);
  // Nobody knows this kernel: its first launch is whole. The next ones explore.
  if (!alone) {
    Plan first = whole_plan(request, unknown_kernels_device(request), NotSplit::not_profitable);
    first.unsettled = true;
    return first;
  }
  Plan whole = whole_plan(request, alone->device, NotSplit::not_profitable);
  if (std::isfinite(alone->seconds)) {
    whole.predicted_seconds = alone->seconds;
    whole.alone_seconds = alone->local_seconds;
  }
  const double latency = second_launch_seconds(request);
  if (latency > 0 && alone->seconds < kSmallLaunchLatencies * latency) {
    whole.reason = NotSplit::small_launch;
    return whole;
  }
  if (request.experience.split_barred || alone->seconds <= request.merge_seconds) return whole;
  // No bytes are asked for where they could not change anything.
  const bool could_pay = least_seconds(request) + request.merge_seconds < alone->seconds * (1.0 - kLeastError);
  if (!could_pay && !has_unproven(request)) return whole;
  FinishLines lines = measured_lines(request);
  Joining joining(request);
  const Exploration exploration = has_unproven(request) ? explore(request, *alone, lines, joining) : Exploration{};
  whole.unsettled = exploration.wanted;
  if (!could_pay && exploration.probes.empty()) return whole;
  return searched(request, *alone, std::move(whole), std::move(lines), exploration, joining);
}

}  // namespace skmd::domain

// SPDX-License-Identifier: Apache-2.0
#include "partitioner/balance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace skmd::domain {
namespace {

constexpr std::size_t kMostDevices = 64;       // as many as there are memory spaces
constexpr int kRounds = 6;                     // of fitting costs and balancing again; two or three converge
constexpr double kKeepPrevious = 0.05;         // gains below this do not move data around
constexpr double kWorthOneMore = 0.02;         // a device that shortens the launch by less is left out
constexpr double kSmallLaunchLatencies = 3.0;  // launches shorter than so many launch costs are not worth planning
constexpr std::uint64_t kExplorePart = 16;     // an unmeasured device first gets this part of the groups
constexpr double kLeastError = 0.02;
constexpr double kMostError = 0.4;  // two equal devices gain a half: a wild model may not forbid that for ever
constexpr double kSnapLoss = 0.02;  // share of a slice that moving its border may cost
constexpr double kSettled = 0.005;  // rounds that change the prediction by less are the last
constexpr double kForever = std::numeric_limits<double>::infinity();

double seconds_for(std::uint64_t bytes, double bytes_per_second) {
  if (bytes == 0) return 0.0;
  return bytes_per_second > 0 ? static_cast<double>(bytes) / bytes_per_second : kForever;
}

/// Predicted seconds from start to results at home, for a measured device.
double finish_seconds(const PartitionRequest& request, std::uint32_t device, const GroupSpan& span) {
  if (span.empty()) return 0.0;
  const DeviceModel& model = request.devices[device];
  double seconds = model.launch_seconds + static_cast<double>(span.size()) / model.groups_per_second;
  if (request.bytes_to) seconds += seconds_for(request.bytes_to(device, span), model.bytes_to_per_second);
  if (request.bytes_from) seconds += seconds_for(request.bytes_from(device, span), model.bytes_from_per_second);
  return seconds;
}

/// Seconds of a slice of c groups: fixed + per_group · c, through the two slices that were predicted last. Asking for
/// the bytes of a slice can cost more than everything else here, so that each answer is used twice.
struct LineFit {
  std::uint32_t device = 0;
  double fixed = 0;
  double per_group = 0;
  bool used = true;
  double share = 0;  // groups
  double last_groups = 0;
  double last_seconds = 0;
};

/// The first point: proportional, apart from the launch itself.
void begin(const DeviceModel& model, LineFit& line, double groups, double seconds) {
  line.fixed = model.launch_seconds;
  line.per_group = std::max(1.0 / model.groups_per_second, (seconds - line.fixed) / groups);
  line.last_groups = groups;
  line.last_seconds = seconds;
}

/// One more point.
void refine(const DeviceModel& model, LineFit& line, double groups, double seconds) {
  constexpr double kDistinct = 0.01;  // points nearer than this part of their size say nothing about the slope
  if (std::fabs(groups - line.last_groups) > kDistinct * groups) {
    const double slope = (seconds - line.last_seconds) / (groups - line.last_groups);
    const double least = 1.0 / model.groups_per_second;
    line.per_group = std::clamp(slope, least, std::max(least, (seconds - model.launch_seconds) / groups));
  }
  line.fixed = std::max(model.launch_seconds, seconds - line.per_group * groups);
  line.last_groups = groups;
  line.last_seconds = seconds;
}

struct Balance {
  std::array<LineFit, kMostDevices> lines;
  std::size_t count = 0;
  [[nodiscard]] std::span<LineFit> all() { return {lines.data(), count}; }
};

/// Water filling: the moment T at which the used devices together have done `groups`, each device idle until its fixed
/// cost is paid. Sets shares; returns T.
double fill(std::span<LineFit> lines, double groups, const LineFit* without = nullptr) {
  std::array<const LineFit*, kMostDevices> order;
  std::size_t count = 0;
  for (const LineFit& line : lines) {
    if (line.used && &line != without && std::isfinite(line.fixed) && std::isfinite(line.per_group))
      order[count++] = &line;
  }
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
            [](const LineFit* a, const LineFit* b) { return a->fixed < b->fixed; });
  double rate = 0;
  double owed = 0;  // sum of fixed · rate
  double finish = kForever;
  for (std::size_t i = 0; i < count; ++i) {
    if (order[i]->fixed >= finish) break;
    rate += 1.0 / order[i]->per_group;
    owed += order[i]->fixed / order[i]->per_group;
    finish = (groups + owed) / rate;
  }
  if (without == nullptr) {
    for (LineFit& line : lines) {
      line.share = line.used && line.fixed < finish ? (finish - line.fixed) / line.per_group : 0.0;
    }
  }
  return finish;
}

/// Leaves out devices whose help is not worth a slice.
void drop_idlers(std::span<LineFit> lines, double groups) {
  for (;;) {
    const double with = fill(lines, groups);
    LineFit* smallest = nullptr;
    std::size_t busy = 0;
    for (LineFit& line : lines) {
      line.used = line.used && line.share > 0;
      if (!line.used) continue;
      ++busy;
      if (smallest == nullptr || line.share < smallest->share) smallest = &line;
    }
    if (busy <= 1 || fill(lines, groups, smallest) > with * (1.0 + kWorthOneMore)) return;
    smallest->used = false;
  }
}

/// Moves `border` to a multiple of the granularity if that costs neither neighbour much.
std::uint64_t snapped(const PartitionRequest& request, std::uint64_t border, double smaller_neighbour,
                      std::uint64_t last) {
  const std::uint64_t unit = request.granularity;
  if (unit <= 1) return border;
  const std::uint64_t down = border / unit * unit;
  const std::uint64_t to = border - down < unit - (border - down) ? down : down + unit;
  const double moved = static_cast<double>(to > border ? to - border : border - to);
  return to <= last && moved <= smaller_neighbour * kSnapLoss ? to : border;
}

/// Turns shares into spans that tile [0, last), in the order of devices.
void lay_out(const PartitionRequest& request, std::span<const LineFit> lines, std::uint64_t last,
             std::vector<Slice>& out) {
  out.clear();
  std::array<const LineFit*, kMostDevices> busy;
  std::size_t count = 0;
  for (const LineFit& line : lines) {
    if (line.used && line.share > 0) busy[count++] = &line;
  }
  double place = 0;
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < count && at < last; ++i) {
    std::uint64_t end = last;
    if (i + 1 < count) {
      place += busy[i]->share;
      end = std::min(last, static_cast<std::uint64_t>(std::llround(std::min(place, static_cast<double>(last)))));
      end = snapped(request, end, std::min(busy[i]->share, busy[i + 1]->share), last);
    }
    if (end <= at) continue;
    out.push_back({busy[i]->device, {at, end}});
    at = end;
  }
}

double slowest(const PartitionRequest& request, std::span<const Slice> slices) {
  double finish = 0;
  for (const Slice& slice : slices) finish = std::max(finish, finish_seconds(request, slice.device, slice.span));
  return slices.size() > 1 ? finish + request.merge_seconds : finish;
}

struct Candidate {
  std::vector<Slice> slices;
  double seconds = kForever;
};

/// Predicts the slices one by one, and lets the lines learn from it.
double learn(const PartitionRequest& request, Balance& balance, std::span<const Slice> slices) {
  double finish = 0;
  for (const Slice& slice : slices) {
    const double seconds = finish_seconds(request, slice.device, slice.span);
    finish = std::max(finish, seconds);
    for (LineFit& line : balance.all()) {
      if (line.device != slice.device) continue;
      refine(request.devices[slice.device], line, static_cast<double>(slice.span.size()), seconds);
    }
  }
  return slices.size() > 1 ? finish + request.merge_seconds : finish;
}

/// The best split of [0, last) over the measured devices that the rounds find.
Candidate best_split(const PartitionRequest& request, Balance& balance, std::uint64_t last) {
  Candidate best;
  std::vector<Slice> slices;
  slices.reserve(balance.count);
  best.slices.reserve(balance.count + 1);
  for (int round = 0; round < kRounds; ++round) {
    for (LineFit& line : balance.all()) line.used = true;
    drop_idlers(balance.all(), static_cast<double>(last));
    lay_out(request, balance.all(), last, slices);
    if (slices.empty() || slices == best.slices) break;
    const double seconds = learn(request, balance, slices);
    const bool settled = std::fabs(seconds - best.seconds) < kSettled * seconds;
    if (seconds < best.seconds) {
      best.seconds = seconds;
      best.slices = slices;
    }
    if (settled) break;
  }
  return best;
}

/// Lines of the measured devices, each through its time for the whole launch.
Balance measured_devices(const PartitionRequest& request) {
  Balance balance;
  for (std::uint32_t d = 0; d < request.devices.size() && balance.count < kMostDevices; ++d) {
    const DeviceModel& model = request.devices[d];
    if (!model.eligible || !is_measured(model)) continue;
    LineFit& line = balance.lines[balance.count++];
    line.device = d;
    begin(model, line, static_cast<double>(request.groups), finish_seconds(request, d, {0, request.groups}));
  }
  return balance;
}

double model_error(const PartitionRequest& request, std::span<const Slice> slices) {
  double error = kLeastError;
  for (const Slice& slice : slices) error = std::max(error, request.devices[slice.device].relative_error);
  return std::min(error, kMostError);
}

/// The launch cost of the second device to join: below a few of these nothing can be gained.
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

/// A former plan can be used again if it covers just these groups with devices that are still there and measured.
bool reusable(const PartitionRequest& request) {
  if (request.previous == nullptr || request.previous->slices.empty()) return false;
  std::uint64_t at = 0;
  for (const Slice& slice : request.previous->slices) {
    if (slice.device >= request.devices.size() || slice.span.first != at || slice.span.empty()) return false;
    const DeviceModel& device = request.devices[slice.device];
    if (!device.eligible || !is_measured(device)) return false;
    at = slice.span.last;
  }
  return at == request.groups;
}

/// Puts a small slice at the end for each unmeasured device whose transfers alone do not cost more than the launch.
std::uint64_t explore(const PartitionRequest& request, double whole_seconds, std::vector<Slice>& out) {
  std::uint64_t last = request.groups;
  std::uint64_t part = std::max<std::uint64_t>(1, request.groups / kExplorePart);
  if (request.granularity > 1 && part > request.granularity) part -= part % request.granularity;
  for (std::uint32_t i = 0; i < request.devices.size(); ++i) {
    const DeviceModel& device = request.devices[i];
    if (!device.eligible || is_measured(device) || last <= 2 * part) continue;
    const GroupSpan span{last - part, last};
    double moving = device.launch_seconds;
    if (request.bytes_to) moving += seconds_for(request.bytes_to(i, span), device.bytes_to_per_second);
    if (request.bytes_from) moving += seconds_for(request.bytes_from(i, span), device.bytes_from_per_second);
    if (moving >= whole_seconds) continue;
    out.push_back({i, span});
    last = span.first;
  }
  std::reverse(out.begin(), out.end());
  return last;
}

Plan plan_of(std::vector<Slice> slices, NotSplit reason, double seconds) {
  Plan plan;
  plan.slices = std::move(slices);
  plan.reason = reason;
  plan.predicted_seconds = std::isfinite(seconds) ? seconds : 0.0;
  return plan;
}

}  // namespace

bool is_measured(const DeviceModel& device) {
  return device.measured && device.groups_per_second > 0 && std::isfinite(device.groups_per_second);
}

double predicted_seconds(const PartitionRequest& request, std::span<const Slice> slices) {
  for (const Slice& slice : slices) {
    if (slice.device >= request.devices.size() || !is_measured(request.devices[slice.device])) return 0.0;
  }
  const double seconds = slowest(request, slices);
  return std::isfinite(seconds) ? seconds : 0.0;
}

std::optional<std::uint32_t> fastest_whole(const PartitionRequest& request) {
  std::optional<std::uint32_t> best;
  double least = kForever;
  for (std::uint32_t d = 0; d < request.devices.size(); ++d) {
    if (!request.devices[d].eligible || !is_measured(request.devices[d])) continue;
    const double seconds = finish_seconds(request, d, {0, request.groups});
    if (best && seconds >= least) continue;
    best = d;
    least = seconds;
  }
  return best;
}

Plan balanced(const PartitionRequest& request, std::uint32_t home) {
  const GroupSpan all{0, request.groups};
  Balance balance = measured_devices(request);
  // Nobody knows this kernel: its first launch is whole, where everything works. The next ones explore.
  if (balance.count == 0) return plan_of({{home, all}}, NotSplit::not_profitable, 0.0);
  const LineFit& best_line =
      *std::min_element(balance.all().begin(), balance.all().end(),
                        [](const auto& a, const auto& b) { return a.last_seconds < b.last_seconds; });
  const std::uint32_t fastest = best_line.device;
  const double alone = best_line.last_seconds;
  const double latency = second_launch_seconds(request);
  if (latency > 0 && alone < kSmallLaunchLatencies * latency) {
    return plan_of({{fastest, all}}, NotSplit::small_launch, alone);
  }

  std::vector<Slice> exploring;
  const std::uint64_t last = explore(request, alone, exploring);
  Candidate split = best_split(request, balance, last);
  const double needed = alone * (1.0 - model_error(request, split.slices));
  const bool splits = split.slices.size() > 1 && split.seconds < needed;
  if (!exploring.empty()) {
    if (!splits) split.slices.assign(1, Slice{fastest, {0, last}});
    split.slices.insert(split.slices.end(), exploring.begin(), exploring.end());
    return plan_of(std::move(split.slices), NotSplit::not_profitable, splits ? split.seconds : alone);
  }

  const double best = splits ? split.seconds : alone;
  if (reusable(request)) {
    const double again = slowest(request, request.previous->slices);
    if (best > again * (1.0 - kKeepPrevious)) return plan_of(request.previous->slices, NotSplit::not_profitable, again);
  }
  if (!splits) return plan_of({{fastest, all}}, NotSplit::not_profitable, alone);
  return plan_of(std::move(split.slices), NotSplit::not_profitable, split.seconds);
}

}  // namespace skmd::domain

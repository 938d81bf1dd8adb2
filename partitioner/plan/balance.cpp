// SPDX-License-Identifier: Apache-2.0
#include "partitioner/plan/balance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "partitioner/plan/exploration.h"
#include "partitioner/plan/exploration_constants.h"
#include "partitioner/plan/plan_constants.h"
#include "partitioner/plan/prediction.h"
#include "partitioner/plan/split_search.h"

namespace skmd::domain {
namespace {

using namespace tuning;

constexpr double kForever = std::numeric_limits<double>::infinity();

/// The launch cost of the second cheapest device: launches shorter than a few of these gain nothing from a split.
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
    return device.eligible &&
           (!is_measured(device) || device.measured_groups < request.groups || is_doubted(request, device));
  });
}

/// A former plan can be used again if it covers just these groups with devices that are still there and measured.
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

Plan whole_plan(const PartitionRequest& request, std::uint32_t device, NotSplit reason) {
  Plan plan;
  plan.slices.assign(1, Slice{device, {0, request.groups}});
  plan.reason = reason;
  return plan;
}

/// The curves that a split may use: an explored device gets its probe only, and a device not known well enough gets
/// nothing.
CompletionCurves usable(CompletionCurves lines, const Exploration& exploration) {
  if (exploration.unknown.empty()) return lines;
  CompletionCurves kept;
  for (const CompletionCurve& line : lines) {
    const auto& unknown = exploration.unknown;
    if (std::find(unknown.begin(), unknown.end(), line.device) == unknown.end()) kept.push_back(line);
  }
  for (const Exploration::Probe& probe : exploration.probes) {
    if (kept.size() == kMaxLines) break;
    CompletionCurve line;
    line.device = probe.device;
    line.pinned = static_cast<double>(probe.groups);
    kept.push_back(line);
  }
  return kept;
}

/// `plan` with the candidate's slices. Of a split, alone_seconds is what the round of `alone` leaves for the launch
/// itself.
Plan taken(const Alone& alone, Plan plan, SplitSearch::Candidate candidate) {
  const bool whole = candidate.slices.size() == 1;
  plan.slices = std::move(candidate.slices);
  plan.predicted_seconds = std::isfinite(candidate.seconds) ? candidate.seconds : 0.0;
  if (whole || !(plan.alone_seconds > 0)) return plan;
  plan.alone_seconds = std::max(alone.seconds - candidate.around, kLeastAlonePart * plan.alone_seconds);
  return plan;
}

/// The part of the time by which a plan with slices `better` must be better than one with `kept`.
double least_gain(const std::vector<Slice>& kept, const std::vector<Slice>& better) {
  const auto same = [](const Slice& one, const Slice& other) { return one.device == other.device; };
  const bool shares = kept.size() > 1 && std::equal(kept.begin(), kept.end(), better.begin(), better.end(), same);
  return shares ? kKeepShares : kKeepPrevious;
}

/// `kept`, or the plan that is better for all launches after the next one if their bytes stay where it moves them. It
/// is chosen once `kept` has lost as much time as moving the bytes costs, since the number of later launches is not
/// known. Each such change multiplies the required loss of the next one by four: bytes may not stay.
Plan kept_or_left(const PartitionRequest& request, const Alone& alone, const Plan& plan, SplitSearch::Candidate kept,
                  Joining& joining) {
  const double again = kept.seconds;
  Plan stays = taken(alone, plan, std::move(kept));
  if (!request.bytes_to) return stays;
  stays.missed = request.previous->missed;
  SplitSearch later(request, measured_lines(request, Arriving::there), joining.seconds(), Arriving::there);
  // With its bytes in place: its predicted seconds may include transfers of the next launch.
  const double now = later.of(stays.slices).seconds;
  SplitSearch::Candidate better = later.winning(stays.slices.size() > 1 ? alone.seconds : std::min(alone.seconds, now));
  if (better.slices.empty() || better.seconds > now * (1.0 - least_gain(stays.slices, better.slices))) {
    stays.missed = plan.missed;
    return stays;
  }
  const std::uint64_t launches = std::max<std::uint64_t>(1, stays.missed.launches);
  stays.missed.seconds += (now - better.seconds) * static_cast<double>(launches);
  stays.missed.launches = 0;
  stays.unsettled = true;
  SplitSearch next(request, {}, joining.seconds(), Arriving::now);
  SplitSearch::Candidate first = next.of(std::move(better.slices));
  const auto times = static_cast<double>(1u << 2 * std::min(stays.missed.ways, kMaxWays));
  if (stays.missed.seconds < (first.seconds - again) * times) return stays;
  Plan leaves = taken(alone, plan, std::move(first));
  leaves.missed = {0.0, stays.missed.ways + 1, 0};
  leaves.moves_in = true;
  return leaves;
}

/// Whether bytes that move once decide where `split` has its borders: with them in place another split is clearly
/// better. Launches after it would follow the bytes, by small steps or not at all, and its rounds would be taken for
/// those of all splits of its devices.
bool follows_bytes(const PartitionRequest& request, const Alone& alone, const SplitSearch::Candidate& split,
                   Joining& joining) {
  if (!request.bytes_to || request.previous == nullptr) return false;
  SplitSearch later(request, measured_lines(request, Arriving::there), joining.seconds(), Arriving::there);
  const double now = later.of(split.slices).seconds;
  const SplitSearch::Candidate better = later.winning(std::min(alone.seconds, now));
  return !better.slices.empty() && better.seconds < now * (1.0 - kKeepShares);
}

/// The previous plan, kept without evaluating footprints.
Plan kept_unasked(const PartitionRequest& request, Plan plan) {
  const Plan& previous = *request.previous;
  plan.slices = previous.slices;
  plan.predicted_seconds = previous.predicted_seconds;
  if (previous.alone_seconds > 0) plan.alone_seconds = previous.alone_seconds;
  plan.missed = previous.missed;
  return plan;
}

/// The best split, or the launch whole on `alone.device`, or the previous plan; including exploring slices.
Plan searched(const PartitionRequest& request, const Alone& alone, Plan whole, CompletionCurves lines,
              const Exploration& exploration, Joining& joining) {
  // A search beyond the budget now is affordable after more launches.
  whole.unsettled = whole.unsettled || !request.may_search;
  const bool can_keep = exploration.probes.empty() && reusable(request);
  if (!request.may_search) {
    const bool split = can_keep && request.previous->slices.size() > 1;
    if (split && request.previous->predicted_seconds <= alone.seconds) return kept_unasked(request, std::move(whole));
    // No better plan was searched for.
    if (can_keep && request.previous->slices == whole.slices) whole.missed = request.previous->missed;
    return whole;
  }
  SplitSearch search(request, usable(std::move(lines), exploration), joining.seconds(), Arriving::now);
  SplitSearch::Candidate kept;
  if (can_keep) {
    kept = search.of(request.previous->slices);
    // A split is kept as long as it wins. A change of devices must gain more than its transfers cost.
    if (kept.seconds > (kept.slices.size() > 1 ? alone.seconds : alone.seconds / (1.0 - kKeepPrevious)))
      kept.seconds = kForever;
    const double least = std::min(alone.seconds, least_seconds(request));
    if (std::isfinite(kept.seconds) && least > kept.seconds * (1.0 - kKeepPrevious))
      return taken(alone, std::move(whole), std::move(kept));
  }
  SplitSearch::Candidate split = search.winning(alone.seconds);
  const bool splits = !split.slices.empty();
  const double best = splits ? split.seconds : alone.seconds;
  if (std::isfinite(kept.seconds) && best > kept.seconds * (1.0 - least_gain(kept.slices, split.slices)))
    return kept_or_left(request, alone, whole, std::move(kept), joining);
  if (splits && exploration.probes.empty() && follows_bytes(request, alone, split, joining)) {
    if (!std::isfinite(kept.seconds)) kept = search.of(whole.slices);
    return kept_or_left(request, alone, whole, std::move(kept), joining);
  }
  whole.exploring = !exploration.probes.empty();
  if (whole.exploring && request.previous != nullptr) whole.missed = request.previous->missed;
  if (splits) return taken(alone, std::move(whole), std::move(split));
  if (!exploration.probes.empty()) whole.slices = search.all_but_pinned(alone.device);
  return whole;
}

/// An unmeasured device that is expected to be far stronger than the best measured one, and that may win including its
/// transfers: it became eligible late, when its program was built. It runs a whole launch, as it would have run the
/// first.
std::optional<std::uint32_t> late_and_strong(const PartitionRequest& request, const Alone& alone) {
  const DeviceModel& best = request.devices[alone.device];
  const auto may_be = [&](const DeviceModel& model) {
    return model.eligible && !is_measured(model) && model.strength >= kStrongerTimes * best.strength;
  };
  if (std::none_of(request.devices.begin(), request.devices.end(), may_be)) return std::nullopt;
  const std::uint32_t device = unknown_kernels_device(request);
  const DeviceModel& model = request.devices[device];
  if (!may_be(model)) return std::nullopt;
  const bool seen_slow = model.first_use_groups_per_second > 0 &&
                         model.first_use_groups_per_second < best.groups_per_second * kSlowFirstUse;
  const double least = model.first_use_seconds + moving_seconds(request, device, {0, request.groups});
  if (seen_slow || !(least < alone.seconds)) return std::nullopt;
  return device;
}

Plan best_plan(const PartitionRequest& request) {
  const auto alone = best_alone(request);
  // No device has a rate for this kernel: its first launch is whole. The next ones explore.
  if (!alone) {
    Plan first = whole_plan(request, unknown_kernels_device(request), NotSplit::not_profitable);
    first.unsettled = true;
    return first;
  }
  Plan whole = whole_plan(request, alone->device, NotSplit::not_profitable);
  if (const Plan* previous = request.previous)
    whole.missed = previous->exploring ? previous->missed : Missed{0.0, previous->missed.ways, 0};
  if (std::isfinite(alone->seconds)) {
    whole.predicted_seconds = alone->seconds;
    whole.alone_seconds = alone->local_seconds;
    whole.alone_round_seconds = alone->seconds;
  }
  const double latency = second_launch_seconds(request);
  if (latency > 0 && alone->seconds < kSmallLaunchLatencies * latency) {
    whole.reason = NotSplit::small_launch;
    return whole;
  }
  if (const auto late = late_and_strong(request, *alone)) {
    whole.slices.front().device = *late;
    whole.predicted_seconds = 0.0;
    whole.unsettled = true;
    return whole;
  }
  if (request.experience.split_barred || alone->seconds <= request.split_seconds) return whole;
  // Footprints are not evaluated where they could not change the plan.
  const bool could_pay = least_seconds(request) + request.split_seconds < alone->seconds * (1.0 - kLeastWin);
  if (!could_pay && !has_unproven(request)) return whole;
  CompletionCurves lines = measured_lines(request, Arriving::now);
  Joining joining(request);
  const Exploration exploration = has_unproven(request) ? explore(request, *alone, lines, joining) : Exploration{};
  whole.unsettled = exploration.wanted;
  if (!could_pay && exploration.probes.empty()) return whole;
  return searched(request, *alone, std::move(whole), std::move(lines), exploration, joining);
}

}  // namespace

double predicted_seconds(const PartitionRequest& request, std::span<const Slice> slices) {
  for (const Slice& slice : slices)
    if (slice.device >= request.devices.size() || !is_measured(request.devices[slice.device])) return 0.0;
  const double finish =
      PhaseCosts(request).together(slices).seconds() + (slices.size() > 1 ? request.split_seconds : 0.0);
  return std::isfinite(finish) ? finish : 0.0;
}

Plan balanced(const PartitionRequest& request) { return best_plan(request); }

}  // namespace skmd::domain

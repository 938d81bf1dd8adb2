// SPDX-License-Identifier: Apache-2.0
#include "partitioner/plan/rebalance.h"

#include <algorithm>
#include <limits>

#include "partitioner/plan/rebalance_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

constexpr double kNever = std::numeric_limits<double>::infinity();

bool tells_rate(const RunningPart& part) { return part.timed >= kTellingGroups && part.timed_seconds > 0; }

/// Of the whole slice, where no groups tell.
double lasts(const RunningPart& part) { return std::max(part.predicted_seconds, kLastsTimes * part.seconds); }

/// Groups that are expected to be left.
double groups_left(const RunningPart& part) {
  if (tells_rate(part) || part.left == 0) return static_cast<double>(part.left);
  const double unknown = static_cast<double>(part.groups) * (1 - part.seconds / lasts(part));
  return std::min(unknown, static_cast<double>(part.left));
}

double rate(const RunningPart& part) { return part.left != 0 ? expected_rate(part) : part.groups_per_second; }

/// Seconds in which all together run `groups`, each beginning when it can.
double together(std::span<const RunningPart> parts, double groups) {
  double end = kNever;
  for (std::size_t round = 0; round <= parts.size(); ++round) {  // each leaves out those that would begin too late
    double sum = groups, speeds = 0;
    for (const RunningPart& part : parts) {
      if (part.fixed_seconds >= end) continue;
      sum += rate(part) * part.fixed_seconds;
      speeds += rate(part);
    }
    const double next = speeds > 0 ? sum / speeds : kNever;
    if (next >= end) break;
    end = next;
  }
  return end;
}

/// Seconds in which the one that ends first runs `groups`.
double alone(std::span<const RunningPart> parts, double groups) {
  double least = kNever;
  for (const RunningPart& part : parts)
    if (rate(part) > 0) least = std::min(least, part.fixed_seconds + groups / rate(part));
  return least;
}

/// What is known of the slices that run.
struct Running {
  double longest = 0.0;    // seconds until the last one ends
  bool slow = false;       // that one takes clearly longer than was planned
  double begin = 0.0;      // seconds until what is left can begin anew
  double groups = 0.0;     // that can be divided anew
  double others = 0.0;     // groups that cannot
  bool idle = false;       // a device has nothing to do
  bool took_part = false;  // and it had a slice
};

std::optional<Running> running(std::span<const RunningPart> parts) {
  Running found;
  const RunningPart* last = nullptr;
  for (const RunningPart& part : parts) {
    if (part.left == 0) {
      found.idle = found.idle || rate(part) > 0;
      found.took_part = found.took_part || part.took_part;
      continue;
    }
    const auto seconds = expected_seconds(part);
    if (!seconds) return std::nullopt;
    if (last == nullptr || *seconds > found.longest) last = &part, found.longest = *seconds;
    found.begin = std::max(found.begin, part.stoppable ? part.stop_seconds : *seconds);
    (part.stoppable ? found.groups : found.others) += groups_left(part);
  }
  if (last == nullptr) return std::nullopt;
  const double planned = last->predicted_seconds * kSlowSlice;
  found.slow = planned > 0 ? last->seconds + found.longest > planned : found.took_part;
  return found;
}

}  // namespace

double expected_rate(const RunningPart& part) {
  if (tells_rate(part)) return static_cast<double>(part.timed) / part.timed_seconds;
  return part.predicted_seconds > 0 ? static_cast<double>(part.groups) / lasts(part) : 0.0;
}

std::optional<double> expected_seconds(const RunningPart& part) {
  if (part.left == 0) return 0.0;
  const double groups = expected_rate(part);
  return groups > 0 ? std::optional(groups_left(part) / groups) : std::nullopt;
}

std::optional<Rebalanced> rebalance(std::span<const RunningPart> parts, const RebalanceRule& rule) {
  if (rule.before >= kMaxRebalances) return std::nullopt;
  const auto now = running(parts);
  if (!now || !now->idle || !now->slow || now->groups <= 0) return std::nullopt;
  double speeds = 0;
  for (const RunningPart& part : parts) speeds += rate(part);
  Rebalanced worth;
  worth.as_it_is = now->longest;
  const double anew = rule.may_split ? together(parts, now->groups) : alone(parts, now->groups);
  worth.anew = now->begin + rule.cost_seconds + anew;
  // Nothing is faster than all devices at once without any cost.
  worth.cost = worth.anew - (now->groups + now->others) / speeds;
  const double gain = worth.as_it_is - worth.anew;
  const bool pays = gain + worth.cost >= kRebalanceTimes * worth.cost;
  const bool notable = gain >= kRebalancePart * (rule.seconds + worth.as_it_is);
  return pays && notable ? std::optional(worth) : std::nullopt;
}

}  // namespace skmd::domain

// SPDX-License-Identifier: Apache-2.0
// Completion-time curves: the seconds of a device's slice as a line over its groups, and the shares for which all
// curves end at the same moment. They replace the stepwise offloading of SKMD (TOCS 2015), section 3.4, Algorithm 1
// (decision_tree.h).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "partitioner/plan/partition.h"
#include "partitioner/plan/phases.h"

namespace skmd::domain {

/// Seconds of a slice: fixed + per_group · groups for running it, likewise for transfers before and after. The line
/// goes through the two slices that were predicted last: computing the bytes of a slice can cost more than the rest of
/// planning, so each result is used twice. All times are in seconds, all sizes in groups.
struct CompletionCurve {
  struct Transfers {
    double fixed = 0, each = 0, last_seconds = 0;
  };
  std::uint32_t device = 0;
  double fixed = 0;
  double per_group = 0;
  /// Lower bound of running, least_fixed + least_per_group · groups: bytes that are where the last plan needed them
  /// cost nothing up to its share, and much beyond it.
  double least_fixed = 0, least_per_group = 0;
  Transfers before, after;
  std::uint32_t link = 0;  // DeviceModel::shared_link; where it is not 0:
  double latency = 0;      // Phases::latency
  /// Transfers that the launch waits for, apart from running; their line may be below zero for few groups: bytes that
  /// are there already.
  Transfers arriving;
  double copying_each = 0;
  bool used = true;
  bool left_out = false;  // not to be used
  double pinned = 0;      // groups of an exploring slice, given even if they do not pay; 0: none, as many as pay
  double share = 0;       // groups
  double last_groups = 0;
  double last_seconds = 0;
};

/// Sets the curve from its first point: proportional to the groups, plus the launch cost.
void begin(const DeviceModel& model, CompletionCurve& line, double groups, const Phases& phases);

/// The same for transfers only: per_group is that of bytes that the launch waits for.
void begin(CompletionCurve& line, double groups, const Phases& moving);

/// Adds a point: the line then goes through this one and the one before.
void refine(const DeviceModel& model, CompletionCurve& line, double groups, const Phases& phases);
/// The same for transfers only; running is taken to be as the line has it.
void refine_moving(CompletionCurve& line, double groups, const Phases& moving);

using CompletionCurves = std::vector<CompletionCurve>;  // at most kMaxLines
/// Devices that a plan chooses from; those behind them get nothing. Far more than the driver has memory spaces for
/// (kMaxSpaces): 64 hosts of 8 devices, and some here.
inline constexpr std::size_t kMaxLines = 1024;

/// The groups that have run after `seconds`.
double groups_run(const CompletionCurve& line, double seconds);

/// True if all numbers are finite: the device can be reached, and has a rate.
bool can_work(const CompletionCurve& line);

/// The predicted phases of a slice of `groups`; zeros for none.
Phases expected(const CompletionCurve& line, std::uint64_t groups);

/// The curve of `device`; null if it has none. O(1) for those of ascending devices that were found one after the other,
/// `from` being the place behind the last one; it is moved on.
CompletionCurve* line_of(CompletionCurves& lines, std::uint32_t device, std::size_t& from);
CompletionCurve* line_of(CompletionCurves& lines, std::uint32_t device);

/// Water filling: returns the seconds after which the used curves together have run `groups`, each device idle until
/// its fixed cost is paid; with transfers before or after, the least sum of phases (phase_fill.h). Sets the shares;
/// with `without` it leaves them, and ignores that curve.
double fill(std::span<CompletionCurve> lines, double groups, const CompletionCurve* without = nullptr);

/// Calls fill(), and leaves out devices that shorten the launch too little for a slice, and those that a shared link is
/// too slow for (shared_link.h). Returns the seconds until the end.
double drop_idlers(std::span<CompletionCurve> lines, double groups);

}  // namespace skmd::domain

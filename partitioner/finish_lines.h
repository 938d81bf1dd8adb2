// SPDX-License-Identifier: Apache-2.0
// Seconds of a device's slice as a line over its groups, and the shares with which all lines end at one moment.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "partitioner/partition.h"
#include "partitioner/phases.h"

namespace skmd::domain {

/// Seconds of a slice: fixed + per_group · groups for running it, likewise for transfers before and after, through the
/// two slices that were predicted last. Asking for the bytes of a slice can cost more than everything else in planning,
/// so that each answer is used twice.
struct FinishLine {
  struct Transfers {
    double fixed = 0, each = 0, last_seconds = 0;
  };
  std::uint32_t device = 0;
  double fixed = 0;
  double per_group = 0;
  /// Running takes as long as this at least, if that is more: bytes that are where the last plan wanted them cost
  /// nothing up to its share, and much beyond it.
  double least_fixed = 0, least_per_group = 0;
  Transfers before, after;
  double copying_each = 0;
  bool used = true;
  bool left_out = false;  // not to be used
  double pinned = 0;      // groups that it gets, to learn from, though they may not pay; 0: as many as pay
  double share = 0;       // groups
  double last_groups = 0;
  double last_seconds = 0;
};

/// The first point: proportional, apart from the launch itself.
void begin(const DeviceModel& model, FinishLine& line, double groups, const Phases& phases);

/// The first point of what moves only: per_group is that of bytes that the launch waits for.
void begin(FinishLine& line, double groups, const Phases& moving);

/// One more point.
void refine(const DeviceModel& model, FinishLine& line, double groups, const Phases& phases);

using FinishLines = std::vector<FinishLine>;   // at most kMostLines
inline constexpr std::size_t kMostLines = 64;  // as many as there are memory spaces

/// Groups of which the line says that they have been run after so many seconds.
double groups_run(const FinishLine& line, double seconds);

/// Whether the device can be reached, and has a rate.
bool can_work(const FinishLine& line);

/// What the line says of so many groups; zeros for none.
Phases expected(const FinishLine& line, std::uint64_t groups);

/// Null if the device has none.
FinishLine* line_of(FinishLines& lines, std::uint32_t device);

/// Water filling: the moment at which the used lines together have done `groups`, each device idle until its fixed cost
/// is paid; where something moves before or after, the least sum of phases (phase_fill.h). Sets shares, except when
/// `without` is to be passed over.
double fill(std::span<FinishLine> lines, double groups, const FinishLine* without = nullptr);

/// Fills, and leaves out devices whose help is not worth a slice. Returns the moment of the end.
double drop_idlers(std::span<FinishLine> lines, double groups);

}  // namespace skmd::domain

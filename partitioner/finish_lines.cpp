// SPDX-License-Identifier: Apache-2.0
#include "partitioner/finish_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace skmd::domain {
namespace {

constexpr double kWorthTheIdle = 0.005;  // devices that together shorten the launch by less are left out

}  // namespace

void begin(const DeviceModel& model, FinishLine& line, double groups, double seconds) {
  line.fixed = model.launch_seconds;
  line.per_group = std::max(1.0 / model.groups_per_second, (seconds - line.fixed) / groups);
  line.last_groups = groups;
  line.last_seconds = seconds;
}

void refine(const DeviceModel& model, FinishLine& line, double groups, double seconds) {
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

FinishLine* line_of(FinishLines& lines, std::uint32_t device) {
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.device == device; });
  return found == lines.end() ? nullptr : &*found;
}

double fill(std::span<FinishLine> lines, double groups, const FinishLine* without) {
  std::array<const FinishLine*, kMostLines> order;
  std::size_t count = 0;
  for (const FinishLine& line : lines) {
    groups -= line.pinned;
    if (line.pinned > 0 || !line.used || &line == without) continue;
    if (std::isfinite(line.fixed) && std::isfinite(line.per_group)) order[count++] = &line;
  }
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
            [](const FinishLine* a, const FinishLine* b) { return a->fixed < b->fixed; });
  double rate = 0;
  double owed = 0;  // sum of fixed · rate
  double finish = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count; ++i) {
    if (order[i]->fixed >= finish) break;
    rate += 1.0 / order[i]->per_group;
    owed += order[i]->fixed / order[i]->per_group;
    finish = (groups + owed) / rate;
  }
  if (without != nullptr) return finish;
  for (FinishLine& line : lines) {
    const bool works = line.used && line.fixed < finish;
    line.share = line.pinned > 0 ? line.pinned : works ? (finish - line.fixed) / line.per_group : 0.0;
  }
  return finish;
}

double drop_idlers(std::span<FinishLine> lines, double groups) {
  // Of what all of them reach: of 64 equal devices none shortens the launch by much, and ten of them do.
  double finish = fill(lines, groups);
  const double most = finish * (1.0 + kWorthTheIdle);
  for (;;) {
    FinishLine* smallest = nullptr;
    std::size_t busy = 0;
    for (FinishLine& line : lines) {
      if (line.pinned > 0) continue;
      line.used = line.used && line.share > 0;
      if (!line.used) continue;
      ++busy;
      if (smallest == nullptr || line.share < smallest->share) smallest = &line;
    }
    if (busy <= 1 || fill(lines, groups, smallest) > most) return finish;
    smallest->used = false;
    finish = fill(lines, groups);
  }
}

}  // namespace skmd::domain

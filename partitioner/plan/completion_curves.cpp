// SPDX-License-Identifier: Apache-2.0
#include "partitioner/plan/completion_curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "partitioner/plan/idle_links.h"
#include "partitioner/plan/phase_fill.h"
#include "partitioner/plan/plan_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

/// Points nearer than this part of their size say nothing about a slope.
bool distinct(const CompletionCurve& line, double groups) {
  return std::fabs(groups - line.last_groups) > kDistinctSizes * groups;
}

/// In proportion to the groups, but for a latency that is known.
void begin(CompletionCurve::Transfers& transfers, double groups, double seconds, double latency) {
  const double fixed = std::min(latency, seconds);
  transfers = {fixed, (seconds - fixed) / groups, seconds};
}

/// Bytes that are there already make the line begin below zero.
void refine_arriving(CompletionCurve& line, double groups, double seconds) {
  CompletionCurve::Transfers& transfers = line.arriving;
  if (distinct(line, groups))
    transfers.each = std::max(0.0, (seconds - transfers.last_seconds) / (groups - line.last_groups));
  transfers.fixed = seconds - transfers.each * groups;
  transfers.last_seconds = seconds;
}

void refine(CompletionCurve::Transfers& transfers, const CompletionCurve& line, double groups, double seconds) {
  if (distinct(line, groups))
    transfers.each =
        std::clamp((seconds - transfers.last_seconds) / (groups - line.last_groups), 0.0, seconds / groups);
  transfers.fixed = std::max(0.0, seconds - transfers.each * groups);
  transfers.last_seconds = seconds;
}

/// True if the slope of running grows beyond some number of groups.
bool bends(const CompletionCurve& line) { return line.fixed < line.least_fixed; }

/// True if other devices wait for the device's transfers or copies.
bool moves(const CompletionCurve& line) {
  return line.copying_each > 0 || line.before.last_seconds > 0 || line.after.last_seconds > 0;
}

}  // namespace

bool can_work(const CompletionCurve& line) {
  return std::isfinite(line.fixed) && std::isfinite(line.per_group) && std::isfinite(line.before.last_seconds) &&
         std::isfinite(line.after.last_seconds) && std::isfinite(line.copying_each) &&
         std::isfinite(line.arriving.last_seconds);
}

void begin(CompletionCurve& line, double groups, const Phases& moving) {
  line.per_group = moving.running / groups;
  line.link = moving.link;
  line.latency = moving.latency;
  begin(line.before, groups, moving.before, line.latency);
  begin(line.arriving, groups, moving.arriving, line.latency);
  begin(line.after, groups, moving.after, line.latency);
  line.copying_each = moving.copying / groups;
}

void begin(const DeviceModel& model, CompletionCurve& line, double groups, const Phases& phases) {
  begin(line, groups, phases);
  line.fixed = model.launch_seconds;
  line.per_group = std::max(1.0 / model.groups_per_second, (phases.running - line.fixed) / groups);
  line.least_fixed = model.launch_seconds;
  line.least_per_group = 1.0 / model.groups_per_second;
  line.last_groups = groups;
  line.last_seconds = phases.running;
}

void refine(const DeviceModel& model, CompletionCurve& line, double groups, const Phases& phases) {
  const double seconds = phases.running;
  if (distinct(line, groups)) {
    const double slope = (seconds - line.last_seconds) / (groups - line.last_groups);
    line.per_group = std::max(slope, 1.0 / model.groups_per_second);
  }
  line.fixed = seconds - line.per_group * groups;
  refine_moving(line, groups, phases);
  line.last_seconds = seconds;
}

void refine_moving(CompletionCurve& line, double groups, const Phases& moving) {
  refine(line.before, line, groups, moving.before);
  refine(line.after, line, groups, moving.after);
  if (line.link != 0) refine_arriving(line, groups, moving.arriving);
  line.copying_each = moving.copying / groups;
  line.last_groups = groups;
  line.last_seconds = line.fixed + line.per_group * groups;
}

double groups_run(const CompletionCurve& line, double seconds) {
  if (seconds <= std::max(line.fixed, line.least_fixed)) return 0.0;
  const double groups = (seconds - line.fixed) / line.per_group;
  if (!(line.least_per_group > 0)) return groups;
  return std::min(groups, (seconds - line.least_fixed) / line.least_per_group);
}

Phases expected(const CompletionCurve& line, std::uint64_t groups) {
  if (groups == 0) return {};
  const auto count = static_cast<double>(groups);
  const double running = std::max(line.fixed + line.per_group * count, line.least_fixed + line.least_per_group * count);
  Phases phases{line.before.fixed + line.before.each * count, running, line.after.fixed + line.after.each * count,
                line.copying_each * count};
  phases.link = line.link;
  phases.latency = line.latency;
  phases.arriving = std::max(0.0, line.arriving.fixed + line.arriving.each * count);
  return phases;
}

CompletionCurve* line_of(CompletionCurves& lines, std::uint32_t device, std::size_t& from) {
  for (std::size_t tried = 0; tried < lines.size(); ++tried) {
    from = from < lines.size() ? from : 0;
    CompletionCurve& line = lines[from++];
    if (line.device == device) return &line;
  }
  return nullptr;
}

CompletionCurve* line_of(CompletionCurves& lines, std::uint32_t device) {
  std::size_t from = 0;
  return line_of(lines, device, from);
}

namespace {

/// Seconds until `groups` are run, without phases: transfers overlap with running.
double fill_level(std::span<CompletionCurve* const> order, double groups) {
  double rate = 0;
  double owed = 0;  // sum of fixed · rate
  double finish = std::numeric_limits<double>::infinity();
  for (const CompletionCurve* line : order) {
    if (line->fixed >= finish) break;
    rate += 1.0 / line->per_group;
    owed += line->fixed / line->per_group;
    finish = (groups + owed) / rate;
  }
  return finish;
}

}  // namespace

double fill(std::span<CompletionCurve> lines, double groups, const CompletionCurve* without) {
  std::array<CompletionCurve*, kMaxLines> order;
  std::size_t count = 0;
  bool shared = false, phased = false;
  for (CompletionCurve& line : lines) {
    groups -= line.pinned;
    if (without == nullptr) line.share = line.pinned;
    if (line.pinned > 0 || !line.used || &line == without || !can_work(line)) continue;
    order[count++] = &line;
    shared = shared || line.link != 0;
    phased = phased || moves(line) || bends(line);
  }
  const std::span<CompletionCurve*> working(order.data(), count);
  if (shared)
    std::stable_sort(working.begin(), working.end(),
                     [](const CompletionCurve* a, const CompletionCurve* b) { return a->link < b->link; });
  if (shared || phased) {
    PhaseFill phases(working, groups);
    return without == nullptr ? phases.share_out() : phases.finish();
  }
  std::sort(working.begin(), working.end(),
            [](const CompletionCurve* a, const CompletionCurve* b) { return a->fixed < b->fixed; });
  const double finish = fill_level(working, groups);
  if (without != nullptr) return finish;
  for (CompletionCurve* line : working)
    if (line->fixed < finish) line->share = (finish - line->fixed) / line->per_group;
  return finish;
}

double drop_idlers(std::span<CompletionCurve> lines, double groups) {
  // Relative to the end that all of them reach: of 64 equal devices no single one shortens the launch by much, but ten
  // do.
  if (std::any_of(lines.begin(), lines.end(), [](const CompletionCurve& line) { return line.link != 0; }))
    return drop_idle_links(lines, groups);
  double finish = fill(lines, groups);
  const double most = finish * (1.0 + kWorthTheIdle);
  for (;;) {
    CompletionCurve* smallest = nullptr;
    std::size_t busy = 0;
    for (CompletionCurve& line : lines) {
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

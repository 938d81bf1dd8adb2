// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "intercept/calibration/calibration_constants.h"
#include "intercept/calibration/measure.h"
#include "intercept/calibration/timing.h"
#include "partitioner/model/calibration_curves.h"

namespace skmd::icd::calibration {
namespace {

using namespace tuning;

using domain::DeviceCalibration;
using domain::Result;
using domain::Status;

double positive(double seconds) { return std::max(seconds, kLeastSeconds); }

Status measure_launches(DeviceProbe& probe, const Effort& effort, DeviceCalibration& to) {
  const auto row = timed(effort.clock, kLaunchTime * effort.seconds, {}, [&] { return probe.launches(kInARow); });
  if (!row) return row.error();
  to.launch_seconds = positive(median_of(*row) / kInARow);
  effort.tick();
  const auto one = timed(effort.clock, kBoxTime / 2 * effort.seconds, {}, [&] { return probe.boxes(1); });
  if (!one) return one.error();
  const auto more = timed(effort.clock, kBoxTime / 2 * effort.seconds, {}, [&] { return probe.boxes(1 + kBoxes); });
  if (!more) return more.error();
  to.box_seconds = positive((median_of(*more) - median_of(*one)) / kBoxes);
  effort.tick();
  // A fresh kernel takes a compiler's time to make: a few of them have to do.
  const auto first = timed(
      effort.clock, kFirstUseTime * effort.seconds, {1, 5}, [&] { return probe.launch_fresh(); },
      [&] { return probe.make_fresh(); });
  if (!first) return first.error();
  const auto second = timed(effort.clock, 0.0, {}, [&] { return probe.launch_fresh(); });
  if (!second) return second.error();
  to.first_use_seconds = positive(median_of(*first) - median_of(*second));
  effort.tick();
  return {};
}

/// As many passes as make a read long enough; the seconds of the last try are spent, not counted.
Result<std::uint32_t> passes_for(DeviceProbe& probe, const Clock& clock, std::uint64_t bytes, double seconds) {
  std::uint32_t passes = 1;
  for (;;) {
    const auto run = timed(clock, 0.0, {1, 1}, [&] { return probe.read(bytes, passes); });
    if (!run) return run.error();
    if (run->front() >= 0.75 * seconds || passes == kMaxPasses) return passes;
    const double growth = std::clamp(seconds / positive(run->front()), 1.34, kMaxGrowth);
    passes = static_cast<std::uint32_t>(std::min<double>(kMaxPasses, std::ceil(passes * growth)));
  }
}

Status measure_bandwidth(DeviceProbe& probe, const Effort& effort, double seconds, DeviceCalibration& to) {
  const Stopwatch all(effort.clock, seconds);
  const std::vector<std::uint64_t> sizes = domain::sizes_between(kLeastRead, effort.most_bytes, effort.step);
  std::vector<domain::TransferPoint> measured;  // seconds of one pass
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    // Twice: to find the passes, and to measure.
    if (sizes[i] > kAlways && !domain::is_affordable(measured, 2 * sizes[i], all.left())) break;
    const double share = all.left() / static_cast<double>(sizes.size() - i);
    const auto passes = passes_for(probe, effort.clock, sizes[i], std::min(kLongRead, share / 4));
    if (!passes) return passes.error();
    const auto runs = timed(effort.clock, share / 2, {2, 20}, [&] { return probe.read(sizes[i], *passes); });
    if (!runs) return runs.error();
    // The fastest: what disturbs a read only makes it slower, and the value is used as a bound.
    const double pass = positive(runs->front()) / *passes;
    measured.push_back({sizes[i], pass});
    to.bandwidth.push_back({sizes[i], static_cast<double>(sizes[i]) / pass});
    effort.tick();
  }
  to.memory = domain::cache_step(to.bandwidth);
  return {};
}

}  // namespace

Result<DeviceCalibration> measure_device(DeviceProbe& probe, const Effort& effort) {
  const Stopwatch all(effort.clock, effort.seconds);
  if (Status ready = probe.prepare(effort.most_bytes); !ready) return ready.error();
  effort.tick();
  // The first launches may wait for clocks to rise and for what drivers do lazily.
  if (Status warm = probe.launches(kInARow); !warm) return warm.error();
  DeviceCalibration calibration;
  if (Status done = measure_launches(probe, effort, calibration); !done) return done.error();
  if (Status done = measure_bandwidth(probe, effort, all.left(), calibration); !done) return done.error();
  return calibration;
}

}  // namespace skmd::icd::calibration

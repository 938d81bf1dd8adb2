// SPDX-License-Identifier: Apache-2.0
// Quantities computed from measured curves of a device or a link. Pure; points with a size or a value that is not above
// 0 or not finite are passed over.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "partitioner/model/calibration.h"
#include "partitioner/model/time_model.h"

namespace skmd::domain {

/// Where bandwidth falls to the (geometric) middle between what it is in the last cache and beyond it. `points` in
/// ascending order of sizes; single points off the curve do not matter.
CacheStep cache_step(std::span<const BandwidthPoint> points);

/// The rate of the largest transfers and the latency of the smallest: copies in host memory are faster in between,
/// where caches hold them, which a line through all points would take for the rate. `points` in ascending order of
/// sizes.
TransferLine transfer_line(std::span<const TransferPoint> points);

struct ThreadsRate {
  std::uint32_t threads = 0;
  double bytes_per_second = 0.0;
};
/// The fewest threads that move nearly as much as the best number of them; 0 without points.
std::uint32_t saturating_threads(std::span<const ThreadsRate> rates);

/// Powers of two from `least` to `most`, each `step` times the one before; `least` and `step` are powers of two above 0
/// and 1.
std::vector<std::uint64_t> sizes_between(std::uint64_t least, std::uint64_t most, std::uint64_t step);

/// Whether a measurement of `bytes` fits into `seconds_left`, by what was measured so far. The first always does.
bool is_affordable(std::span<const TransferPoint> measured, std::uint64_t bytes, double seconds_left);

/// Lower bound of a span's time on the device, with a margin: other kernels may read a little faster than the
/// calibration kernel.
Bounds bounds_of(const DeviceCalibration& calibration);

}  // namespace skmd::domain

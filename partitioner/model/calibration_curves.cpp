// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/calibration_curves.h"

#include <algorithm>
#include <cmath>

#include "partitioner/model/calibration_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

/// Each value becomes the median of itself and its neighbours, so that one that is off moves nothing; at the ends, the
/// smaller of the two.
std::vector<double> smoothed(const std::vector<BandwidthPoint>& points) {
  std::vector<double> values;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t first = i == 0 ? 0 : i - 1, last = std::min(i + 2, points.size());
    std::vector<double> near;
    for (std::size_t j = first; j < last; ++j) near.push_back(points[j].bytes_per_second);
    values.push_back(near.size() == 2 ? std::min(near[0], near[1]) : median(std::move(near)));
  }
  return values;
}

/// Index of the last value that is so large; that of the end if none is.
std::size_t last_above(std::span<const double> values, double limit) {
  std::size_t end = values.size();
  while (end > 0 && values[end - 1] < limit) --end;
  return end > 0 ? end - 1 : values.size();
}

}  // namespace

CacheStep cache_step(std::span<const BandwidthPoint> given) {
  std::vector<BandwidthPoint> points;
  for (const BandwidthPoint& point : given)
    if (point.bytes > 0 && is_positive(point.bytes_per_second)) points.push_back(point);
  if (points.empty()) return {};
  const std::vector<double> values = smoothed(points);
  const std::size_t tail = std::min(kPlateau, std::max<std::size_t>(1, values.size() / 3));
  const double beyond = median({values.end() - static_cast<std::ptrdiff_t>(tail), values.end()});
  // The last size that is faster than memory, and what is well inside of it: inner caches, which are faster still, are
  // not looked for.
  const std::size_t fast = last_above(values, kLeastStep * beyond);
  if (fast + 1 >= values.size()) return {0.0, beyond, beyond};  // none, or all to the end
  std::vector<double> well_inside;
  for (std::size_t i = 0; i < fast; ++i)
    if (points[i].bytes >= points[fast].bytes / kInside) well_inside.push_back(values[i]);
  const double inside = well_inside.empty() ? values[fast] : std::max(values[fast], median(std::move(well_inside)));
  const double middle = std::sqrt(inside * beyond);
  const std::size_t last = last_above(std::span(values).first(fast + 1), middle);
  // Between the last size above the middle and the next one, on logarithmic axes.
  const double above = std::log(values[last]), below = std::log(values[last + 1]);
  const double part = above > below ? std::clamp((above - std::log(middle)) / (above - below), 0.0, 1.0) : 0.0;
  const double from = std::log(static_cast<double>(points[last].bytes));
  const double to = std::log(static_cast<double>(points[last + 1].bytes));
  return {std::exp(from + part * (to - from)), inside, beyond};
}

TransferLine transfer_line(std::span<const TransferPoint> given) {
  std::vector<TransferPoint> points;
  for (const TransferPoint& point : given)
    if (point.bytes > 0 && is_positive(point.seconds)) points.push_back(point);
  if (points.empty()) return {};
  double shortest = points.front().seconds;
  for (const TransferPoint& point : points) shortest = std::min(shortest, point.seconds);
  const std::size_t third = std::max<std::size_t>(1, std::min(kPlateau, points.size() / 3));
  std::vector<double> rates, latencies;
  for (std::size_t i = points.size() - third; i < points.size(); ++i) {
    const double moving = points[i].seconds - shortest;
    const double rate = static_cast<double>(points[i].bytes) / (moving > 0 ? moving : points[i].seconds);
    if (is_positive(rate)) rates.push_back(rate);
  }
  if (rates.empty()) return {};
  const double rate = median(std::move(rates));
  for (std::size_t i = 0; i < third; ++i)
    latencies.push_back(std::max(0.0, points[i].seconds - static_cast<double>(points[i].bytes) / rate));
  return {points.size() > 1 ? median(std::move(latencies)) : 0.0, rate};
}

std::uint32_t saturating_threads(std::span<const ThreadsRate> rates) {
  double best = 0.0;
  for (const ThreadsRate& rate : rates)
    if (rate.threads > 0 && is_positive(rate.bytes_per_second)) best = std::max(best, rate.bytes_per_second);
  std::uint32_t fewest = 0;
  for (const ThreadsRate& rate : rates)
    if (rate.threads > 0 && is_positive(rate.bytes_per_second) && rate.bytes_per_second >= kNearlyBest * best)
      fewest = fewest == 0 ? rate.threads : std::min(fewest, rate.threads);
  return fewest;
}

std::vector<std::uint64_t> sizes_between(std::uint64_t least, std::uint64_t most, std::uint64_t step) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = least; size <= most; size *= step) {
    sizes.push_back(size);
    if (size > UINT64_MAX / step) break;
  }
  return sizes;
}

bool is_affordable(std::span<const TransferPoint> measured, std::uint64_t bytes, double seconds_left) {
  if (measured.empty()) return true;
  const TransferPoint& last = measured.back();
  return last.seconds * static_cast<double>(bytes) / static_cast<double>(last.bytes) <= seconds_left;
}

Bounds bounds_of(const DeviceCalibration& calibration) {
  const CacheStep& memory = calibration.memory;
  if (!is_positive(memory.beyond_per_second)) return {};
  return {kHeadroom * memory.beyond_per_second, std::isfinite(memory.bytes) ? std::max(0.0, memory.bytes) : 0.0};
}

}  // namespace skmd::domain
